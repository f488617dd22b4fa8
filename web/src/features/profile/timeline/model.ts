// SPDX-License-Identifier: Apache-2.0
// The state of one open timeline: the scene that is drawn, and what of it the panels show, as signals. The
// address decides: everything chosen is written there, and what is read there is applied here.
import { signal } from "@preact/signals";
import { type Box, placesOf, type Scene } from "../../../canvas/scene";
import { trackLabels } from "../../../lib/timeline_labels";
import {
  type Arranged,
  arrange,
  initiallyCollapsed,
  type Layout,
  type Track,
} from "../../../lib/timeline_layout";
import { litCategories, litNames } from "../../../lib/timeline_lit";
import { type Mark, readMarks, toggled, writeMarks } from "../../../lib/timeline_marks";
import { NameTable } from "../../../lib/timeline_names";
import { SliceStore } from "../../../lib/timeline_slices";
import { stepsRange } from "../../../lib/timeline_steps";
import * as url from "../../../lib/timeline_url";
import { type TimeRange, Viewport, viewShowing, withRoom } from "../../../lib/viewport";
import { changed, go, type Params, params, set } from "../../../state/route";
import { Choice } from "./choice";
import type { Place } from "./documents";
import { Loader } from "./loader";
import { Motion } from "./motion";
import { Search } from "./search";

const REST_MS = 180; // without movement, until the address is written

export class TimelineModel {
  readonly scene: Scene;
  readonly loader: Loader;
  readonly motion: Motion;
  readonly search: Search;
  readonly choice: Choice;
  readonly tracks: ReadonlyMap<number, Track>;
  readonly labels: ReadonlyMap<number, string>; // short names of tracks, by id
  readonly initial: ReadonlySet<string>;
  readonly arranged = signal<Arranged>({ pinned: [], pinnedHeight: 0, items: [], height: 0 });
  readonly range = signal<TimeRange | null>(null);
  readonly marks = signal<readonly Mark[]>([]);
  readonly byName = signal(false); // colours: a name has one, instead of a category
  readonly view = signal<TimeRange>({ start: 0, end: 1 }); // at rest
  readonly said = signal(""); // for screen readers
  readonly peaks = signal<ReadonlyMap<number, number>>(new Map()); // of curves, over the whole trace
  readonly categories = signal<readonly string[]>([]); // that were seen so far
  // Set by whoever draws.
  redraw: () => void = () => {};
  redrawOver: () => void = () => {};
  scrollTo: (y: number) => void = () => {};
  stageHeight = 0;
  lastMark = 0; // where one was set last
  private resting = 0;
  private written = "";
  private applied: Params = {};
  private begun = false;
  private awaited = ""; // steps, "3..5"
  private movedAt = 0;

  constructor(
    readonly profile: string,
    readonly layout: Layout,
  ) {
    this.tracks = new Map(layout.tracks.map((track) => [track.id, track]));
    this.labels = trackLabels(layout.tracks);
    this.initial = initiallyCollapsed(layout);
    this.scene = {
      layout,
      viewport: new Viewport(layout.duration_ns),
      store: new SliceStore(),
      names: new NameTable(),
      lit: { categories: null, names: null, events: null },
      arranged: this.arranged.value,
      places: new Map(),
      scroll: 0,
      zero: 0,
      hover: null,
      selected: null,
      arrows: [],
      range: null,
      ranging: false,
      snaps: [],
      marks: [],
      pointer: null,
    };
    this.loader = new Loader(this);
    this.motion = new Motion(this.scene.viewport, () => this.moved());
    this.search = new Search(this);
    this.choice = new Choice(this);
  }

  // What the address says, as far as it is new.
  apply(next: Params): void {
    const before = this.applied;
    this.applied = next;
    const first = !this.begun;
    this.begun = true;
    const differs = (...keys: string[]) => first || keys.some((key) => before[key] !== next[key]);
    if (differs("collapsed", "hidden", "pinned", "rank")) this.rearrange();
    if (differs("zero")) this.scene.zero = Number(next.zero) || 0;
    if (differs("marks")) {
      this.marks.value = readMarks(next.marks);
      this.scene.marks = this.marks.value;
    }
    if (differs("sel")) {
      this.range.value = url.readRange(next);
      this.scene.range = this.range.value;
    }
    if (differs("colour")) this.byName.value = next.colour === "name";
    if (differs("q")) this.search.ask(next.q ?? "");
    if (differs("lit", "name", "q")) this.relight();
    if (differs("event")) this.choice.load(url.readEvent(next));
    if (differs("start", "end")) {
      const view = url.readView(next);
      if (view && `${next.start} ${next.end}` !== this.written) {
        if (first) this.motion.jump(view.start, view.end);
        else this.motion.glide(view);
      } else if (view === null && !first && this.written !== "-") this.motion.glide(this.whole);
    }
    if (differs("steps") && next.steps !== undefined && !(first && url.readView(next))) {
      this.awaited = next.steps;
      this.showAwaited();
    }
    this.redraw();
  }

  get whole(): TimeRange {
    return { start: this.scene.viewport.lowest, end: this.scene.viewport.highest };
  }

  // The steps that the address asks for, once it is known where they are.
  showAwaited(): void {
    const steps = this.layout.tracks.find((track) => track.kind === "steps");
    const slice = steps ? this.scene.store.wholeSpans(steps.id) : null;
    if (this.awaited === "" || !steps || !slice) return;
    const range = stepsRange(slice, steps.id, this.scene.names, this.awaited);
    this.awaited = "";
    if (range) this.motion.glide(withRoom(range.start, range.end, 0.02));
  }

