// SPDX-License-Identifier: Apache-2.0
// Looking for events by name and arguments, and going from one to the next. The server gives matches in order
// of time, a page at a time, from a given moment on.
import { signal } from "@preact/signals";
import { getBinary, getJson } from "../../../api/client";
import { wholeMatching } from "../../../lib/timeline_matching";
import { count } from "../../../lib/units";
import { viewShowing } from "../../../lib/viewport";
import { boxOf } from "./choice";
import type { Place, SearchDocument } from "./documents";
import type { TimelineModel } from "./model";

const PAGE = 1000;
const TYPING_MS = 220;

export class Search {
  readonly found = signal<SearchDocument | null>(null);
  readonly current = signal<Place | null>(null);
  readonly problem = signal("");
  // Per track what of a search by arguments is lit; null: names decide.
  matching: ReadonlyMap<number, Uint8Array> | null = null;
  private query = "";
  private offset: number | null = 0; // of the page held among all matches
  private timer = 0;
  private abort: AbortController | null = null;

  constructor(private readonly model: TimelineModel) {}

  ask(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.current.value = null;
    this.matching = null;
    this.problem.value = "";
    clearTimeout(this.timer);
    this.abort?.abort();
    if (query === "") {
      this.found.value = null;
      return;
    }
    this.timer = window.setTimeout(() => void this.fetch(0, 0), TYPING_MS);
  }

  private async fetch(near: number, offset: number | null): Promise<SearchDocument | null> {
    this.abort?.abort();
    this.abort = new AbortController();
    const { signal: stop } = this.abort;
    try {
      const found = await getJson<SearchDocument>(
        `profiles/${this.model.profile}/timeline/search`,
        { q: this.query, limit: PAGE, near: near > 0 ? Math.floor(near) : null },
        stop,
      );
      if (stop.aborted) return null;
      if (found.by_arguments && this.matching === null) await this.light(stop);
      if (stop.aborted) return null;
      this.found.value = found;
      this.offset = near > 0 ? offset : 0;
      this.problem.value = "";
      return found;
    } catch (error) {
      if (stop.aborted) return null;
      this.problem.value = error instanceof Error ? error.message : String(error);
      this.found.value = null;
      return null;
    }
  }

  // Only the server knows the arguments of events: it says which ones match.
  private async light(stop: AbortSignal): Promise<void> {
    const { model, query: q } = this;
    const path = `profiles/${model.profile}/timeline/matching`;
    const lit = new Map<number, Uint8Array>();
    for (const { id, file } of model.layout.groups) {
      const bits = await wholeMatching((skip) => getBinary(path, { q, file, skip: skip || null }, stop));
      for (const track of model.layout.tracks) if (track.group === id) lit.set(track.id, bits);
    }
    if (stop.aborted) return;
    this.matching = lit;
    model.relight();
  }

  // The number of the current match among all, if it is known.
  get position(): number | null {
    const at = this.current.value ? (this.found.value?.matches.indexOf(this.current.value) ?? -1) : -1;
    return at < 0 || this.offset === null ? null : this.offset + at + 1;
  }

  // The next match after the current one, or after the beginning of what is in view; around at the end.
  async go(forward: boolean): Promise<void> {
    if (this.query === "") return;
    clearTimeout(this.timer);
    const found = this.found.value ?? (await this.fetch(0, 0));
    if (!found || found.total === 0) return;
    const next = forward ? await this.after(found) : await this.before(found);
    if (next) this.take(next);
  }

  private indexIn(found: SearchDocument): number {
    const current = this.current.value;
    return current ? found.matches.findIndex((m) => m.file === current.file && m.row === current.row) : -1;
  }

  private async after(found: SearchDocument): Promise<Place | undefined> {
    const { matches } = found;
    const at = this.indexIn(found);
    const from = this.model.scene.viewport.start;
    const here = at >= 0 ? matches[at + 1] : matches.find((match) => match.start_ns >= from);
    if (here && (at >= 0 || this.offset === 0)) return here;
    if (found.total > matches.length) {
      const last = matches[matches.length - 1]?.start_ns ?? 0;
      const offset = at >= 0 && this.offset !== null ? this.offset + matches.length : null;
      const page = await this.fetch(at >= 0 ? last + 1 : from, offset);
      if (page?.matches[0]) return page.matches[0];
      return (await this.fetch(0, 0))?.matches[0];
    }
    return matches[0];
  }

  // The server only looks forward: pages are fetched from ever earlier on, until one holds a match before.
  private async before(found: SearchDocument): Promise<Place | undefined> {
    const at = this.indexIn(found);
    if (at > 0) return found.matches[at - 1];
    const { viewport } = this.model.scene;
    const limit = this.current.value?.start_ns ?? viewport.end;
    const earlier = (page: SearchDocument): Place | undefined =>
      page.matches.findLast((match) => match.start_ns < limit);
    if (at < 0 && found.total <= found.matches.length) return earlier(found) ?? found.matches.at(-1);
    if (at === 0 && this.offset === 0) return found.matches.at(-1);
    for (let back = viewport.span / 64; ; back *= 16) {
      const page = await this.fetch(limit - back, null);
      const match = page ? earlier(page) : undefined;
      if (match || !page || back > limit) return match;
    }
  }

  private take(next: Place): void {
    this.current.value = next;
    const { model } = this;
    const total = count(this.found.value?.total ?? 0);
    model.said.value = `Match ${this.position ?? ""} of ${total}: ${next.name}`;
    const view = viewShowing(model.scene.viewport, next.start_ns, next.duration_ns);
    model.reveal(next);
    model.motion.glide(view);
    model.choose(next, boxOf(next));
  }

  close(): void {
    clearTimeout(this.timer);
    this.abort?.abort();
  }
}
