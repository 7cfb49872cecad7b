/** Look up: one call of a tool by an agent in a real host, in a session of its own. */

import { randomUUID } from "node:crypto";

import type { Conversation } from "./conversation.ts";
import { until } from "./conversation.ts";

/**
 * Lets an agent call a tool once.
 * @param sessionId a new session when left out
 * @returns what arrived at the model
 */
export async function lookUp(
  conversation: Conversation,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  sessionId?: string,
): Promise<string> {
  const steps = [{ calls: [{ tool, args }] }, { text: "That is what I found." }];
  const options = sessionId === undefined ? {} : { sessionId };
  const turn = await conversation.say(`Please look something up (${randomUUID()})`, steps, options);
  const result = turn.toolResults[0];
  if (result === undefined) throw new Error(`No result of ${tool} arrived at the model.`);
  return result.text;
}

/**
 * Looks up until the answer is as wanted: a change becomes findable within moments, not at once.
 * @returns that answer
 * @throws when it does not come within `timeoutMs`; the last answer is in the message
 */
export async function lookUpUntil(
  conversation: Conversation,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  wanted: (answer: string) => boolean,
  timeoutMs = 60_000,
): Promise<string> {
  let last = "";
  return until(
    `the wanted answer of ${tool} ${JSON.stringify(args)}`,
    async () => {
      last = await lookUp(conversation, tool, args);
      return wanted(last) ? last : null;
    },
    timeoutMs,
  ).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : String(error)} The last one:\n${last}`, {
      cause: error,
    });
  });
}

/** Waits until a search for `query` names the session. */
export async function findable(conversation: Conversation, sessionId: string, query: string): Promise<string> {
  return lookUpUntil(conversation, "history-search-messages", { query }, (answer) => answer.includes(sessionId));
}
