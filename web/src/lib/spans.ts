// SPDX-License-Identifier: Apache-2.0
// The timeline's binary answers (docs/http-api.md, Spans) as typed arrays that look straight into the bytes
// received: nothing is copied but the names.

export interface SpanTable {
  readonly rowCount: number;
  readonly count: number;
  readonly rows: Uint32Array; // per row: track, depth, first span, number of spans
  readonly start: Float64Array; // ns from the origin
  readonly duration: Float64Array; // ns
  readonly event: Uint32Array;
  readonly merged: Uint32Array; // events in the block; 1: one event
  readonly name: Uint32Array;
  readonly category: Uint8Array;
  readonly names: readonly string[];
  readonly bytes: number;
}

export interface CounterTable {
  readonly count: number;
  readonly time: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly last: Float64Array;
  readonly bytes: number;
}

export const ROW_FIELDS = 4;
export const NO_EVENT = 0xffffffff; // of pieces that are no event: the critical path's
const SPANS_MAGIC = 0x31535454; // "TTS1", little-endian
const COUNTER_MAGIC = 0x31435454; // "TTC1"
const SPAN_BYTES = 8 + 8 + 4 + 4 + 4;

function wrong(what: string): Error {
  return new Error(`The timeline's data cannot be read: ${what}.`);
}

export function decodeSpans(buffer: ArrayBuffer): SpanTable {
  if (buffer.byteLength < 16) throw wrong("it is shorter than its header");
  const header = new Uint32Array(buffer, 0, 4);
  const [magic = 0, rowCount = 0, count = 0, nameCount = 0] = header;
  if (magic !== SPANS_MAGIC) throw wrong("it does not begin with TTS1");
  const rowsEnd = 16 + rowCount * ROW_FIELDS * 4;
  const fixedEnd = rowsEnd + count * SPAN_BYTES;
  const textAt = fixedEnd + Math.ceil(count / 4) * 4;
  if (textAt > buffer.byteLength) throw wrong("it ends within its spans");
  let at = rowsEnd;
  const take = (size: number): number => {
    const here = at;
    at += size * count;
    return here;
  };
  const table: SpanTable = {
    rowCount,
    count,
    rows: new Uint32Array(buffer, 16, rowCount * ROW_FIELDS),
    start: new Float64Array(buffer, take(8), count),
    duration: new Float64Array(buffer, take(8), count),
    event: new Uint32Array(buffer, take(4), count),
    merged: new Uint32Array(buffer, take(4), count),
    name: new Uint32Array(buffer, take(4), count),
    category: new Uint8Array(buffer, take(1), count),
    names: decodeNames(buffer, textAt, nameCount),
    bytes: buffer.byteLength,
  };
  checkRows(table);
  return table;
}

function decodeNames(buffer: ArrayBuffer, at: number, count: number): readonly string[] {
  if (count === 0) return [];
  const names: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at)));
  if (!Array.isArray(names) || names.length !== count) throw wrong("its names do not match their number");
  return names.map(String);
}

// Indices are checked once here, so that drawing can trust them.
function checkRows(table: SpanTable): void {
  for (let row = 0; row < table.rowCount; row++) {
    const first = table.rows[row * ROW_FIELDS + 2] ?? 0;
    const number = table.rows[row * ROW_FIELDS + 3] ?? 0;
    if (first + number > table.count) throw wrong("a row points outside the spans");
  }
  const names = table.names.length;
  for (let i = 0; i < table.count; i++) {
    if ((table.name[i] ?? 0) >= names) throw wrong("a span has a name that is not there");
  }
}

export function decodeCounter(buffer: ArrayBuffer): CounterTable {
  if (buffer.byteLength < 8) throw wrong("it is shorter than its header");
  const [magic = 0, count = 0] = new Uint32Array(buffer, 0, 2);
  if (magic !== COUNTER_MAGIC) throw wrong("it does not begin with TTC1");
  if (8 + count * 32 > buffer.byteLength) throw wrong("it ends within its points");
  const column = (index: number) => new Float64Array(buffer, 8 + index * 8 * count, count);
  return {
    count,
    time: column(0),
    low: column(1),
    high: column(2),
    last: column(3),
    bytes: buffer.byteLength,
  };
}

// The first span of [first, first + number) that ends after `time`; spans of a row do not overlap and are in
// order, so starts and ends both grow.
export function firstEndingAfter(table: SpanTable, first: number, number: number, time: number): number {
  let low = first;
  let high = first + number;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((table.start[middle] as number) + (table.duration[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The last point at or before `time`, or -1.
export function lastPointAt(table: CounterTable, time: number): number {
  let low = 0;
  let high = table.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((table.time[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
