/** Raw event: one item of the event stream of OpenCode 2.x, as far as every event has the same shape. */

import type { Fields } from "../fields.ts";
import { fieldsOf, isFields, nameOf, timeOf } from "../fields.ts";

export interface RawEvent {
  /** "evt_…"; null where the host gave none. */
  readonly id: string | null;
  readonly type: string;
  /** Epoch milliseconds. */
  readonly created: number | null;
  /** The location it happened in; some events name none. */
  readonly directory: string | null;
  readonly sessionId: string | null;
  readonly data: Fields;
}

/** @returns null for what has no type, such as a heartbeat */
export function readEvent(given: unknown): RawEvent | null {
  if (!isFields(given)) return null;
  const type = nameOf(given["type"]);
  if (type === null) return null;
  const data = fieldsOf(given["data"] ?? given["properties"]);
  return {
    id: nameOf(given["id"]),
    type,
    created: timeOf(given["created"]),
    directory: nameOf(fieldsOf(given["location"])["directory"]),
    // `info` and `form` are how session.created (before 2.0.0) and form.* name it.
    sessionId:
      nameOf(data["sessionID"]) ?? nameOf(fieldsOf(data["info"])["id"]) ?? nameOf(fieldsOf(data["form"])["sessionID"]),
    data,
  };
}
