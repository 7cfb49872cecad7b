/** Payloads: what hosts of either generation answer, recorded, mutated, and read by the adapters' own normalisers. */

import * as fc from "fast-check";

import { fieldsOf, listOf } from "../../src/host/fields.ts";
import {
  normaliseMessage as normaliseV1Message,
  normaliseSession as normaliseV1Session,
} from "../../src/host/v1/normalise.ts";
import { normaliseMessage as normaliseV2Message } from "../../src/host/v2/normalise-message.ts";
import { normaliseSession as normaliseV2Session } from "../../src/host/v2/normalise-session.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { recordedV2 } from "../host/v2/recorded-v2.ts";
import { loadRecording, recordingNames } from "../support/recording.ts";
import { mutated, mutations } from "./mutations.ts";

/** A session as the sinks get it. */
export interface ReadSession {
  readonly session: Session;
  readonly messages: readonly Message[];
}

/** A few sessions, of which some may be their own ancestors. */
export function readSessions(directory: string): fc.Arbitrary<readonly ReadSession[]> {
  const one = fc.oneof({ weight: 3, arbitrary: v1Sessions() }, v2Sessions());
  return fc
    .tuple(fc.array(one, { minLength: 1, maxLength: 3 }), fc.array(fc.nat({ max: 4 }), { maxLength: 3 }))
    .map(([sessions, parents]) => {
      const byId = new Map(sessions.map((read) => [read.session.id, read]));
      const unique = [...byId.values()];
      return unique.map(({ session, messages }, place) => {
        const parent = unique[parents[place] ?? unique.length]?.session.id ?? session.parentId;
        return { session: { ...session, directory, parentId: parent }, messages };
      });
    });
}

function v1Sessions(): fc.Arbitrary<ReadSession> {
  const recorded = recordingNames()
    .flatMap((name) => loadRecording(name).sessions)
    .filter(({ session }) => session !== null)
    .map(({ session, messages }) => ({ session, messages: messages.slice(-6) }));
  return fc.tuple(fc.constantFrom(...recorded), mutations(6)).map(([payload, changes]) => {
    const changed = fieldsOf(mutated(payload, changes));
    const session = normaliseV1Session(changed["session"]) ?? { ...normaliseV1Session({ id: "ses_lost" })! };
    const messages = listOf(changed["messages"]).map((message) => normaliseV1Message(message, session.id));
    return { session, messages: withIds(messages) };
  });
}

function v2Sessions(): fc.Arbitrary<ReadSession> {
  const recorded = recordedV2("every-message-type");
  return mutations(8).map((changes) => {
    const changed = fieldsOf(mutated(recorded, changes));
    const session = normaliseV2Session(changed["session"]) ?? { ...normaliseV2Session({ id: "ses_lost" })! };
    const home = { sessionId: session.id, directory: session.directory };
    return {
      session,
      messages: withIds(listOf(changed["messages"]).map((message) => normaliseV2Message(message, home))),
    };
  });
}

/** As hosts list them: oldest first, each id once. */
function withIds(messages: readonly (Message | null)[]): readonly Message[] {
  const byId = new Map(messages.flatMap((message) => (message === null ? [] : [[message.id, message] as const])));
  return [...byId.values()].sort((one, other) => one.createdAt - other.createdAt);
}