  // Called for every change of what is in view.
  moved(): void {
    this.redraw();
    this.loader.want();
    this.movedAt = performance.now();
    if (this.resting === 0) this.resting = window.setTimeout(this.rest, REST_MS);
  }
  private readonly rest = (): void => {
    const left = REST_MS - (performance.now() - this.movedAt);
    this.resting = left > 1 ? window.setTimeout(this.rest, left) : 0;
    if (this.resting !== 0) return;
    const { viewport } = this.scene;
    this.view.value = { start: viewport.start, end: viewport.end };
    // Gliding there leaves a rounding error.
    const slack = (viewport.highest - viewport.lowest) * 1e-6;
    const isWhole = viewport.start <= viewport.lowest + slack && viewport.end >= viewport.highest - slack;
    const view = url.writeView(viewport.start, viewport.end);
    this.written = isWhole ? "-" : `${view.start} ${view.end}`;
    this.applied = changed(isWhole ? { start: null, end: null } : view);
    set(isWhole ? { start: null, end: null } : view);
  };

  rearrange(): void {
    const { groups } = this.layout;
    const rank = params.value.rank;
    const group = groups.find((g) => rank !== undefined && g.name === `rank ${rank}`);
    this.arranged.value = arrange(this.layout, {
      collapsed: this.collapsed,
      hidden: url.readIds(params.value.hidden),
      pinned: url.readIds(params.value.pinned),
      group: group?.id ?? null,
    });
    this.scene.arranged = this.arranged.value;
    this.scene.places = placesOf(this.layout, this.arranged.value);
    this.loader.want();
  }
  get collapsed(): ReadonlySet<string> {
    return url.readCollapsed(params.value, this.initial);
  }
  collapse(keys: readonly string[], closed: boolean): void {
    const next = new Set(this.collapsed);
    for (const key of keys) {
      if (closed) next.add(key);
      else next.delete(key);
    }
    set({ collapsed: url.writeCollapsed(next, this.initial) });
  }
  toggle(list: "hidden" | "pinned", track: number): void {
    const ids = new Set(url.readIds(params.value[list]));
    if (!ids.delete(track)) ids.add(track);
    set({ [list]: url.writeIds(ids) });
  }

  // What is lit; again when answers brought new names.
  relight(): void {
    const { lit, q, name } = params.value;
    this.scene.lit.categories = litCategories(this.layout.categories, lit ?? "");
    this.scene.lit.events = this.search.matching;
    this.scene.lit.names = this.search.matching
      ? null
      : litNames(this.scene.names, q ?? name ?? "", q === undefined);
    this.redraw();
  }

  // Choosing an event: by a click (box known), a link or the address.
  choose(ref: url.EventRef | null, box: Box | null = null, merged = 1): void {
    this.applied = changed({ event: ref ? url.writeEvent(ref) : null });
    set({ event: ref ? url.writeEvent(ref) : null });
    this.choice.load(ref, box, merged);
  }
  // An event that a link or the address named, not a click: it may be closed away, or elsewhere in time.
  show(place: Place): void {
    this.reveal(place);
    if (url.readView(params.value)) return;
    this.motion.glide(viewShowing(this.scene.viewport, place.start_ns, place.duration_ns));
  }

  see(column: Uint8Array): void {
    const { categories } = this.layout;
    const seen = new Uint8Array(256);
    for (let i = 0; i < column.length; i++) seen[column[i] as number] = 1;
    const known = this.categories.value;
    const next = categories.filter((c, i) => seen[i] === 1 || known.includes(c));
    if (next.length !== known.length) this.categories.value = next;
  }
  fileOf(track: number): number {
    const group = this.tracks.get(track)?.group;
    return this.layout.groups.find((g) => g.id === group)?.file ?? 0;
  }

  // To another event, as an entry of the history: Back returns.
  jump(place: Place): void {
    const next = this.addressOf(place);
    this.reveal(place);
    go(changed({ event: next.event ?? null, start: next.start ?? null, end: next.end ?? null }));
  }
  addressOf(place: Place): Params {
    const view = viewShowing(this.scene.viewport, place.start_ns, place.duration_ns);
    return changed({ event: url.writeEvent(place), ...url.writeView(view.start, view.end) });
  }
  // Opens what hides a place and scrolls to it.
  reveal(place: Pick<Place, "track" | "depth">): void {
    const track = this.tracks.get(place.track);
    if (!track) return;
    const keys = [`g${track.group}`, ...(place.depth > 0 ? [`t${track.id}`] : [])];
    if (keys.some((key) => this.collapsed.has(key))) this.collapse(keys, false);
    if (url.readIds(params.value.hidden).has(track.id)) this.toggle("hidden", track.id);
    this.rearrange();
    const at = this.scene.places.get(track.id);
    if (!at || at.pinned) return;
    const top = at.item.y + place.depth * at.item.rowHeight;
    const room = this.stageHeight - this.scene.arranged.pinnedHeight;
    if (top < this.scene.scroll || top + at.item.rowHeight > this.scene.scroll + room) {
      this.scrollTo(top - room / 2);
    }
  }

  zoomTo(box: Box): void {
    this.motion.glide(withRoom(box.start, box.start + box.duration));
  }
  setRange(range: TimeRange | null): void {
    set({ sel: range ? url.writeRange(range) : null });
  }
  toggleMark(time: number): void {
    const near = this.scene.viewport.nsPerPixel * 5;
    this.lastMark = Math.round(time);
    set({ marks: writeMarks(toggled(this.marks.value, time, near)) });
  }

  close(): void {
    clearTimeout(this.resting);
    this.choice.close();
    this.loader.close();
    this.search.close();
    this.motion.stop();
  }
}
