// SPDX-License-Identifier: Apache-2.0
// Looking for events by a part of their name, and going from one to the next. The server gives matches in order
// of time, a page at a time, from a given moment on.
import { signal } from "@preact/signals";
import { getJson } from "../../api/client";
import { count } from "../../lib/units";
import { type Place, readSearch, type SearchDocument } from "./documents";
import type { TimelineModel } from "./model";

const PAGE = 1000;
const TYPING_MS = 220;

export class Search {
  readonly found = signal<SearchDocument | null>(null);
  readonly current = signal<Place | null>(null);
  readonly problem = signal("");
  private query = "";
  private timer = 0;
  private abort: AbortController | null = null;

  constructor(private readonly model: TimelineModel) {}

  ask(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.current.value = null;
    clearTimeout(this.timer);
    this.abort?.abort();
    if (query === "") {
      this.found.value = null;
      return;
    }
    this.timer = window.setTimeout(() => void this.fetch(0), TYPING_MS);
  }

  private async fetch(near: number): Promise<SearchDocument | null> {
    this.abort?.abort();
    this.abort = new AbortController();
    const { signal: stop } = this.abort;
    try {
      const answer = await getJson<unknown>(
        `profiles/${this.model.profile}/timeline/search`,
        { q: this.query, limit: PAGE, near: near > 0 ? Math.floor(near) : null },
        stop,
      );
      if (stop.aborted) return null;
      this.found.value = readSearch(answer);
      this.problem.value = "";
      return this.found.value;
    } catch (error) {
      if (!stop.aborted) this.problem.value = error instanceof Error ? error.message : String(error);
      return null;
    }
  }

  // The next match after the current one, or after the beginning of what is in view; around at the end.
  async go(forward: boolean): Promise<void> {
    if (this.query === "") return;
    clearTimeout(this.timer);
    const found = this.found.value ?? (await this.fetch(0));
    if (!found || found.total === 0) return;
    const matches = found.matches;
    const current = this.current.value;
    const at = current ? matches.findIndex((m) => m.file === current.file && m.row === current.row) : -1;
    let next: Place | undefined;
    if (at >= 0) next = matches[at + (forward ? 1 : -1)];
    else {
      const from = this.model.scene.viewport.start;
      const after = matches.findIndex((match) => match.start_ns >= from);
      next = forward ? matches[after] : matches[(after < 0 ? matches.length : after) - 1];
    }
    if (!next && found.total > matches.length) {
      const last = matches[matches.length - 1]?.start_ns ?? 0;
      const page = await this.fetch(forward ? last + 1 : 0);
      next = forward ? page?.matches[0] : page?.matches[page.matches.length - 1];
    }
    next ??= forward ? matches[0] : matches[matches.length - 1];
    if (!next) return;
    this.current.value = next;
    const index = (this.found.value?.matches ?? []).indexOf(next);
    this.model.said.value = `Match ${index + 1} of ${count(found.total)}: ${next.name}`;
    const view = this.model.viewFor(next);
    this.model.reveal(next);
    this.model.motion.glide(view);
    this.model.choose(next, {
      track: next.track,
      depth: next.depth,
      start: next.start_ns,
      duration: next.duration_ns,
    });
  }

  close(): void {
    clearTimeout(this.timer);
    this.abort?.abort();
  }
}
