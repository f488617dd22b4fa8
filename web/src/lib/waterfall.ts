// SPDX-License-Identifier: Apache-2.0
// Where the bars of a waterfall hang: each begins where the one before ended.

export interface Drop {
  readonly from: number; // shares of the whole
  readonly to: number;
}

export function drops(whole: number, left: readonly number[]): readonly Drop[] {
  let before = whole;
  return left.map((after) => {
    const from = before;
    before = Math.max(0, Math.min(before, after));
    return whole > 0 ? { from: from / whole, to: before / whole } : { from: 0, to: 0 };
  });
}
