// SPDX-License-Identifier: Apache-2.0
// The answer of a query as a picture: bars by the first column of text, or a line over the first column of numbers.
import { Name } from "../../components/name";
import { Empty } from "../../components/page";
import type { Column } from "../../components/table";
import type { CellValue } from "../../lib/csv";
import { columnFormat } from "../../lib/units";

type Row = readonly CellValue[];

interface ChartProps {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

const MOST_BARS = 60;

function largestOf(rows: readonly Row[], column: Column<Row>): number {
  return rows.reduce((most, row) => Math.max(most, Math.abs(Number(column.value(row) ?? 0))), 0);
}

export function Bars({ columns, rows }: ChartProps) {
  const label = columns.find((c) => c.quantity === "text") ?? columns[0];
  const numbers = columns.filter((c) => c.quantity !== "text" && c !== label);
  const value = numbers.find((c) => c.quantity === "time" || c.quantity === "bytes") ?? numbers[0];
  if (!label || !value || value.quantity === "text") return <Empty what="Bars need a column of numbers." />;
  const shown = rows.slice(0, MOST_BARS);
  const largest = largestOf(shown, value);
  const format = columnFormat(value.quantity, largest);
  return (
    <figure class="query-bars">
      <figcaption class="muted">
        {value.title}
        {format.unit === "" ? "" : `, ${format.unit}`} by {label.title}
        {rows.length > MOST_BARS ? `; the first ${MOST_BARS} of ${rows.length} rows` : ""}
      </figcaption>
      {shown.map((row, i) => {
        const number = Number(value.value(row) ?? 0);
        return (
          <div key={i} class="query-bar">
            <Name text={String(label.value(row) ?? "–")} mono />
            <span class="query-bar-track">
              <span style={{ width: `${largest > 0 ? (Math.max(0, number) / largest) * 100 : 0}%` }} />
            </span>
            <span class="num">{format.text(number)}</span>
          </div>
        );
      })}
    </figure>
  );
}

const WIDTH = 1000;
const HEIGHT = 260;

export function Line({ columns, rows }: ChartProps) {
  const numbers = columns.filter((c) => c.quantity !== "text");
  const y = numbers.length > 1 ? numbers.slice(1, 4) : numbers.slice(0, 1);
  const x = numbers.length > 1 ? numbers[0] : undefined;
  const first = y[0];
  if (first === undefined || first.quantity === "text" || rows.length < 2)
    return <Empty what="A line needs a column of numbers, and two rows." />;
  const largest = Math.max(...y.map((c) => largestOf(rows, c)));
  const format = columnFormat(first.quantity, largest);
  const xs = rows.map((row, i) => (x ? Number(x.value(row) ?? 0) : i));
  const low = xs.reduce((a, b) => Math.min(a, b));
  const span = xs.reduce((a, b) => Math.max(a, b)) - low || 1;
  return (
    <figure class="query-line">
      <figcaption class="muted">
        {y.map((c, i) => (
          <span key={c.key} class={`line-${i}`}>
            ― {c.title}{" "}
          </span>
        ))}
        {format.unit === "" ? "" : `(${format.unit}) `}over {x ? x.title : "rows"}; at most{" "}
        {format.text(largest)}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${y.map((c) => c.title).join(", ")} over ${x?.title ?? "rows"}`}
      >
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <line key={share} x1="0" x2={WIDTH} y1={HEIGHT * share} y2={HEIGHT * share} />
        ))}
        {y.map((c, i) => (
          <polyline
            key={c.key}
            class={`line-${i}`}
            points={rows
              .map(
                (row, at) =>
                  `${(((xs[at] as number) - low) / span) * WIDTH},${HEIGHT - (Number(c.value(row) ?? 0) / (largest || 1)) * (HEIGHT - 6)}`,
              )
              .join(" ")}
          />
        ))}
      </svg>
    </figure>
  );
}
