// SPDX-License-Identifier: Apache-2.0
// Makes the timeline's binary answers for tests, independent of the code that reads them.

export interface TestSpan {
  readonly track: number;
  readonly depth: number;
  readonly start: number;
  readonly duration: number;
  readonly event: number;
  readonly merged: number;
  readonly name: string;
  readonly category: number;
}

export function testSpan(start: number, duration: number, other: Partial<TestSpan> = {}): TestSpan {
  return { track: 0, depth: 0, start, duration, event: start, merged: 1, name: "op", category: 0, ...other };
}

// Spans in order of track, depth and start; a part of a view where `skipped` and `total` say so.
export function spanBytes(spans: readonly TestSpan[], skipped = 0, total = spans.length): ArrayBuffer {
  const rows: number[][] = [];
  spans.forEach((span, i) => {
    const last = rows[rows.length - 1];
    if (last && last[0] === span.track && last[1] === span.depth) last[3] = (last[3] ?? 0) + 1;
    else rows.push([span.track, span.depth, i, 1]);
  });
  const names = [...new Set(spans.map((span) => span.name))];
  const text = new TextEncoder().encode(JSON.stringify(names));
  const padded = Math.ceil(spans.length / 4) * 4;
  const buffer = new ArrayBuffer(24 + rows.length * 16 + spans.length * 28 + padded + text.length);
  const view = new DataView(buffer);
  let at = 0;
  const u32 = (value: number): void => {
    view.setUint32(at, value, true);
    at += 4;
  };
  const f64 = (value: number): void => {
    view.setFloat64(at, value, true);
    at += 8;
  };
  for (const letter of "TTS2") view.setUint8(at++, letter.charCodeAt(0));
  u32(rows.length);
  u32(spans.length);
  u32(names.length);
  u32(skipped);
  u32(total);
  for (const row of rows) row.forEach(u32);
  for (const span of spans) f64(span.start);
  for (const span of spans) f64(span.duration);
  for (const span of spans) u32(span.event);
  for (const span of spans) u32(span.merged);
  for (const span of spans) u32(names.indexOf(span.name));
  for (const span of spans) view.setUint8(at++, span.category);
  new Uint8Array(buffer).set(text, buffer.byteLength - text.length);
  return buffer;
}

export function counterBytes(points: readonly (readonly [number, number, number, number])[]): ArrayBuffer {
  const buffer = new ArrayBuffer(8 + points.length * 32);
  const view = new DataView(buffer);
  for (let i = 0; i < 4; i++) view.setUint8(i, "TTC1".charCodeAt(i));
  view.setUint32(4, points.length, true);
  for (let column = 0; column < 4; column++) {
    points.forEach((point, i) => {
      view.setFloat64(8 + (column * points.length + i) * 8, point[column] ?? 0, true);
    });
  }
  return buffer;
}
