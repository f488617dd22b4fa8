// SPDX-License-Identifier: Apache-2.0
// Keeps the data of what is in view at hand: asks a moment after the view changed, gives up on answers that are no
// longer of use, and once all is there fetches the coarse data of the whole trace for the tracks in sight.
import { signal } from "@preact/signals";
import { getBinary } from "../../../api/client";
import { decodeCounter, wholeView } from "../../../lib/spans";
import { isCurve, type Track } from "../../../lib/timeline_layout";
import { type CurveRequest, plan, type SpanRequest } from "../../../lib/timeline_plan";
import { spanSlice } from "../../../lib/timeline_slices";
import type { TimelineModel } from "./model";

const SETTLE_MS = 50;
const AT_LEAST_EVERY_MS = 160;
const WHOLE_PIXELS = 800;
const AT_ONCE = 4; // requests under way

type Request = (SpanRequest | CurveRequest) & { readonly keep: boolean };
interface Pending {
  readonly request: Request;
  readonly abort: AbortController;
}

export class Loader {
  readonly busy = signal(false);
  readonly problem = signal("");
  // Set by whoever draws the small map.
  onWhole: () => void = () => {};
  private readonly pending = new Map<string, Pending>();
  private timer = 0;
  private since = 0;
  private wanted = 0;
  private closed = false;

  constructor(private readonly model: TimelineModel) {}

  want(): void {
    this.wanted = performance.now();
    if (this.timer !== 0) return;
    this.since = this.wanted;
    this.timer = window.setTimeout(this.tick, SETTLE_MS);
  }
  // While the view keeps moving the question waits, but not forever.
  private readonly tick = (): void => {
    const now = performance.now();
    const left = SETTLE_MS - (now - this.wanted);
    if (left > 1 && now - this.since < AT_LEAST_EVERY_MS) {
      this.timer = window.setTimeout(this.tick, left);
      return;
    }
    this.timer = 0;
    this.update();
  };

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const { abort } of this.pending.values()) abort.abort();
    this.pending.clear();
  }

  // The tracks in sight and a little beyond, each once.
  private inSight(): Track[] {
    const { arranged, scroll } = this.model.scene;
    const room = this.model.stageHeight;
    const tracks: Track[] = [];
    for (const item of arranged.pinned) if (item.track) tracks.push(item.track);
    for (const item of arranged.items) {
      if (item.y + item.height < scroll - room * 0.3 || item.y > scroll + room * 1.3) continue;
      if (item.track) tracks.push(item.track);
    }
    return tracks;
  }

  private update(): void {
    const { scene } = this.model;
    if (this.closed || this.model.stageHeight === 0) return;
    const { viewport } = scene;
    const view = { start: Math.max(viewport.start, 0), end: Math.min(viewport.end, viewport.duration) };
    const ratio = Math.min(devicePixelRatio || 1, 3);
    const pixels = (viewport.width * ratio * (view.end - view.start)) / viewport.span;
    const tracks = this.inSight();
    this.dropStale(view.start, view.end, (view.end - view.start) / pixels);
    const wanted = plan(view, pixels, tracks, scene.store, viewport.duration);
    for (const request of [...wanted.spans, ...wanted.curves]) this.start({ ...request, keep: false });
    if (this.pending.size === 0) this.wholeOf(tracks);
    this.busy.value = this.pending.size > 0;
  }

  // What the small map shows comes first of all.
  wholeOf(tracks: readonly Track[]): void {
    const { store, viewport } = this.model.scene;
    const missing = tracks.filter(
      (t) => (isCurve(t) ? store.wholeCurve(t.id) : store.wholeSpans(t.id)) === null,
    );
    const duration = Math.ceil(viewport.duration);
    const window = { start: 0, end: duration, width: WHOLE_PIXELS, nsPerPixel: duration / WHOLE_PIXELS };
    const spans = missing.filter((track) => !isCurve(track)).map((track) => track.id);
    if (spans.length > 0) this.start({ ...window, tracks: spans, keep: true });
    for (const track of missing) if (isCurve(track)) this.start({ ...window, track: track.id, keep: true });
  }

  private dropStale(start: number, end: number, nsPerPixel: number): void {
    for (const [key, { request, abort }] of this.pending) {
      const apart = request.end <= start || request.start >= end;
      const detail = request.nsPerPixel / nsPerPixel;
      if (request.keep || (!apart && detail < 2 && detail > 0.2)) continue;
      abort.abort();
      this.pending.delete(key);
    }
  }

  private start(request: Request): void {
    const key = "track" in request ? `c${request.track}` : `s${request.tracks.join()}`;
    const whole = `${key} ${request.start} ${request.end} ${request.width}`;
    if (this.pending.has(whole) || this.pending.size >= AT_ONCE) return;
    const abort = new AbortController();
    this.pending.set(whole, { request, abort });
    this.fetch(request, abort.signal)
      .then(
        () => {
          this.problem.value = "";
        },
        (error: unknown) => {
          if (!abort.signal.aborted)
            this.problem.value = error instanceof Error ? error.message : String(error);
        },
      )
      .finally(() => {
        if (this.pending.get(whole)?.abort === abort) this.pending.delete(whole);
        if (this.pending.size === 0) this.busy.value = false;
        if (this.problem.value === "") this.want();
      });
  }

  private async fetch(request: Request, stop: AbortSignal): Promise<void> {
    const base = `profiles/${this.model.profile}/timeline`;
    const { start, end, width, nsPerPixel, keep } = request;
    const { store, names } = this.model.scene;
    if ("track" in request) {
      const { track } = request;
      const buffer = await getBinary(`${base}/counter`, { track, start: String(start), end, width }, stop);
      if (stop.aborted) return;
      const table = decodeCounter(buffer);
      store.addCurve({ table, track, start, end, nsPerPixel, keep, used: 0 });
      if (keep) {
        const peak = table.high.reduce((most, value) => Math.max(most, value), 0);
        this.model.peaks.value = new Map(this.model.peaks.value).set(track, peak);
      }
    } else {
      const tracks = request.tracks.join();
      const query = { start: String(start), end, width, tracks };
      const table = await wholeView((skip) =>
        getBinary(`${base}/spans`, { ...query, skip: skip || null }, stop),
      );
      if (stop.aborted) return;
      names.adopt(table.name, table.names);
      this.model.see(table.category);
      store.addSpans(spanSlice(table, request.tracks, start, end, nsPerPixel, keep));
      if (this.model.scene.lit.names !== null) this.model.relight();
    }
    if (keep) {
      this.onWhole();
      this.model.showAwaited();
    }
    this.model.redraw();
  }

  retry(): void {
    this.problem.value = "";
    this.want();
  }
}
