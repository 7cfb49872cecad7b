/** A sync with everything around it fake: clock, host and two sinks, of which the archive wants nothing unless told so. */

import type { HostEvent } from "../../src/host/host.ts";
import type { Message, Session } from "../../src/session/session.ts";
import type { SyncOptions, SyncProgress } from "../../src/sync/sync.ts";
import { createSync } from "../../src/sync/sync.ts";
import { FakeClock } from "./fake-clock.ts";
import type { FakeHostOptions, FakeStore } from "./fake-host.ts";
import { FakeHost } from "./fake-host.ts";
import { MemorySink } from "./memory-sink.ts";
import { createRecordingLogger } from "./recording-logger.ts";

export function startSync(
  given: Omit<FakeHostOptions, "clock" | "log"> &
    Partial<Omit<SyncOptions, "clock">> & {
      /** What the archive wants. */
      readonly archives?: (session: Session) => boolean;
      /** Those of an earlier sync, to go on with. */
      readonly clock?: FakeClock;
      readonly store?: FakeStore;
      readonly sink?: MemorySink;
    } = {},
) {
  const clock = given.clock ?? new FakeClock();
  const log = createRecordingLogger();
  const host = new FakeHost({ ...given, clock, log }, given.store);
  const sink = given.sink ?? new MemorySink(clock);
  const progress: SyncProgress[] = [];
  const sync = createSync({ onProgress: (step) => progress.push(step), ...given, clock });
  const archive = new MemorySink(clock, { name: "archive", wants: given.archives ?? (() => false) });
  const attachment = sync.attach(host, [archive, sink]);
  const { store } = host;
  const send = (event: HostEvent) => attachment.onEvent(event);
  return {
    clock,
    host,
    store,
    sink,
    archive,
    sync,
    attachment,
    lines: log.lines,
    progress,
    send,
    /** Changes the session in the host, and lets it say so. */
    change: (sessionId: string, change: Partial<Session>) => {
      send({ type: "session-changed", sessionId, session: store.changeSession(sessionId, change) });
    },
    /** Adds or changes a message in the host, and lets it say so. */
    say: (message: Message) => {
      store.putMessage(message);
      send({ type: "message-changed", sessionId: message.sessionId, messageId: message.id });
    },
    /** Removes a message in the host, and lets it say so. */
    unsay: (sessionId: string, messageId: string) => {
      store.removeMessage(sessionId, messageId);
      send({ type: "message-removed", sessionId, messageId });
    },
  };
}
