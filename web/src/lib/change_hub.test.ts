// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BEAT_MS, ChangeHub, type FromHub, type StreamEvents, type Tab } from "./change_hub";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class MadeUpStream {
  closed = false;
  constructor(readonly events: StreamEvents) {}
  close(): void {
    this.closed = true;
  }
}

function makeHub() {
  const streams: MadeUpStream[] = [];
  const hub = new ChangeHub((events) => {
    const stream = new MadeUpStream(events);
    streams.push(stream);
    return stream;
  });
  const newest = (): MadeUpStream => streams.at(-1) as MadeUpStream;
  return { hub, streams, newest };
}

const tab = (): Tab & { heard: FromHub[] } => {
  const heard: FromHub[] = [];
  return { heard, postMessage: (message) => heard.push(message) };
};

it("opens one stream for all tabs, and each of them hears what comes", () => {
  const { hub, streams, newest } = makeHub();
  const tabs = Array.from({ length: 9 }, tab);
  for (const each of tabs) hub.here(each);
  newest().events.opened();
  newest().events.came("profiles", "one");
  expect(streams).toHaveLength(1);
  for (const each of tabs)
    expect(each.heard).toEqual([{ live: false }, { live: true }, { event: "profiles", data: "one" }]);
});

it("tells a tab that comes later the last value of each event, the newest last", () => {
  const { hub, newest } = makeHub();
  hub.here(tab());
  newest().events.opened();
  newest().events.came("profiles", "loading");
  newest().events.came("progress", "half");
  newest().events.came("profiles", "ready");
  const late = tab();
  hub.here(late);
  expect(late.heard).toEqual([
    { live: true },
    { event: "progress", data: "half" },
    { event: "profiles", data: "ready" },
  ]);
});

it("answers each sign of life, without repeating the events", () => {
  const { hub, newest } = makeHub();
  const one = tab();
  hub.here(one);
  newest().events.opened();
  newest().events.came("profiles", "one");
  one.heard.length = 0;
  hub.here(one);
  expect(one.heard).toEqual([{ live: true }]);
});

it("closes the stream with the last tab, and opens another for the next", () => {
  const { hub, streams, newest } = makeHub();
  const [one, two] = [tab(), tab()];
  hub.here(one);
  hub.here(two);
  newest().events.opened();
  newest().events.came("profiles", "old");
  hub.leave(one);
  expect(newest().closed).toBe(false);
  hub.leave(two);
  expect(newest().closed).toBe(true);
  const three = tab();
  hub.here(three);
  expect(streams).toHaveLength(2);
  expect(three.heard).toEqual([{ live: false }]);
});

it("drops a tab that is silent for long, and takes it in again when it speaks", () => {
  const { hub, newest } = makeHub();
  const [crashed, alive] = [tab(), tab()];
  hub.here(crashed);
  hub.here(alive);
  newest().events.opened();
  for (let minute = 0; minute < 4; ++minute) {
    vi.advanceTimersByTime(3 * BEAT_MS); // as seldom as a hidden tab speaks
    hub.here(alive);
  }
  crashed.heard.length = 0;
  newest().events.came("profiles", "new");
  expect(crashed.heard).toEqual([]);
  expect(alive.heard.at(-1)).toEqual({ event: "profiles", data: "new" });
  hub.here(crashed);
  expect(crashed.heard).toEqual([{ live: true }, { event: "profiles", data: "new" }]);
});

it("closes the stream when all tabs are silent, and opens another when one speaks", () => {
  const { hub, streams, newest } = makeHub();
  const frozen = tab();
  hub.here(frozen);
  newest().events.opened();
  vi.advanceTimersByTime(10 * BEAT_MS);
  newest().events.came("profiles", "unheard");
  expect(newest().closed).toBe(true);
  hub.here(frozen);
  expect(streams).toHaveLength(2);
});

it("tries again after a lost or refused stream, ever less often", () => {
  const { hub, streams, newest } = makeHub();
  const one = tab();
  hub.here(one);
  newest().events.opened();
  const waits: number[] = [];
  for (let attempt = 0; attempt < 6; ++attempt) {
    newest().events.ended();
    expect(newest().closed).toBe(true);
    const [count, since] = [streams.length, Date.now()];
    while (streams.length === count) vi.advanceTimersByTime(500);
    waits.push(Date.now() - since);
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
  newest().events.opened();
  expect(one.heard.at(-1)).toEqual({ live: true });
  newest().events.ended();
  vi.advanceTimersByTime(1000);
  expect(streams).toHaveLength(8);
});

it("tries at once when a tab is opened meanwhile, and only once", () => {
  const { hub, streams, newest } = makeHub();
  hub.here(tab());
  newest().events.ended();
  hub.here(tab());
  expect(streams).toHaveLength(2);
  vi.advanceTimersByTime(60_000);
  expect(streams).toHaveLength(2);
});

it("stops trying when no tab is left", () => {
  const { hub, streams, newest } = makeHub();
  const one = tab();
  hub.here(one);
  newest().events.ended();
  hub.leave(one);
  vi.advanceTimersByTime(60_000);
  expect(streams).toHaveLength(1);
});

it("keeps nothing of a server that is gone", () => {
  const { hub, newest } = makeHub();
  hub.here(tab());
  newest().events.opened();
  newest().events.came("profiles", "of the first server");
  const first = newest();
  first.events.ended();
  vi.advanceTimersByTime(1000);
  first.events.came("profiles", "too late");
  newest().events.opened();
  const late = tab();
  hub.here(late);
  expect(late.heard).toEqual([{ live: true }]);
});
