// SPDX-License-Identifier: Apache-2.0
// Everything a timeline's picture is made of. The page changes it in place; the renderer reads it.
import type { Arranged, Item, Layout } from "../lib/timeline_layout";
import type { Mark } from "../lib/timeline_marks";
import type { NameTable } from "../lib/timeline_names";
import type { SliceStore } from "../lib/timeline_slices";
import type { Viewport } from "../lib/viewport";
import { AXIS_HEIGHT } from "./axis_painter";
import type { Lit } from "./span_painter";

export interface Box {
  readonly track: number;
  readonly depth: number;
  readonly start: number;
  readonly duration: number;
}
export interface Arrow {
  readonly kind: string;
  readonly from: Box;
  readonly to: Box;
}

// The beginning or end of a box.
export interface Snap {
  readonly track: number;
  readonly depth: number;
  readonly time: number;
}

export interface Scene {
  readonly layout: Layout;
  readonly viewport: Viewport;
  readonly store: SliceStore;
  readonly names: NameTable;
  readonly lit: Lit;
  arranged: Arranged;
  places: ReadonlyMap<number, Place>;
  scroll: number; // CSS pixels
  zero: number; // the moment the axis counts from
  hover: Box | null;
  selected: Box | null;
  arrows: readonly Arrow[];
  range: { start: number; end: number } | null;
  ranging: boolean; // the range is being drawn now
  snaps: readonly Snap[]; // edges of spans that the range is drawn to
  marks: readonly Mark[];
  pointer: number | null; // x of the pointer, for the moment shown on the axis
}

// Where a track's boxes are: its own item, or the heading of the closed group it is in.
export interface Place {
  readonly item: Item;
  readonly pinned: boolean;
  readonly own: boolean;
}

export function placesOf(layout: Layout, arranged: Arranged): ReadonlyMap<number, Place> {
  const places = new Map<number, Place>();
  const headings = new Map<number, Item>();
  for (const item of arranged.items) if (item.kind === "group") headings.set(item.group, item);
  for (const track of layout.tracks) {
    const heading = headings.get(track.group);
    if (heading) places.set(track.id, { item: heading, pinned: false, own: false });
  }
  for (const item of arranged.items) {
    if (item.track) places.set(item.track.id, { item, pinned: false, own: true });
  }
  for (const item of arranged.pinned) {
    if (item.track) places.set(item.track.id, { item, pinned: true, own: true });
  }
  return places;
}

// Top of the item on the canvas.
export function topOf(scene: Scene, item: Item, pinned: boolean): number {
  return AXIS_HEIGHT + item.y + (pinned ? 0 : scene.arranged.pinnedHeight - scene.scroll);
}

// Top of a row of boxes; NaN if the track is hidden.
export function rowTop(scene: Scene, track: number, depth: number): number {
  const place = scene.places.get(track);
  if (!place) return Number.NaN;
  const top = topOf(scene, place.item, place.pinned);
  if (place.item.kind === "group") return top + GROUP_INSET;
  return top + Math.min(depth, place.item.rows - 1) * place.item.rowHeight + ROW_INSET;
}

export const ROW_INSET = 2; // above a track's first row
export const GROUP_INSET = 5; // above the row in a closed group's heading
