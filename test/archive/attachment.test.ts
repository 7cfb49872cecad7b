import { createHash } from "node:crypto";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { type Attachment, archiveAttachment, type AttachmentMode } from "../../src/archive/attachment.ts";
import { createMasker, openMasker } from "../../src/redact/mask.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { startTimeSlice } from "../../src/runtime/time-slice.ts";
import { buildMessage, filePart } from "../support/builders.ts";
import { fullPass, Harness } from "./harness.ts";

const masker = createMasker();
const secret = `ghp_a1${"Zx9".repeat(12)}`.slice(0, 40);
const mark = "[redacted:github-token]";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const dataUrl = (mime: string, bytes: Buffer): string => `data:${mime};base64,${bytes.toString("base64")}`;
const bytesOf = ({ data }: Attachment): Buffer => Buffer.from(data ?? "", "base64");

function archived(
  mime: string,
  url: string,
  { mode = "inline", open = false }: { mode?: AttachmentMode; open?: boolean } = {},
): Promise<Attachment> {
  const slice = startTimeSlice(systemClock, 0);
  const mask = async (text: string) => (await (open ? openMasker : masker).maskAsync(text, slice)).text;
  return archiveAttachment(filePart({ mime, url }), mode, slice, mask);
}

describe("an attachment that is kept whole", () => {
  const texts = [
    { mime: "text/plain", before: "token is ", after: " ok\n" },
    { mime: "text/plain;charset=utf-8", before: "\ufeffÄ 😀 ", after: " 漢字" },
    { mime: "application/json", before: '{"a": "', after: '"}' },
    { mime: "application/x-yaml", before: "a: ", after: "" },
    { mime: "image/svg+xml", before: "<!-- ", after: " -->" },
    { mime: "text/javascript", before: "const a = '", after: "\0';" },
    { mime: "application/octet-stream", before: "a ", after: " b" },
    { mime: "", before: "", after: "" },
  ];
  test.each(texts)("has its secrets masked as $mime: $before…$after", async ({ mime, before, after }) => {
    const original = Buffer.from(before + secret + after);
    const attachment = await archived(mime, dataUrl(mime, original));
    expect(bytesOf(attachment).toString()).toBe(before + mark + after);
    expect([attachment.size, attachment.sha256]).toEqual([original.length, sha256(original)]);
  });

  test.each([
    { name: "Latin-1", bytes: (text: string) => Buffer.from(`Grüße ${text} ÿ`, "latin1") },
    { name: "UTF-16", bytes: (text: string) => Buffer.from(`\ufeffGrüße 😀 ${text}`, "utf16le") },
    { name: "broken UTF-16", bytes: (text: string) => Buffer.from(`\xff\xfe\x00\xd8${text}`, "latin1") },
  ])("stays in its encoding: $name", async ({ bytes }) => {
    const attachment = await archived("text/plain", dataUrl("text/plain", bytes(secret)));
    expect(bytesOf(attachment)).toEqual(bytes(mark));
  });

  const binaries = [
    { name: "a NUL", mime: "application/octet-stream", bytes: Buffer.from(`\0${secret} `) },
    { name: "bytes that are no UTF-8", mime: "image/png", bytes: Buffer.from(`\x89PNG ${secret} `, "latin1") },
    { name: "a cut UTF-8 character", mime: "font/woff", bytes: Buffer.from(`${secret} \xe6\xbc`, "latin1") },
    { name: "nothing", mime: "text/plain", bytes: Buffer.alloc(0) },
    { name: "no secret", mime: "text/plain", bytes: Buffer.from("password: required") },
  ];
  test.each(binaries)("stays as it is with $name", async ({ mime, bytes }) => {
    const attachment = await archived(mime, dataUrl(mime, bytes));
    expect(attachment).toMatchObject({ data: bytes.toString("base64"), size: bytes.length, sha256: sha256(bytes) });
  });

  test("is masked wherever a piece ends, and keeps everything else", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 393_100, max: 393_300 }),
        fc.constantFrom("a b", "ä 漢", "😀 "),
        async (at, filler) => {
          const before = `${filler.repeat(400_000).slice(0, at)} `.toWellFormed();
          const original = Buffer.from(`${before}${secret} ${filler.repeat(50_000)}`);
          const attachment = await archived("text/plain", dataUrl("text/plain", original));
          expect(bytesOf(attachment).equals(Buffer.from(`${before}${mark} ${filler.repeat(50_000)}`))).toBe(true);
          expect(attachment.sha256).toBe(sha256(original));
        },
      ),
      { numRuns: 12 },
    );
  });

  const addresses = [
    { name: "percent signs", url: `data:text/plain,token%3A%20${secret}%20%C3%A4%` },
    {
      name: "base64 in lines",
      url: dataUrl("text/plain", Buffer.from(`token: ${secret} ä%`)).replaceAll(/.{40}/gu, "$&\n"),
    },
    {
      name: "escaped base64",
      url: dataUrl("text/plain", Buffer.from(`token: ${secret} ä%`)).replace(/=*$/u, encodeURIComponent),
    },
  ];
  test.each(addresses)("is decoded from an address with $name", async ({ url }) => {
    const original = Buffer.from(`token: ${secret} ä%`);
    const whole = await archived("text/plain", url, { open: true });
    expect([bytesOf(whole), whole.size, whole.sha256]).toEqual([original, original.length, sha256(original)]);
    expect(bytesOf(await archived("text/plain", url)).toString()).toBe(`token: ${mark} ä%`);
  });

  test("is unchanged with masking switched off", async () => {
    for (const bytes of [
      Buffer.from(secret),
      Buffer.from(`\ufeff${secret}`, "utf16le"),
      Buffer.from("\xff\xfe\x00", "latin1"),
    ]) {
      const { data } = await archived("text/plain", dataUrl("text/plain", bytes), { open: true });
      expect(data).toBe(bytes.toString("base64"));
    }
  });

  test("has no data when only a reference is kept", async () => {
    expect(await archived("text/plain", dataUrl("text/plain", Buffer.from(secret)), { mode: "reference" })).toEqual({
      type: "file",
      filename: "a.txt",
      mime: "text/plain",
      size: 40,
      sha256: sha256(Buffer.from(secret)),
    });
  });
});

describe("in a session's file", () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await Harness.make();
  });
  afterEach(() => harness.dispose());

  test.each([
    { redact: true, text: `a ${mark}`, redactions: { "github-token": 1 } },
    { redact: false, text: `a ${secret}`, redactions: {} },
  ])("the masked secrets of an attachment are counted: redact $redact", async ({ redact, text, redactions }) => {
    const archive = harness.open({ attachments: "inline", ...(redact ? {} : { masker: openMasker }) });
    const url = dataUrl("text/plain", Buffer.from(`a ${secret}`));
    await fullPass(archive, harness.session(), [buildMessage({ id: "msg_1", parts: [filePart({ url })] })]);
    await archive.flush();
    const file = await harness.json("ses_1.json");
    expect(Buffer.from(String(file.turns[0]?.parts[0]?.["data"]), "base64").toString()).toBe(text);
    expect(file.redactions).toEqual(redactions);
  });
});
