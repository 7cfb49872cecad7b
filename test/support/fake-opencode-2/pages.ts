/** Pages: lists with cursors, as a fake OpenCode 2.x serves them (§5). */

import { fieldsOf, textOf } from "../../../src/host/fields.ts";
import type { Json, StoredMessage, StoredSession } from "./store.ts";

/** A request that the host refuses, with its status and `_tag`. */
export class Refusal extends Error {
  readonly status: number;
  readonly tag: string;
  readonly extra: Json;
  constructor(status: number, tag: string, message: string, extra: Json = {}) {
    super(message);
    this.name = tag;
    this.status = status;
    this.tag = tag;
    this.extra = extra;
  }
}

const DEFAULT_LIMIT = 50;
const MOST_MESSAGES = 200;

/** `limit` 1..200, newest first unless asked otherwise; a cursor has its order in it and takes no other. */
export function messagePage(messages: readonly StoredMessage[], query: URLSearchParams): Json {
  const limit = limitOf(query, MOST_MESSAGES);
  const cursor = query.get("cursor");
  if (cursor !== null && query.has("order")) {
    throw new Refusal(400, "InvalidCursorError", "A cursor cannot be combined with an order.");
  }
  const place = cursor === null ? { order: orderOf(query), seq: null } : messageCursor(cursor);
  const numbered = messages.map((message, seq) => ({ message, seq }));
  const ordered = place.order === "asc" ? numbered : numbered.toReversed();
  const { seq: after } = place;
  const rest =
    after === null ? ordered : ordered.filter(({ seq }) => (place.order === "asc" ? seq > after : seq < after));
  const page = rest.slice(0, limit);
  return {
    data: page.map(({ message }) => message),
    cursor: cursorsOf(page.map(({ seq }) => encode({ order: place.order, seq }))),
  };
}

/** Sorted by `time.updated`, then id; any positive limit. The cursor holds the last row's `time.updated`. */
export function sessionPage(sessions: Iterable<StoredSession>, query: URLSearchParams): Json {
  const limit = limitOf(query, Number.MAX_SAFE_INTEGER);
  const cursor = query.get("cursor");
  if (cursor !== null && query.has("order")) {
    throw new Refusal(400, "InvalidCursorError", "A cursor cannot be combined with an order.");
  }
  const place = cursor === null ? { order: orderOf(query), updated: null, id: "" } : sessionCursor(cursor);
  const sign = place.order === "asc" ? 1 : -1;
  const compare = (left: Row, right: Row): number =>
    sign * (left.updated - right.updated || (left.id < right.id ? -1 : Number(left.id > right.id)));
  const rows = [...sessions]
    .map((session) => ({ session, updated: session.time.updated, id: session.id }))
    .sort(compare);
  const { updated, id } = place;
  const rest = updated === null ? rows : rows.filter((row) => compare(row, { updated, id }) > 0);
  const page = rest.slice(0, limit);
  return {
    data: page.map(({ session }) => session),
    cursor: cursorsOf(page.map((row) => encode({ order: place.order, updated: row.updated, id: row.id }))),
  };
}

interface Row {
  readonly updated: number;
  readonly id: string;
}

/** Both are there whenever the page holds anything, on the last page too. */
function cursorsOf(places: readonly string[]): Json {
  const [first] = places;
  const last = places.at(-1);
  return first === undefined || last === undefined ? {} : { previous: first, next: last };
}

function limitOf(query: URLSearchParams, most: number): number {
  const given = query.get("limit");
  if (given === null) return DEFAULT_LIMIT;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw new Refusal(400, "InvalidRequestError", `limit must be a whole number from 1 to ${String(most)}`, {
    kind: "Query",
  });
}

function orderOf(query: URLSearchParams): "asc" | "desc" {
  const order = query.get("order") ?? "desc";
  if (order === "asc" || order === "desc") return order;
  throw new Refusal(400, "InvalidRequestError", "order must be asc or desc", { kind: "Query" });
}

function encode(place: Json): string {
  return Buffer.from(JSON.stringify(place), "utf8").toString("base64url");
}

function decode(cursor: string): { readonly order: "asc" | "desc"; readonly fields: Json } {
  try {
    const fields = fieldsOf(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
    const { order } = fields;
    if (order === "asc" || order === "desc") return { order, fields };
  } catch {
    // Refused below.
  }
  throw new Refusal(400, "InvalidCursorError", "The cursor is invalid.");
}

function messageCursor(cursor: string): { readonly order: "asc" | "desc"; readonly seq: number } {
  const { order, fields } = decode(cursor);
  return { order, seq: Number(fields["seq"]) };
}

function sessionCursor(cursor: string): {
  readonly order: "asc" | "desc";
  readonly updated: number;
  readonly id: string;
} {
  const { order, fields } = decode(cursor);
  return { order, updated: Number(fields["updated"]), id: textOf(fields["id"]) ?? "" };
}
