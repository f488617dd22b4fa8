// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ChangeFollower, type Line } from "./change_follower";
import { BEAT_MS, type FromHub, type FromTab } from "./change_hub";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class MadeUpLine implements Line {
  readonly said: FromTab[] = [];
  closed = false;
  constructor(
    readonly hear: (message: FromHub) => void,
    readonly fail: () => void,
  ) {}
  say(message: FromTab): void {
    this.said.push(message);
  }
  close(): void {
    this.closed = true;
  }
}

function stage({ hub = true } = {}) {
  const state = { visible: true, busy: false, server: (): Promise<string> => Promise.resolve("list") };
  const lines: MadeUpLine[] = [];
  const took: string[] = [];
  const troubles: unknown[] = [];
  let asked = 0;
  const follower = new ChangeFollower({
    connect: (hear, fail) => {
      if (!hub) return null;
      lines.push(new MadeUpLine(hear, fail));
      return lines.at(-1) as Line;
    },
    ask: () => {
      asked += 1;
      return state.server();
    },
    take: (event, data) => {
      took.push(`${event} ${data}`);
      return data !== "unknown";
    },
    takeList: (list) => took.push(`profiles ${list}`),
    trouble: (error) => troubles.push(error),
    isBusy: () => state.busy,
    isVisible: () => state.visible,
  });
  return {
    state,
    lines,
    took,
    troubles,
    follower,
    line: (): MadeUpLine => lines.at(-1) as MadeUpLine,
    asksIn: async (ms: number): Promise<number> => {
      const before = asked;
      await vi.advanceTimersByTimeAsync(ms);
      return asked - before;
    },
  };
}

it("asks for the first list and not again while the stream is open", async () => {
  const { follower, line, took, asksIn } = stage();
  follower.start();
  expect(line().said).toEqual(["here"]);
  line().hear({ live: true });
  line().hear({ event: "progress", data: "half" });
  expect(await asksIn(10_000)).toBe(0); // the first was asked by start()
  expect(took).toEqual(["progress half", "profiles list"]);
});

it("asks every few seconds where there is no hub, more often while something is read", async () => {
  const { follower, state, asksIn } = stage({ hub: false });
  follower.start();
  expect(await asksIn(30_000)).toBe(10);
  state.busy = true;
  await asksIn(3000);
  expect(await asksIn(5000)).toBe(10);
});

it("asks while the stream is refused, until it opens", async () => {
  const { follower, line, asksIn } = stage();
  follower.start();
  line().hear({ live: false });
  expect(await asksIn(9000)).toBe(3);
  line().hear({ live: true });
  line().hear({ event: "profiles", data: "new" });
  expect(await asksIn(9000)).toBe(0);
});

it("does not ask from a hidden tab, and at once when it comes to the front", async () => {
  const { follower, state, asksIn } = stage({ hub: false });
  follower.start();
  await asksIn(0);
  state.visible = false;
  expect(await asksIn(600_000)).toBe(1); // the one that was due
  state.visible = true;
  follower.wake();
  expect(await asksIn(6000)).toBe(2);
});

it("says why nothing comes as soon as the stream ends, and that it does again", async () => {
  const { follower, line, state, troubles, asksIn } = stage();
  follower.start();
  line().hear({ live: true });
  await asksIn(0);
  const gone = new Error("gone");
  state.server = () => Promise.reject(gone);
  line().hear({ live: false });
  await asksIn(0);
  expect(troubles).toEqual([null, gone]);
  state.server = () => Promise.resolve("list");
  await asksIn(3000);
  expect(troubles).toEqual([null, gone, null]);
});

it("asks the server anew whenever the stream opens: it may be another, with nothing to tell yet", async () => {
  const { follower, line, state, took, asksIn } = stage();
  follower.start();
  line().hear({ live: true });
  await asksIn(0);
  state.server = () => new Promise(() => {});
  line().hear({ live: false });
  await asksIn(0);
  follower.stop();
  state.server = () => Promise.resolve("of another server");
  follower.start();
  line().hear({ live: true });
  await asksIn(0);
  expect(took).toEqual(["profiles list", "profiles of another server"]);
});

it("drops an answer that an event has overtaken", async () => {
  const { follower, line, state, took, asksIn } = stage();
  let answer = (_: string): void => {};
  state.server = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  follower.start();
  line().hear({ live: true });
  line().hear({ event: "profiles", data: "new" });
  answer("old");
  expect(await asksIn(0)).toBe(0);
  expect(took).toEqual(["profiles new"]);
});

it("goes on asking after an answer that is no list", async () => {
  const { follower, state, troubles, asksIn } = stage({ hub: false });
  follower.start();
  await asksIn(0);
  state.server = () => Promise.reject(new SyntaxError("<html>"));
  expect(await asksIn(6000)).toBe(2);
  expect(troubles.at(-1)).toBeInstanceOf(SyntaxError);
});

it("shows signs of life, and looks for another hub when one does not answer", async () => {
  const { follower, line, lines, asksIn } = stage();
  follower.start();
  line().hear({ live: true });
  await asksIn(BEAT_MS);
  expect(lines).toHaveLength(1);
  expect(line().said).toEqual(["here", "here"]);
  expect(await asksIn(BEAT_MS)).toBeGreaterThan(0);
  expect(lines).toHaveLength(2);
  expect(lines[0]?.closed).toBe(true);
  expect(line().said).toEqual(["here"]);
  lines[0]?.hear({ live: true }); // too late
  expect(await asksIn(6000)).toBe(2);
});

it("asks by itself where the hub could not be loaded, and tries it again later", async () => {
  const { follower, line, lines, asksIn } = stage();
  follower.start();
  line().fail();
  expect(await asksIn(9000)).toBe(3);
  await asksIn(BEAT_MS);
  expect(lines).toHaveLength(2);
});

it("says goodbye when the page is left, and is there again when it is shown again", async () => {
  const { follower, line, lines, asksIn } = stage();
  follower.start();
  line().hear({ live: true });
  await asksIn(0);
  follower.stop();
  expect(line().said).toEqual(["here", "leaving"]);
  expect(line().closed).toBe(true);
  expect(await asksIn(600_000)).toBe(0);
  follower.start();
  expect(lines).toHaveLength(2);
  expect(line().said).toEqual(["here"]);
});

it("asks for the list when an event builds on what it does not know, once more if that comes too late", async () => {
  const { follower, state, line, took, asksIn } = stage();
  follower.start();
  line().hear({ live: true });
  await asksIn(10);
  line().hear({ event: "profiles", data: "unknown" });
  expect(await asksIn(9000)).toBe(0); // asked at once
  expect(took).toEqual(["profiles list", "profiles unknown", "profiles list"]);
  let answer: (list: string) => void = () => {};
  state.server = () => new Promise((resolve) => (answer = resolve));
  line().hear({ event: "profiles", data: "unknown" });
  line().hear({ event: "profiles", data: "unknown" });
  state.server = () => Promise.resolve("newer");
  answer("older");
  expect(await asksIn(9000)).toBe(1);
  expect(took.slice(-2)).toEqual(["profiles older", "profiles newer"]);
});
