// SPDX-License-Identifier: Apache-2.0
// One stream of the server's changes, handed on to all tabs of a browser. A browser opens six connections to a server:
// with a stream for each tab, the seventh would have none left to ask with. Runs in a shared worker
// (state/changes_worker.ts), but knows neither worker nor stream.

// To a tab: whether the stream is open, and what comes through it.
export type FromHub = { readonly live: boolean } | { readonly event: string; readonly data: string };
// From a tab: every BEAT_MS, answered with `live`; and the last word.
export type FromTab = "here" | "leaving";

export interface Tab {
  postMessage(message: FromHub): void;
}

export interface StreamEvents {
  readonly opened: () => void;
  readonly came: (event: string, data: string) => void;
  readonly ended: () => void; // lost or refused
}
export interface Stream {
  close(): void;
}

export const BEAT_MS = 20_000;
// A tab that crashed says nothing. Browsers let the timers of hidden tabs run once a minute, and those of frozen ones
// not at all: such a tab is taken in again when it speaks.
const SILENT_MS = 180_000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;

export class ChangeHub {
  private readonly tabs = new Map<Tab, number>(); // when each was heard last
  // The last value of each event, for a tab that comes later; the newest is the last. Only what this stream brought:
  // behind the next one may be another server.
  private readonly kept = new Map<string, string>();
  private stream: Stream | null = null;
  private live = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private retryMs = FIRST_RETRY_MS;

  constructor(private readonly openStream: (events: StreamEvents) => Stream) {}

  here(tab: Tab): void {
    const isNew = !this.tabs.has(tab);
    this.tabs.set(tab, Date.now());
    this.dropSilent();
    tab.postMessage({ live: this.live });
    if (!isNew) return;
    for (const [event, data] of this.kept) tab.postMessage({ event, data });
    if (this.stream === null) this.open(); // whoever opens a tab does not wait for the next attempt
  }

  leave(tab: Tab): void {
    this.tabs.delete(tab);
    if (this.tabs.size === 0) this.close();
  }

  private dropSilent(): void {
    const now = Date.now();
    for (const [tab, heard] of this.tabs) if (now - heard > SILENT_MS) this.leave(tab);
  }

  private tell(message: FromHub): void {
    this.dropSilent();
    for (const tab of this.tabs.keys()) tab.postMessage(message);
  }

  private open(): void {
    clearTimeout(this.retry);
    const stream: Stream = this.openStream({
      opened: () => {
        if (this.stream !== stream) return;
        this.live = true;
        this.retryMs = FIRST_RETRY_MS;
        this.tell({ live: true });
      },
      came: (event, data) => {
        if (this.stream !== stream) return;
        this.kept.delete(event);
        this.kept.set(event, data);
        this.tell({ event, data });
      },
      ended: () => {
        if (this.stream !== stream) return;
        this.close();
        this.tell({ live: false });
        if (this.tabs.size === 0) return;
        this.retry = setTimeout(() => this.open(), this.retryMs);
        this.retryMs = Math.min(2 * this.retryMs, LONGEST_RETRY_MS);
      },
    });
    this.stream = stream;
  }

  private close(): void {
    clearTimeout(this.retry);
    this.stream?.close();
    this.stream = null;
    this.live = false;
    this.kept.clear();
  }
}
