// SPDX-License-Identifier: Apache-2.0
// Points of curves as the server sends them: a table of lines, then the columns of each, as doubles. The columns are
// views of what came, not copies.

// Layout, little-endian: u32 magic, u32 lines; each line u32 chart, run, points, total, flags, revision; then of each
// line f64 x[], y[], smoothed[], wall[], step[], and with a band low[], high[].
const MAGIC = 0x31505454; // "TTP1"
const HEAD_BYTES = 8;
const LINE_BYTES = 24;
const REDUCED = 1;
const BAND = 2;

export interface Line {
  readonly chart: number; // which of the charts that were asked for
  readonly run: number; // which of that chart's runs
  readonly total: number; // points there are in the range
  readonly reduced: boolean; // of which only the first, least, largest and last of each pixel came
  readonly x: Float64Array; // NaN: a segment ends
  readonly y: Float64Array; // not finite where x is: it was logged so
  readonly smoothed: Float64Array;
  readonly wall: Float64Array; // seconds since 1970
  readonly step: Float64Array;
  readonly low: Float64Array | null;
  readonly high: Float64Array | null;
  readonly rising: boolean; // x never goes back
  readonly odd: boolean; // some values are no numbers
}

function shapeOf(x: Float64Array, y: Float64Array): Pick<Line, "rising" | "odd"> {
  let last = Number.NEGATIVE_INFINITY;
  let [rising, odd] = [true, false];
  for (let i = 0; i < x.length; ++i) {
    const at = x[i] as number;
    const value = y[i] as number;
    if (at < last) rising = false;
    if (at > last) last = at;
    if (value - value !== 0 && at - at === 0) odd = true;
  }
  return { rising, odd };
}

export function decodePoints(buffer: ArrayBuffer): readonly Line[] {
  const bad = (what: string): Error => new Error(`The points that came cannot be read: ${what}.`);
  if (buffer.byteLength < HEAD_BYTES) throw bad(`${buffer.byteLength} bytes`);
  const head = new DataView(buffer);
  if (head.getUint32(0, true) !== MAGIC) throw bad("they do not begin with TTP1");
  const count = head.getUint32(4, true);
  let at = HEAD_BYTES + count * LINE_BYTES;
  if (at > buffer.byteLength) throw bad(`${count} lines in ${buffer.byteLength} bytes`);
  const lines: Line[] = [];
  for (let i = 0; i < count; ++i) {
    const field = (n: number): number => head.getUint32(HEAD_BYTES + i * LINE_BYTES + 4 * n, true);
    const [points, flags] = [field(2), field(4)];
    const columns = (flags & BAND) === 0 ? 5 : 7;
    if (at + points * columns * 8 > buffer.byteLength) throw bad("they end in the middle");
    const column = (): Float64Array => {
      const values = new Float64Array(buffer, at, points);
      at += points * 8;
      return values;
    };
    const [x, y, smoothed, wall, step] = [column(), column(), column(), column(), column()];
    const [low, high] = columns === 7 ? [column(), column()] : [null, null];
    const reduced = (flags & REDUCED) !== 0;
    const [chart, run, total] = [field(0), field(1), field(3)];
    lines.push({ chart, run, total, reduced, x, y, smoothed, wall, step, low, high, ...shapeOf(x, y) });
  }
  return lines;
}

// The last x that a line has; null if it has none.
export function lastX({ x }: Pick<Line, "x">): number | null {
  for (let i = x.length - 1; i >= 0; --i) if (Number.isFinite(x[i])) return x[i] as number;
  return null;
}

function joined(a: Float64Array, b: Float64Array, from: number): Float64Array {
  const all = new Float64Array(a.length + b.length - from);
  all.set(a);
  all.set(b.subarray(from), a.length);
  return all;
}

// A line with what came behind it. Points up to its last x are there already.
export function appended(line: Line, more: Line): Line {
  const last = lastX(line);
  let from = 0;
  while (from < more.x.length && last !== null && !((more.x[from] as number) > last)) ++from;
  const fresh = more.x.length - from;
  if (fresh === 0) return line;
  return {
    ...line,
    total: line.total + fresh,
    x: joined(line.x, more.x, from),
    y: joined(line.y, more.y, from),
    smoothed: joined(line.smoothed, more.smoothed, from),
    wall: joined(line.wall, more.wall, from),
    step: joined(line.step, more.step, from),
    low: line.low && more.low ? joined(line.low, more.low, from) : null,
    high: line.high && more.high ? joined(line.high, more.high, from) : null,
    rising: line.rising && more.rising,
    odd: line.odd || more.odd,
  };
}

// The point of a line that is nearest in x and has a value; -1 if it has none.
export function nearest({ x, y, rising }: Pick<Line, "x" | "y" | "rising">, at: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  const look = (i: number): boolean => {
    const away = Math.abs((x[i] as number) - at);
    if (!(away < distance) || !Number.isFinite(y[i])) return false;
    distance = away;
    best = i;
    return true;
  };
  if (!rising) {
    for (let i = 0; i < x.length; ++i) look(i);
    return best;
  }
  // Ends of segments have no x: they stand where the point before them stands.
  let [lo, hi] = [0, x.length];
  while (lo < hi) {
    let middle = (lo + hi) >> 1;
    while (middle > lo && Number.isNaN(x[middle])) --middle;
    if ((x[middle] as number) < at) lo = ((lo + hi) >> 1) + 1;
    else hi = middle;
  }
  for (let i = lo; i < x.length && !look(i); ) ++i;
  for (let i = lo - 1; i >= 0 && !look(i) && !(at - (x[i] as number) > distance); ) --i;
  return best;
}
