import { expect, test } from "vitest";

import { idOf } from "../../src/host/fields.ts";
import { normaliseMessage, normaliseSession } from "../../src/host/v1/normalise.ts";
import { normaliseMessage as normaliseV2Message } from "../../src/host/v2/normalise-message.ts";
import { normaliseSession as normaliseV2Session } from "../../src/host/v2/normalise-session.ts";

test.each(["ses_1", "../x", "部署", "🤖"])("%j is an id", (id) => {
  expect(idOf(id)).toBe(id);
});

test.each(["", 7, null, "\ud83d", "a\udd16b", "a\0b"])("%j names nothing that could be found again", (id) => {
  const home = { sessionId: "ses_1", directory: "/w" };
  expect(idOf(id)).toBeNull();
  expect([normaliseSession({ id }), normaliseV2Session({ id })]).toEqual([null, null]);
  expect([normaliseMessage({ info: { id } }, "ses_1"), normaliseV2Message({ id }, home)]).toEqual([null, null]);
});
