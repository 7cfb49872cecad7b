/**
 * Generated session: rows of one long session, written into the database of an OpenCode 1.18 that is not running. The
 * host takes them like its own (seen on 1.18.34); holding so many turns would take it hours.
 */

import type { Database } from "../../src/sqlite/database.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { transaction } from "../../src/sqlite/transaction.ts";

export interface GeneratedSession {
  readonly id: string;
  readonly messageIds: readonly string[];
}

export interface GenerateOptions {
  /** `opencode.db`, as the host has made it. */
  readonly path: string;
  /** The working copy the session belongs to: a project the host has opened before. */
  readonly directory: string;
  readonly messages: number;
}

const STARTED_AT = Date.UTC(2026, 9, 5, 8);
/** Four messages a turn: a prompt, two steps with a tool call, and the answer. */
const TURN = 4;

/** @throws when the host does not know the directory */
export async function generateSession({ path, directory, messages }: GenerateOptions): Promise<GeneratedSession> {
  const database = (await loadDriver()).open({ path, readOnly: false, busyTimeoutMs: 5 });
  try {
    const project = database.all(sql`SELECT id FROM project WHERE worktree = ${directory}`)[0]?.["id"];
    if (project === undefined || project === null) throw new Error(`The host does not know the project ${directory}.`);
    return transaction(database, () => writeRows(database, { project, directory, messages }));
  } finally {
    database.close();
  }
}

function writeRows(
  database: Database,
  {
    project,
    directory,
    messages,
  }: { project: string | number | bigint | Uint8Array; directory: string; messages: number },
): GeneratedSession {
  const id = hostId("ses", STARTED_AT, 0);
  const model = JSON.stringify({ id: "scripted", providerID: "scripted" });
  database.run(
    sql`INSERT INTO session (id, project_id, slug, directory, path, title, version, time_created, time_updated, agent, model)
      VALUES (${id}, ${project}, 'generated', ${directory}, '', 'A long session', '1.18.33', ${STARTED_AT},
        ${STARTED_AT + messages * 1000}, 'build', ${model})`,
  );
  const messageIds: string[] = [];
  let prompt = "";
  for (let index = 0; index < messages; index += 1) {
    const time = STARTED_AT + index * 1000;
    const messageId = hostId("msg", time, index);
    if (index % TURN === 0) prompt = messageId;
    const data =
      index % TURN === 0 ? userData(time) : assistantData(time, prompt, directory, index % TURN === TURN - 1);
    database.run(
      sql`INSERT INTO message (id, session_id, time_created, time_updated, data)
        VALUES (${messageId}, ${id}, ${time}, ${time}, ${JSON.stringify(data)})`,
    );
    for (const [place, part] of partsOf(index, time).entries()) {
      database.run(
        sql`INSERT INTO part (id, message_id, session_id, time_created, time_updated, data)
          VALUES (${hostId("prt", time, index * 8 + place)}, ${messageId}, ${id}, ${time}, ${time}, ${JSON.stringify(part)})`,
      );
    }
    messageIds.push(messageId);
  }
  return { id, messageIds };
}

/** Milliseconds and a counter in 48 bits, as the host writes them; sessions count backwards. */
function hostId(prefix: "ses" | "msg" | "prt", time: number, counter: number): string {
  const value = BigInt(time) * 4096n + BigInt(counter % 4096);
  const bits = BigInt.asUintN(48, prefix === "ses" ? ~value : value);
  return `${prefix}_${bits.toString(16).padStart(12, "0")}${String(counter).padStart(14, "0")}`;
}

function userData(time: number): unknown {
  const model = { providerID: "scripted", modelID: "scripted" };
  return { role: "user", time: { created: time }, agent: "build", model };
}

function assistantData(time: number, parentID: string, cwd: string, isLast: boolean): unknown {
  return {
    role: "assistant",
    parentID,
    mode: "build",
    agent: "build",
    path: { cwd, root: cwd },
    cost: 0,
    tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
    modelID: "scripted",
    providerID: "scripted",
    time: { created: time, completed: time + 500 },
    finish: isLast ? "stop" : "tool-calls",
  };
}

function partsOf(index: number, time: number): readonly unknown[] {
  if (index % TURN === 0) return [{ type: "text", text: sentence(index, 30) }];
  const finish = {
    type: "step-finish",
    reason: "stop",
    cost: 0,
    tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
  };
  const span = { start: time, end: time + 5 };
  if (index % TURN === TURN - 1)
    return [{ type: "step-start" }, { type: "text", text: sentence(index, 80), time: span }, finish];
  const state = {
    status: "completed",
    input: { command: `echo ${index}`, description: "print" },
    output: sentence(index, 150),
    title: "print",
    metadata: { exit: 0 },
    time: span,
  };
  return [{ type: "step-start" }, { type: "tool", tool: "bash", callID: `call_${index}`, state }, finish];
}

const WORDS = "query index session message tool file error search token provider plugin parser schema commit".split(
  " ",
);

function sentence(seed: number, words: number): string {
  return Array.from({ length: words }, (_, place) => WORDS[(seed * 7 + place * place) % WORDS.length]).join(" ");
}
