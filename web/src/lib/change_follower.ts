// SPDX-License-Identifier: Apache-2.0
// How a tab keeps its list of profiles current: from the hub that all tabs of the browser share (change_hub.ts), and
// by asking again and again as long as that brings nothing: there are no shared workers, the server refuses the
// stream, or it is gone. Knows neither page nor network.
import { BEAT_MS, type FromHub, type FromTab } from "./change_hub";

export interface Line {
  say(message: FromTab): void;
  close(): void;
}

export interface FollowerParts {
  // null where there is no hub to be had.
  readonly connect: (heard: (message: FromHub) => void, failed: () => void) => Line | null;
  readonly ask: (signal: AbortSignal) => Promise<string>; // the whole list
  readonly takeList: (list: string) => void;
  readonly take: (event: string, data: string) => boolean; // false: it needs the whole list
  readonly trouble: (error: unknown) => void; // why nothing comes; null: it does
  readonly isBusy: () => boolean; // something is being read: its progress is looked at
  readonly isVisible: () => boolean;
}

const ASK_MS = 3000;
const ASK_BUSY_MS = 500;

export class ChangeFollower {
  private line: Line | null = null;
  private live = false; // the stream is open
  private answered = false; // the hub, since it was spoken to
  private asked: AbortController | null = null;
  private again = false; // ask again once it is answered
  private askTimer: ReturnType<typeof setTimeout> | undefined;
  private beatTimer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly parts: FollowerParts) {}

  start(): void {
    this.stop();
    this.connect();
    this.beatTimer = setInterval(() => this.beat(), BEAT_MS);
    this.ask();
  }

  stop(): void {
    this.disconnect();
    clearInterval(this.beatTimer);
    clearTimeout(this.askTimer);
    this.asked?.abort();
    this.asked = null;
  }

  // The tab came to the front: it may have slept, and the hub have given it up.
  wake(): void {
    this.line?.say("here");
    this.ask();
  }

  private connect(): void {
    this.disconnect();
    const line = this.parts.connect(
      (message) => {
        if (this.line === line) this.hear(message);
      },
      () => {
        if (this.line === line) this.disconnect();
      },
    );
    this.line = line;
    this.line?.say("here");
  }

  private disconnect(): void {
    this.line?.say("leaving");
    this.line?.close();
    this.line = null;
    this.live = false;
    this.answered = false;
  }

  // A hub that does not answer died with the process it ran in.
  private beat(): void {
    if (this.answered) {
      this.answered = false;
      this.line?.say("here");
      return;
    }
    const wasLive = this.live;
    this.connect();
    if (wasLive) this.ask();
  }

  private hear(message: FromHub): void {
    this.answered = true;
    if ("event" in message) {
      const taken = this.parts.take(message.event, message.data);
      if (message.event !== "profiles") return;
      if (!taken) {
        this.askAnew();
        return;
      }
      // Newer than any answer under way.
      this.asked?.abort();
      this.asked = null;
      this.parts.trouble(null);
      clearTimeout(this.askTimer);
    } else if (message.live !== this.live) {
      // A server that has not seen a change yet sends no event, and why a stream ended only an answer tells.
      this.live = message.live;
      this.ask();
    }
  }

  // An answer under way may be older than what needs it.
  private askAnew(): void {
    if (this.asked === null) this.ask();
    else this.again = true;
  }

  private async ask(): Promise<void> {
    clearTimeout(this.askTimer);
    if (this.asked !== null) return;
    this.again = false;
    const asked = new AbortController();
    this.asked = asked;
    let error: unknown = null;
    try {
      const list = await this.parts.ask(asked.signal);
      if (this.asked === asked) this.parts.takeList(list);
    } catch (caught) {
      error = caught;
    }
    if (this.asked !== asked) return;
    this.asked = null;
    this.parts.trouble(error);
    if (this.again && error === null) {
      this.ask();
      return;
    }
    if ((error !== null || !this.live) && this.parts.isVisible())
      this.askTimer = setTimeout(() => this.ask(), this.parts.isBusy() ? ASK_BUSY_MS : ASK_MS);
  }
}
