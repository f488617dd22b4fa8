// SPDX-License-Identifier: Apache-2.0
// The timeline's binary answers (docs/http-api.md, Spans) as typed arrays that look straight into the bytes
// received: nothing is copied but the names, and views that come in several parts.

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
  readonly skipped: number; // spans of the view before these
  readonly total: number; // spans of the view
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
const SPANS_MAGIC = 0x32535454; // "TTS2", little-endian
const COUNTER_MAGIC = 0x31435454; // "TTC1"
const HEAD_BYTES = 24;
const SPAN_BYTES = 8 + 8 + 4 + 4 + 4;

function wrong(what: string): Error {
  return new Error(`The timeline's data cannot be read: ${what}.`);
}

export function decodeSpans(buffer: ArrayBuffer): SpanTable {
  if (buffer.byteLength < HEAD_BYTES) throw wrong("it is shorter than its header");
  const header = new Uint32Array(buffer, 0, HEAD_BYTES / 4);
  const [magic = 0, rowCount = 0, count = 0, nameCount = 0, skipped = 0, total = 0] = header;
  if (magic !== SPANS_MAGIC) throw wrong("it does not begin with TTS2");
  const rowsEnd = HEAD_BYTES + rowCount * ROW_FIELDS * 4;
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
    rows: new Uint32Array(buffer, HEAD_BYTES, rowCount * ROW_FIELDS),
    start: new Float64Array(buffer, take(8), count),
    duration: new Float64Array(buffer, take(8), count),
    event: new Uint32Array(buffer, take(4), count),
    merged: new Uint32Array(buffer, take(4), count),
    name: new Uint32Array(buffer, take(4), count),
    category: new Uint8Array(buffer, take(1), count),
    names: decodeNames(buffer, textAt, nameCount),
    skipped,
    total,
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

// The parts of one view, in their order, as one table.
function joinSpans(parts: readonly SpanTable[]): SpanTable {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const start = new Float64Array(count);
  const duration = new Float64Array(count);
  const event = new Uint32Array(count);
  const merged = new Uint32Array(count);
  const name = new Uint32Array(count);
  const category = new Uint8Array(count);
  const names: string[] = [];
  const rows: number[] = [];
  let at = 0;
  for (const part of parts) {
    if (part.skipped !== at || part.total !== count) throw wrong("its parts do not fit each other");
    start.set(part.start, at);
    duration.set(part.duration, at);
    event.set(part.event, at);
    merged.set(part.merged, at);
    category.set(part.category, at);
    for (let i = 0; i < part.count; i++) name[at + i] = (part.name[i] as number) + names.length;
    for (const text of part.names) names.push(text);
    for (let row = 0; row < part.rowCount; row++) {
      const [track = 0, depth = 0, first = 0, number = 0] = part.rows.subarray(row * ROW_FIELDS);
      const last = rows.length - ROW_FIELDS;
      // A row that a part ended in goes on in the next.
      if (row === 0 && last >= 0 && rows[last] === track && rows[last + 1] === depth)
        rows[last + 3] = (rows[last + 3] as number) + number;
      else rows.push(track, depth, first + at, number);
    }
    at += part.count;
  }
  const bytes = count * (SPAN_BYTES + 1) + rows.length * 4;
  const table = { start, duration, event, merged, name, category, names, count, bytes };
  return {
    ...table,
    rows: Uint32Array.from(rows),
    rowCount: rows.length / ROW_FIELDS,
    skipped: 0,
    total: count,
  };
}

// A view from all of its parts; `get` asks for the one that begins behind `skip` spans.
export async function wholeView(get: (skip: number) => Promise<ArrayBuffer>): Promise<SpanTable> {
  const parts: SpanTable[] = [];
  for (let held = 0; ; ) {
    const part = decodeSpans(await get(held));
    parts.push(part);
    held += part.count;
    if (held >= part.total || part.count === 0) return joinSpans(parts);
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
