// SPDX-License-Identifier: Apache-2.0
// The answers a timeline holds: each covers some tracks between two moments at some number of ns per pixel. The
// least recently drawn go first when they become too many; those of the whole trace stay, so that there is always
// something to draw while better data is on its way.
import { type CounterTable, ROW_FIELDS, type SpanTable } from "./spans";

interface Covered {
  readonly start: number;
  readonly end: number;
  readonly nsPerPixel: number;
  readonly keep: boolean;
  used: number;
}
export interface SpanSlice extends Covered {
  readonly table: SpanTable;
  readonly tracks: readonly number[];
  // Per track: the table's row of each depth, -1 where it shows nothing.
  readonly rows: ReadonlyMap<number, Int32Array>;
}
export interface CurveSlice extends Covered {
  readonly table: CounterTable;
  readonly track: number;
}

export function spanSlice(
  table: SpanTable,
  tracks: readonly number[],
  start: number,
  end: number,
  nsPerPixel: number,
  keep: boolean,
): SpanSlice {
  const depths = new Map<number, number>(tracks.map((track) => [track, 0]));
  for (let row = 0; row < table.rowCount; row++) {
    const track = table.rows[row * ROW_FIELDS] as number;
    const depth = table.rows[row * ROW_FIELDS + 1] as number;
    depths.set(track, Math.max(depths.get(track) ?? 0, depth + 1));
  }
  const rows = new Map<number, Int32Array>();
  for (const [track, depth] of depths) rows.set(track, new Int32Array(depth).fill(-1));
  for (let row = 0; row < table.rowCount; row++) {
    const list = rows.get(table.rows[row * ROW_FIELDS] as number);
    if (list) list[table.rows[row * ROW_FIELDS + 1] as number] = row;
  }
  return { table, tracks, rows, start, end, nsPerPixel, keep, used: 0 };
}

// How well a slice serves a view: what it covers counts most, then how near its detail is. Too coarse looks
// wrong; too fine only costs time.
export function fitness(slice: Covered, start: number, end: number, nsPerPixel: number): number {
  const covered = Math.min(slice.end, end) - Math.max(slice.start, start);
  if (covered <= 0) return Number.NEGATIVE_INFINITY;
  const detail = Math.log2(slice.nsPerPixel / nsPerPixel);
  return (covered / (end - start)) * 6 - (detail > 0 ? Math.min(detail, 5) : Math.min(-detail * 0.5, 4));
}

const MOST_BYTES = 48 * 1024 * 1024;
const MOST_SLICES = 48;

export class SliceStore {
  private readonly spans = new Map<number, SpanSlice[]>();
  private readonly curves = new Map<number, CurveSlice[]>();
  private readonly all = new Set<SpanSlice | CurveSlice>();
  private bytes = 0;
  private clock = 0;

  addSpans(slice: SpanSlice): void {
    for (const track of slice.tracks) {
      const list = this.spans.get(track);
      if (list) list.push(slice);
      else this.spans.set(track, [slice]);
    }
    this.added(slice);
  }
  addCurve(slice: CurveSlice): void {
    const list = this.curves.get(slice.track);
    if (list) list.push(slice);
    else this.curves.set(slice.track, [slice]);
    this.added(slice);
  }

  spansOf(track: number): readonly SpanSlice[] {
    return this.spans.get(track) ?? NO_SPANS;
  }
  curvesOf(track: number): readonly CurveSlice[] {
    return this.curves.get(track) ?? NO_CURVES;
  }

  bestSpans(track: number, start: number, end: number, nsPerPixel: number): SpanSlice | null {
    return this.best(this.spansOf(track), start, end, nsPerPixel);
  }
  bestCurve(track: number, start: number, end: number, nsPerPixel: number): CurveSlice | null {
    return this.best(this.curvesOf(track), start, end, nsPerPixel);
  }
  // What covers the whole trace, for the parts that the best one does not cover.
  wholeSpans(track: number): SpanSlice | null {
    const list = this.spansOf(track);
    for (let i = 0; i < list.length; i++) if ((list[i] as SpanSlice).keep) return list[i] as SpanSlice;
    return null;
  }
  wholeCurve(track: number): CurveSlice | null {
    const list = this.curvesOf(track);
    for (let i = 0; i < list.length; i++) if ((list[i] as CurveSlice).keep) return list[i] as CurveSlice;
    return null;
  }

  get size(): number {
    return this.all.size;
  }
  get heldBytes(): number {
    return this.bytes;
  }

  private best<T extends Covered>(
    list: readonly T[],
    start: number,
    end: number,
    nsPerPixel: number,
  ): T | null {
    let best: T | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < list.length; i++) {
      const slice = list[i] as T;
      const value = fitness(slice, start, end, nsPerPixel);
      if (value > most) {
        most = value;
        best = slice;
      }
    }
    if (best) best.used = ++this.clock;
    return best;
  }

  private added(slice: SpanSlice | CurveSlice): void {
    slice.used = ++this.clock;
    this.all.add(slice);
    this.bytes += slice.table.bytes;
    while (this.bytes > MOST_BYTES || this.all.size > MOST_SLICES) {
      let oldest: SpanSlice | CurveSlice | null = null;
      for (const candidate of this.all) {
        if (candidate.keep || candidate === slice) continue;
        if (oldest === null || candidate.used < oldest.used) oldest = candidate;
      }
      if (oldest === null) return;
      this.remove(oldest);
    }
  }

  private remove(slice: SpanSlice | CurveSlice): void {
    this.all.delete(slice);
    this.bytes -= slice.table.bytes;
    if ("track" in slice) {
      const list = this.curves.get(slice.track);
      list?.splice(list.indexOf(slice), 1);
      return;
    }
    for (const track of slice.tracks) {
      const list = this.spans.get(track);
      list?.splice(list.indexOf(slice), 1);
    }
  }
}

const NO_SPANS: readonly SpanSlice[] = [];
const NO_CURVES: readonly CurveSlice[] = [];
