// SPDX-License-Identifier: Apache-2.0
// Stacked bars with their legend.
import { useCallback } from "preact/hooks";
import type { ColumnQuantity } from "../lib/units";
import { type BarRow, barsHeight, drawBars } from "./draw_bars";
import type { Painter } from "./painter";
import { Picture } from "./picture";

export interface StackedBarsProps {
  readonly name: string;
  readonly summary: string;
  readonly rows: readonly BarRow[]; // the same array as long as nothing changes
  readonly quantity?: ColumnQuantity;
}

export function StackedBars({ name, summary, rows, quantity = "time" }: StackedBarsProps) {
  const draw = useCallback(
    (painter: Painter, width: number) => drawBars(painter, width, rows, quantity),
    [rows, quantity],
  );
  const keys = new Map<string, { title: string; color: string }>();
  for (const row of rows)
    for (const s of row.segments)
      if (s.value > 0 && !keys.has(s.key)) keys.set(s.key, { title: s.title, color: s.color });
  return (
    <Picture name={name} summary={summary} height={barsHeight(rows.length)} draw={draw}>
      <ul class="legend">
        {[...keys].map(([key, { title, color }]) => (
          <li key={key}>
            <i style={{ background: `var(${color})` }} />
            {title}
          </li>
        ))}
      </ul>
    </Picture>
  );
}
