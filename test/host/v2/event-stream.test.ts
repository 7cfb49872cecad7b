import { describe, expect, it } from "vitest";

import { createEventStream, type StreamMember } from "../../../src/host/v2/event-stream.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { createEventBus, type EventBus } from "../../support/fake-opencode-2/event-bus.ts";
import { createRecordingLogger } from "../../support/recording-logger.ts";

interface Seen extends StreamMember {
  readonly got: string[];
  losses: number;
}

function createWorld() {
  const clock = new FakeClock();
  const bus = createEventBus(() => clock.now());
  const observed: string[] = [];
  const stream = createEventStream(clock, (event) => void observed.push(event.type));
  const log = createRecordingLogger();
  const member = (directory: string | null, source: Pick<EventBus, "subscribe"> = bus): Seen => ({
    directory,
    log,
    got: [],
    losses: 0,
    subscribe: (signal) => source.subscribe({ signal }),
    deliver(event) {
      this.got.push(`${event.type} ${event.sessionId ?? ""}`.trim());
    },
    lost() {
      this.losses += 1;
    },
  });
  const publish = async (type: string, sessionID: string, directory: string | null = null) => {
    bus.publish(type, { sessionID }, directory);
    await settle(5);
  };
  return { clock, bus, stream, observed, log, member, publish };
}

describe("the event stream of a process", () => {
  it("is subscribed to once, however many instances there are", async () => {
    const { bus, stream, member } = createWorld();
    for (const directory of ["/a", "/b", "/c"]) stream.join(member(directory));
    await settle(5);
    expect(bus.subscribers).toBe(1);
  });

  it("hands each event to one member: that of its location, else the one that had the session's last, else the first", async () => {
    const { stream, member, publish, observed } = createWorld();
    const [one, two] = [member("/a"), member("/b")];
    stream.join(one);
    stream.join(two);
    await settle(5);
    await publish("session.renamed", "ses_b", "/b");
    await publish("session.execution.started", "ses_b");
    await publish("session.execution.started", "ses_unknown");
    await publish("session.renamed", "ses_elsewhere", "/c");
    expect(two.got).toEqual(["session.renamed ses_b", "session.execution.started ses_b"]);
    expect(one.got).toEqual(["session.execution.started ses_unknown", "session.renamed ses_elsewhere"]);
    expect(observed).toHaveLength(4);
  });

  it("handles an event once, though it arrives twice", async () => {
    const { bus, stream, member } = createWorld();
    const one = member("/a");
    stream.join(one);
    await settle(5);
    const event = { id: "evt_1", type: "session.renamed", data: { sessionID: "ses_1" } };
    for (const again of [event, event, { ...event, id: "evt_2" }]) bus.publishRaw(again);
    await settle(5);
    expect(one.got).toHaveLength(2);
  });

  it("passes over what is no event", async () => {
    const { bus, stream, member, publish } = createWorld();
    const one = member("/a");
    stream.join(one);
    await settle(5);
    for (const odd of [{}, { type: 5 }, { type: "" }]) bus.publishRaw(odd);
    await publish("session.renamed", "ses_1");
    expect(one.got).toEqual(["session.renamed ses_1"]);
  });

  it("passes to another member when the subscriber leaves, which then compares everything", async () => {
    const { bus, clock, stream, member, publish } = createWorld();
    const [one, two] = [member("/a"), member("/b")];
    const leave = stream.join(one);
    stream.join(two);
    await settle(5);
    leave();
    leave();
    await settle(5);
    expect(bus.subscribers).toBe(1);
    await publish("session.renamed", "ses_1", "/a");
    await clock.advance(1000);
    expect(one.got).toEqual([]);
    expect(two.got).toEqual(["session.renamed ses_1"]);
    expect([one.losses, two.losses]).toEqual([0, 1]);
  });

  it("ends its subscription with the last member, and begins anew with the next", async () => {
    const { bus, stream, member, publish } = createWorld();
    stream.join(member("/a"))();
    await settle(5);
    expect(bus.subscribers).toBe(0);
    const next = member("/a");
    stream.join(next);
    await settle(5);
    await publish("session.renamed", "ses_1");
    expect(next.got).toEqual(["session.renamed ses_1"]);
    expect(next.losses).toBe(0);
  });

  it.each([
    ["fails", new Error("could not encode an event")],
    ["is ended by the host", null],
  ])("that %s is subscribed to again, and the loss is told once", async (_, error) => {
    const { bus, clock, stream, member, publish, log } = createWorld();
    const one = member("/a");
    stream.join(one);
    await settle(5);
    bus.endStreams(error);
    await settle(5);
    expect(bus.subscribers).toBe(0);
    await clock.advance(250);
    expect(bus.subscribers).toBe(1);
    await publish("session.renamed", "ses_1");
    await clock.advance(5000);
    expect(one.got).toEqual(["session.renamed ses_1"]);
    expect(one.losses).toBe(1);
    expect(log.lines.map(({ level }) => level)).toEqual(["warn"]);
  });

  it("that keeps failing is tried less and less often, in one log line, by each member in turn", async () => {
    const { clock, stream, member, log } = createWorld();
    const attempts: string[] = [];
    const broken = (name: string): Pick<EventBus, "subscribe"> => ({
      subscribe() {
        attempts.push(name);
        throw new Error("no stream");
      },
    });
    const one = member("/a", broken("one"));
    stream.join(one);
    stream.join(member("/b", broken("two")));
    await clock.advance(600_000);
    expect(attempts.length).toBeLessThan(25);
    expect(attempts.slice(0, 4)).toEqual(["one", "two", "one", "two"]);
    expect(one.losses).toBe(0);
    expect(log.lines).toHaveLength(1);
  });

  it("recovers through another member when its subscriber's context is dead", async () => {
    const { clock, stream, member, publish } = createWorld();
    const one = member("/a", {
      subscribe: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) }),
    });
    const two = member("/b");
    stream.join(one);
    stream.join(two);
    await clock.advance(2000);
    await publish("session.renamed", "ses_1", "/b");
    expect(two.got).toEqual(["session.renamed ses_1"]);
    expect(one.losses + two.losses).toBe(1);
  });

  it("leaves a stream whose iterator heeds no signal", async () => {
    const { clock, bus, stream, member, publish } = createWorld();
    const deaf = member("/a", { subscribe: () => bus.subscribe() });
    const leave = stream.join(deaf);
    await settle(5);
    leave();
    await publish("session.renamed", "ses_1");
    await clock.advance(1000);
    expect(deaf.got).toEqual([]);
    expect(bus.subscribers).toBe(0);
  });
});
