import { describe, expect, it } from "vitest";

import { readEvent } from "../../../src/host/v2/raw-event.ts";
import { createTurns } from "../../../src/host/v2/turns.ts";

function turnsAfter(...events: readonly (readonly [type: string, created: number, data: object])[]) {
  const turns = createTurns();
  for (const [type, created, data] of events) {
    const event = readEvent({ id: `evt_${String(created)}`, type, created, data: { sessionID: "ses_1", ...data } });
    if (event !== null) turns.note(event);
  }
  return turns;
}

const enqueued = (inboxID: string, type = "user") => ({ inboxID, item: { type } });

describe("the beginning of a turn", () => {
  it("is when the delivered prompt was written", () => {
    const turns = turnsAfter(
      ["session.inbox.enqueued", 5, enqueued("msg_1")],
      ["session.inbox.delivered", 9, { inboxID: "msg_1" }],
    );
    expect(turns.startedAt("ses_1")).toBe(5);
    expect(turns.startedAt("ses_2")).toBeNull();
  });

  it("is not that of a prompt which still waits", () => {
    const turns = turnsAfter(
      ["session.inbox.enqueued", 5, enqueued("msg_1")],
      ["session.inbox.delivered", 6, { inboxID: "msg_1" }],
      ["session.inbox.enqueued", 9, enqueued("msg_2")],
    );
    expect(turns.startedAt("ses_1")).toBe(5);
  });

  it("is unknown again when something was delivered whose writing was not seen", () => {
    const turns = turnsAfter(
      ["session.inbox.enqueued", 5, enqueued("msg_1")],
      ["session.inbox.delivered", 6, { inboxID: "msg_1" }],
      ["session.inbox.delivered", 9, { inboxID: "msg_2" }],
    );
    expect(turns.startedAt("ses_1")).toBeNull();
  });

  it("is not moved by what the host itself puts in", () => {
    const turns = turnsAfter(
      ["session.inbox.enqueued", 5, enqueued("msg_1")],
      ["session.inbox.delivered", 6, { inboxID: "msg_1" }],
      ["session.inbox.enqueued", 8, enqueued("msg_2", "synthetic")],
      ["session.inbox.delivered", 9, { inboxID: "msg_2" }],
    );
    expect(turns.startedAt("ses_1")).toBe(5);
  });

  it("is known under the event names of the builds before 2.0.0", () => {
    const turns = turnsAfter(
      ["session.input.admitted", 5, { inputID: "msg_1", item: { type: "user" } }],
      ["session.input.promoted", 6, { inputID: "msg_1" }],
    );
    expect(turns.startedAt("ses_1")).toBe(5);
  });

  it("is forgotten for the sessions that were quiet the longest", () => {
    const turns = createTurns();
    for (let n = 0; n < 1500; n += 1) {
      for (const type of ["session.inbox.enqueued", "session.inbox.delivered"]) {
        const data = { sessionID: `ses_${String(n)}`, ...enqueued(`msg_${String(n)}`) };
        const event = readEvent({ id: `${type}${String(n)}`, type, created: n, data });
        if (event !== null) turns.note(event);
      }
    }
    expect(turns.startedAt("ses_0")).toBeNull();
    expect(turns.startedAt("ses_1499")).toBe(1499);
  });
});
