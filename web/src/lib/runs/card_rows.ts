// SPDX-License-Identifier: Apache-2.0
// Cards of charts below heads of sections, as rows of known height, so that only rows in view need to be there.

export interface CardSection<T> {
  readonly name: string;
  readonly cards: readonly T[];
  readonly open: boolean;
}
export type CardRow<T> =
  | { readonly kind: "head"; readonly section: CardSection<T>; readonly top: number; readonly height: number }
  | { readonly kind: "cards"; readonly cards: readonly T[]; readonly top: number; readonly height: number };

export interface CardRows<T> {
  readonly rows: readonly CardRow<T>[];
  readonly height: number;
}

export function cardRows<T>(
  sections: readonly CardSection<T>[],
  columns: number,
  headHeight: number,
  cardHeight: number,
  isWide: (card: T) => boolean, // takes a row of its own, twice as high
): CardRows<T> {
  const rows: CardRow<T>[] = [];
  let top = 0;
  for (const section of sections) {
    rows.push({ kind: "head", section, top, height: headHeight });
    top += headHeight;
    if (!section.open) continue;
    let row: T[] = [];
    const end = (): void => {
      if (row.length === 0) return;
      rows.push({ kind: "cards", cards: row, top, height: cardHeight });
      top += cardHeight;
      row = [];
    };
    for (const card of section.cards) {
      if (isWide(card)) {
        end();
        rows.push({ kind: "cards", cards: [card], top, height: 2 * cardHeight });
        top += 2 * cardHeight;
        continue;
      }
      row.push(card);
      if (row.length === columns) end();
    }
    end();
  }
  return { rows, height: top };
}

// Rows that touch the part from `top` to `bottom`.
export function rowsWithin<T>({ rows }: CardRows<T>, top: number, bottom: number): readonly CardRow<T>[] {
  let [lo, hi] = [0, rows.length];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    const row = rows[middle] as CardRow<T>;
    if (row.top + row.height <= top) lo = middle + 1;
    else hi = middle;
  }
  let end = lo;
  while (end < rows.length && (rows[end] as CardRow<T>).top < bottom) ++end;
  return rows.slice(lo, end);
}
