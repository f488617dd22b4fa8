// SPDX-License-Identifier: Apache-2.0
// From a place on the canvas to what is drawn there.
import { AXIS_HEIGHT } from "../../../canvas/axis_painter";
import { type Box, GROUP_INSET, ROW_INSET, type Scene, type Snap, topOf } from "../../../canvas/scene";
import { lastPointAt } from "../../../lib/spans";
import { spanAt } from "../../../lib/timeline_hit";
import { isCurve, itemAt, type Track } from "../../../lib/timeline_layout";
import type { SpanSlice } from "../../../lib/timeline_slices";
import { nearestEdge } from "../../../lib/timeline_snap";

export interface SpanPick {
  readonly kind: "span";
  readonly track: Track;
  readonly slice: SpanSlice;
  readonly index: number;
  readonly box: Box;
}
export interface CurvePick {
  readonly kind: "curve";
  readonly track: Track;
  readonly time: number;
  readonly low: number;
  readonly high: number;
  readonly last: number;
}
export type Pick = SpanPick | CurvePick;

const SLACK_PIXELS = 2;
const SNAP_PIXELS = 7;

export function pickAt(scene: Scene, x: number, y: number): Pick | null {
  const place = rowAt(scene, y);
  if (!place) return null;
  const time = scene.viewport.time(x);
  if (isCurve(place.track)) return curveAt(scene, place.track, time);
  return place.depth < 0 ? null : spanNear(scene, place.track, place.depth, time, SLACK_PIXELS);
}

// Where a span of the track under (x, y) begins or ends, near x; over the axis a step.
export function edgeAt(scene: Scene, x: number, y: number): Snap | null {
  const { viewport } = scene;
  const place = rowAt(scene, y);
  const steps = y < AXIS_HEIGHT ? scene.layout.tracks.find((track) => track.kind === "steps") : undefined;
  const track = place?.track ?? steps;
  const slice = track ? sliceFor(scene, track.id) : null;
  if (!track || !slice) return null;
  const slack = SNAP_PIXELS * viewport.nsPerPixel;
  const edge = nearestEdge(slice, track.id, place?.depth ?? 0, viewport.time(x), slack);
  return edge ? { track: track.id, ...edge } : null;
}

interface RowPlace {
  readonly track: Track;
  readonly depth: number;
}

function rowAt(scene: Scene, y: number): RowPlace | null {
  if (y < AXIS_HEIGHT) return null;
  const { arranged } = scene;
  const pinned = y < AXIS_HEIGHT + arranged.pinnedHeight;
  const items = pinned ? arranged.pinned : arranged.items;
  const inArea = y - AXIS_HEIGHT - (pinned ? 0 : arranged.pinnedHeight - scene.scroll);
  const item = items[itemAt(items, inArea)];
  if (!item?.track) return null;
  const inset = item.kind === "group" ? GROUP_INSET : ROW_INSET;
  const depth = Math.floor((y - topOf(scene, item, pinned) - inset) / item.rowHeight);
  return { track: item.track, depth: depth >= item.rows ? -1 : depth };
}

export function spanNear(
  scene: Scene,
  track: Track,
  depth: number,
  time: number,
  slackPixels: number,
): SpanPick | null {
  const slice = sliceFor(scene, track.id);
  if (!slice) return null;
  const index = spanAt(slice, track.id, depth, time, slackPixels * scene.viewport.nsPerPixel);
  return index < 0 ? null : spanPick(track, depth, slice, index);
}

export function sliceFor(scene: Scene, track: number): SpanSlice | null {
  const { viewport, store } = scene;
  const ratio = Math.min(devicePixelRatio || 1, 3);
  return store.bestSpans(track, viewport.start, viewport.end, viewport.nsPerPixel / ratio);
}

export function spanPick(track: Track, depth: number, slice: SpanSlice, index: number): SpanPick {
  const start = slice.table.start[index] as number;
  const duration = slice.table.duration[index] as number;
  return { kind: "span", track, slice, index, box: { track: track.id, depth, start, duration } };
}

function curveAt(scene: Scene, track: Track, time: number): CurvePick | null {
  const { viewport, store } = scene;
  const slice = store.bestCurve(track.id, viewport.start, viewport.end, viewport.nsPerPixel);
  const index = slice ? lastPointAt(slice.table, time) : -1;
  if (!slice || index < 0) return null;
  const { low, high, last, time: at } = slice.table;
  return {
    kind: "curve",
    track,
    time: at[index] as number,
    low: low[index] as number,
    high: high[index] as number,
    last: last[index] as number,
  };
}
