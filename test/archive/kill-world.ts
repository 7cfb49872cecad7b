/** Kill world: what the killed processes write, so that a reader can tell whether it is whole. */

import type { Message } from "../../src/session/session.ts";
import { assistantMessage, BUILT_AT, toolPart } from "../support/builders.ts";

/** Message `number` of a session, of up to some hundred kilobytes. */
export function grownMessage(number: number): Message {
  const output = `output of ${number} `.repeat(1 + ((number * 37) % 5000));
  return assistantMessage(`msg_${String(number).padStart(6, "0")}`, [toolPart("bash", { number }, { output })], {
    createdAt: BUILT_AT + number * 1000,
  });
}
