// SPDX-License-Identifier: Apache-2.0
// What to ask the server for, so that the view and a margin around it are held in the detail of the screen: about
// twice the view in time, only the tracks in sight, only those that are not held already, and in answers that are
// on their way side by side rather than in parts of one.
import { isCurve, type Track } from "./timeline_layout";
import type { SliceStore } from "./timeline_slices";
import type { TimeRange } from "./viewport";

export interface SpanRequest {
  readonly start: number;
  readonly end: number;
  readonly width: number; // pixels
  readonly nsPerPixel: number;
  readonly tracks: readonly number[];
}
export interface CurveRequest {
  readonly start: number;
  readonly end: number;
  readonly width: number;
  readonly nsPerPixel: number;
  readonly track: number;
}
export interface Plan {
  readonly spans: readonly SpanRequest[];
  readonly curves: readonly CurveRequest[];
}

const MARGIN = 0.5; // of the view, on either side
const NEEDED_MARGIN = 0.08; // asked again when less than this is left
const TOO_FINE = 3.2; // data this much finer than the screen is replaced: it costs more than it shows
const MOST_SPANS = 30_000; // of one answer, some 900 kB

interface Held {
  readonly start: number;
  readonly end: number;
  readonly nsPerPixel: number;
}

export function serves(held: Held, view: TimeRange, nsPerPixel: number, duration: number): boolean {
  const room = (view.end - view.start) * NEEDED_MARGIN;
  return (
    held.start <= Math.max(0, view.start - room) &&
    held.end >= Math.min(duration, view.end + room) &&
    held.nsPerPixel <= nsPerPixel * 1.01 &&
    held.nsPerPixel * TOO_FINE >= nsPerPixel
  );
}

// Detail comes in half octaves and windows begin on a grid, so that zooming back finds what was held before.
export function windowFor(
  view: TimeRange,
  nsPerPixel: number,
  duration: number,
): { start: number; end: number; width: number; nsPerPixel: number } {
  const detail = 2 ** (Math.floor(Math.log2(nsPerPixel) * 2 + 1e-9) / 2);
  const room = (view.end - view.start) * MARGIN;
  const grid = detail * 128;
  const start = Math.max(0, Math.floor(Math.floor((view.start - room) / grid) * grid));
  const end = Math.min(Math.ceil(duration), Math.ceil(Math.ceil((view.end + room) / grid) * grid));
  const width = Math.max(1, Math.ceil((end - start) / detail));
  return { start, end, width, nsPerPixel: detail };
}

export function plan(
  view: TimeRange,
  pixels: number,
  tracks: readonly Track[],
  store: SliceStore,
  duration: number,
): Plan {
  const spans: SpanRequest[] = [];
  const curves: CurveRequest[] = [];
  const nsPerPixel = (view.end - view.start) / Math.max(pixels, 1);
  const window = windowFor(view, nsPerPixel, duration);
  if (window.end <= window.start) return { spans, curves };
  let asked: number[] = [];
  let expected = 0;
  const flush = () => {
    if (asked.length > 0) spans.push({ ...window, tracks: asked });
    asked = [];
    expected = 0;
  };
  for (const track of tracks) {
    if (isCurve(track)) {
      if (store.curvesOf(track.id).some((held) => serves(held, view, nsPerPixel, duration))) continue;
      curves.push({ ...window, track: track.id });
      continue;
    }
    if (store.spansOf(track.id).some((held) => serves(held, view, nsPerPixel, duration))) continue;
    const most = Math.min(track.spans ?? Number.POSITIVE_INFINITY, Math.max(track.depth, 1) * window.width);
    if (expected > 0 && expected + most > MOST_SPANS) flush();
    asked.push(track.id);
    expected += most;
  }
  flush();
  return { spans, curves };
}
