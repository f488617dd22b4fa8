// SPDX-License-Identifier: Apache-2.0
// The keys of the timeline. W A S D zoom and pan wherever the focus is (but not while one types); the arrows pan
// and scroll, or, once an event is chosen, go from event to event; Tab leaves, as everywhere.
import type { Box } from "../../../canvas/scene";
import { NO_EVENT } from "../../../lib/spans";
import { alongFlow, type FlowKind } from "../../../lib/timeline_flow";
import { neighbour, overlapping, spanAt } from "../../../lib/timeline_hit";
import { itemOf, type Track } from "../../../lib/timeline_layout";
import { spoken } from "../../../lib/timeline_summary";
import { withRoom } from "../../../lib/viewport";
import { set } from "../../../state/route";
import type { TimelineModel } from "./model";
import { type SpanPick, sliceFor, spanNear, spanPick } from "./pick";
import type { Stage } from "./stage";

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    !!target.closest("dialog"));

const MOVES: Readonly<Record<string, readonly [pan: number, zoom: number]>> = {
  a: [-1, 0],
  d: [1, 0],
  w: [0, 1],
  s: [0, -1],
};
const SCROLL_PIXELS = 54;

export function bindKeyboard(model: TimelineModel, stage: Stage): () => void {
  const { scroller, root } = stage.elements;
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target))
      return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const move = MOVES[key];
    if (move && !event.shiftKey) {
      event.preventDefault();
      if (!event.repeat || matchMedia("(prefers-reduced-motion: reduce)").matches) {
        model.motion.hold(move[0], move[1]);
      }
      return;
    }
    if (follow(model, event) || act(model, key, event.shiftKey, root)) {
      event.preventDefault();
      return;
    }
    const focus = document.activeElement;
    if (focus !== document.body && focus?.id !== "main" && !focus?.classList.contains("tl-canvas")) return;
    if (model.scene.selected ? step(model, key) : roam(model, key, scroller)) event.preventDefault();
  };
  const onUp = (event: KeyboardEvent): void => {
    const move = MOVES[event.key.toLowerCase()];
    if (move) model.motion.release(move[0] !== 0, move[1] !== 0);
  };
  const onBlur = (): void => model.motion.release(true, true);
  const unbound = new AbortController();
  const { signal } = unbound;
  document.addEventListener("keydown", onKey, { signal });
  document.addEventListener("keyup", onUp, { signal });
  window.addEventListener("blur", onBlur, { signal });
  return () => unbound.abort();
}

// The keys beside P, whatever a keyboard has written on them.
const FLOWS: Readonly<Record<string, boolean>> = { BracketLeft: false, BracketRight: true };
const NO_FLOW: Readonly<Record<FlowKind, readonly [back: string, forward: string]>> = {
  launch: ["Nothing is known to have launched this.", "This launched nothing."],
  other: ["No other flow leads here.", "No other flow leads on from here."],
};

function follow(model: TimelineModel, event: KeyboardEvent): boolean {
  const forward = FLOWS[event.code];
  const chosen = model.choice.chosen.value?.document;
  if (forward === undefined || !chosen) return false;
  const kind = event.shiftKey ? "other" : "launch";
  const next = alongFlow(chosen, kind, forward);
  model.said.value = next ? next.name : NO_FLOW[kind][forward ? 1 : 0];
  if (next) model.jump(next);
  return true;
}

function act(model: TimelineModel, key: string, shift: boolean, root: HTMLElement): boolean {
  const { scene, motion } = model;
  switch (key) {
    case "/":
      root.querySelector<HTMLInputElement>(".tl-search input")?.select();
      return true;
    case "n":
      void model.search.go(!shift);
      return true;
    case "m":
      model.toggleMark(
        scene.pointer === null
          ? scene.viewport.time(scene.viewport.width / 2)
          : scene.viewport.time(scene.pointer),
      );
      return true;
    case "l": {
      const labels = [...root.querySelectorAll<HTMLInputElement>("[data-mark]")];
      const label = labels.find((each) => Number(each.dataset.mark) === model.lastMark) ?? labels.at(-1);
      label?.select();
      return label !== undefined;
    }
    case "f": {
      const range = scene.range;
      if (scene.selected) model.zoomTo(scene.selected);
      else motion.glide(range ? withRoom(range.start, range.end, 0.05) : model.whole);
      return true;
    }
    case "0":
      motion.glide(model.whole);
      return true;
    case "Escape":
      if (scene.selected) model.choose(null);
      else if (scene.range) model.setRange(null);
      else if (scene.lit.names || scene.lit.events || scene.lit.categories)
        set({ q: null, lit: null, name: null });
      else return false;
      return true;
    default:
      return false;
  }
}

