// SPDX-License-Identifier: Apache-2.0
// Lines as a server would send them, for tests.
export interface GivenLine {
  readonly chart: number;
  readonly run: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly smoothed?: readonly number[];
  readonly wall?: readonly number[];
  readonly step?: readonly number[];
  readonly low?: readonly number[];
  readonly high?: readonly number[];
  readonly total?: number;
  readonly reduced?: boolean;
}

export function encodeLines(lines: readonly GivenLine[]): ArrayBuffer {
  const columnsOf = (l: GivenLine): readonly (readonly number[])[] => [
    l.x,
    l.y,
    l.smoothed ?? l.y,
    l.wall ?? l.x,
    l.step ?? l.x,
    ...(l.low && l.high ? [l.low, l.high] : []),
  ];
  const doubles = lines.reduce((sum, l) => sum + l.x.length * columnsOf(l).length, 0);
  const buffer = new ArrayBuffer(8 + 24 * lines.length + 8 * doubles);
  const view = new DataView(buffer);
  view.setUint32(0, 0x31505454, true);
  view.setUint32(4, lines.length, true);
  let at = 8 + 24 * lines.length;
  lines.forEach((l, i) => {
    const flags = (l.reduced ? 1 : 0) | (l.low ? 2 : 0);
    [l.chart, l.run, l.x.length, l.total ?? l.x.length, flags, 0].forEach((value, n) => {
      view.setUint32(8 + 24 * i + 4 * n, value, true);
    });
    for (const column of columnsOf(l))
      for (const value of column) {
        view.setFloat64(at, value, true);
        at += 8;
      }
  });
  return buffer;
}