function roam(model: TimelineModel, key: string, scroller: HTMLElement): boolean {
  const { viewport } = model.scene;
  const pan = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  if (pan !== 0) {
    model.motion.stop();
    viewport.panPixels(pan * viewport.width * 0.1);
    model.moved();
    return true;
  }
  const scroll = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
  const page = key === "PageUp" ? -1 : key === "PageDown" ? 1 : 0;
  if (scroll !== 0 || page !== 0) {
    scroller.scrollTop += scroll * SCROLL_PIXELS + page * model.stageHeight * 0.9;
    return true;
  }
  if (key !== "Enter") return false;
  for (const item of model.scene.arranged.items) {
    if (!item.track || item.y + item.rowHeight < model.scene.scroll) continue;
    const middle = viewport.time(viewport.width / 2);
    const pick = spanNear(model.scene, item.track, 0, middle, viewport.width);
    if (pick) return take(model, pick);
  }
  return true;
}

// From event to event: left and right in the row, up to what encloses it (or the track above), down into it (or
// the track below).
function step(model: TimelineModel, key: string): boolean {
  const { scene } = model;
  const box = scene.selected;
  const track = box ? model.tracks.get(box.track) : undefined;
  if (!box || !track) return false;
  const slice = sliceFor(scene, track.id);
  const here = spanNear(scene, track, box.depth, box.start, 1);
  if (!slice || !here) return false;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const by = key === "ArrowLeft" ? -1 : 1;
    const next = neighbour(slice, track.id, box.depth, here.index, by);
    if (next >= 0) return take(model, spanPick(track, box.depth, slice, next));
    return beyond(model, track, box, by);
  }
  const by = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
  if (by === 0) return false;
  const depth = box.depth + by;
  const rows = itemOf(scene.arranged, track.id)?.item.rows ?? 1;
  if (depth >= 0 && depth < rows) {
    const index = overlapping(slice, track.id, depth, box.start, box.start + Math.max(box.duration, 1));
    if (index >= 0) return take(model, spanPick(track, depth, slice, index));
  }
  const shown = [...scene.arranged.pinned, ...scene.arranged.items];
  let at = shown.findIndex((item) => item.track?.id === track.id) + by;
  for (; at >= 0 && at < shown.length; at += by) {
    const other = shown[at]?.track;
    if (!other) continue;
    const pick = spanNear(scene, other, 0, box.start + box.duration / 2, scene.viewport.width);
    if (pick) return take(model, pick);
  }
  return true;
}

// What is held in detail ends near the view; the coarse data of the whole trace goes on.
function beyond(model: TimelineModel, track: Track, box: Box, by: number): boolean {
  const whole = model.scene.store.wholeSpans(track.id);
  if (!whole) return true;
  const here = spanAt(whole, track.id, box.depth, box.start, 0);
  const next = here < 0 ? -1 : neighbour(whole, track.id, box.depth, here, by);
  return next < 0 ? true : take(model, spanPick(track, box.depth, whole, next));
}

function take(model: TimelineModel, pick: SpanPick): boolean {
  const { table } = pick.slice;
  const { scene } = model;
  const merged = table.merged[pick.index] as number;
  const row = table.event[pick.index] as number;
  const name = scene.names.text(table.name[pick.index] as number);
  const category = model.layout.categories[table.category[pick.index] as number] ?? "";
  model.said.value = spoken(name, category, pick.box.start, pick.box.duration, merged);
  const end = pick.box.start + pick.box.duration;
  if (pick.box.start > scene.viewport.end || end < scene.viewport.start) {
    const half = scene.viewport.span / 2;
    model.motion.glide({ start: pick.box.start - half, end: pick.box.start + half });
  }
  model.reveal(pick.box);
  if (row === NO_EVENT) {
    model.choose(null);
    model.scene.selected = pick.box;
  } else model.choose({ file: model.fileOf(pick.track.id), row }, pick.box, merged);
  return true;
}
