// SPDX-License-Identifier: Apache-2.0
// The answer of a query as a picture: bars by a column of text, or lines over a column of numbers. Which columns is
// in the address; at first those that fit best.
import { useMemo } from "preact/hooks";
import type { BarRow } from "../../../charts/draw_bars";
import type { CurveData } from "../../../charts/draw_curves";
import { LineChart } from "../../../charts/line_chart";
import { StackedBars } from "../../../charts/stacked_bars";
import { type ChartColumn, type ChartRow, chooseBars, chooseLines } from "../../../lib/query_charts";
import { params, set } from "../../../state/route";
import { Empty } from "../../../ui/page";

export interface ChartProps {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
}

const MOST_BARS = 60;
const MOST_POINTS = 5000;
const COLORS = ["--c-kernel", "--c-communication", "--c-dataloader", "--c-memcpy"] as const;

interface ChooseProps {
  readonly label: string;
  readonly name: string;
  readonly value: ChartColumn;
  readonly from: readonly ChartColumn[];
}

function Choose({ label, name, value, from }: ChooseProps) {
  return (
    <label class="query-choice">
      <span class="muted">{label}</span>
      <select value={value.title} onChange={(event) => set({ [name]: event.currentTarget.value })}>
        {from.map((column) => (
          <option key={column.key} value={column.title}>
            {column.title}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Bars({ columns, rows }: ChartProps) {
  const { by, y } = params.value;
  const chosen = useMemo(() => chooseBars(columns, by, y), [columns, by, y]);
  const bars = useMemo<readonly BarRow[]>(
    () =>
      chosen === null
        ? []
        : rows.slice(0, MOST_BARS).map((row) => ({
            label: String(chosen.label.value(row) ?? "–"),
            segments: [
              {
                key: chosen.value.key,
                title: chosen.value.title,
                color: COLORS[0],
                value: Math.max(0, Number(chosen.value.value(row) ?? 0)),
              },
            ],
          })),
    [rows, chosen],
  );
  if (chosen === null) return <Empty what="Bars need a column of numbers." />;
  const { label, value, numbers } = chosen;
  return (
    <>
      <div class="query-choices">
        <Choose label="Length" name="y" value={value} from={numbers} />
        <Choose label="by" name="by" value={label} from={columns} />
        {rows.length > MOST_BARS ? (
          <span class="muted">
            The first {MOST_BARS} of {rows.length.toLocaleString("en-US")} rows are drawn.
          </span>
        ) : null}
      </div>
      <StackedBars
        name="query"
        summary={`${value.title} by ${label.title}.`}
        rows={bars}
        quantity={value.quantity === "text" ? "number" : value.quantity}
      />
    </>
  );
}

export function Line({ columns, rows }: ChartProps) {
  const { x, y } = params.value;
  const chosen = useMemo(() => chooseLines(columns, x, y), [columns, x, y]);
  const data = useMemo<CurveData | null>(() => {
    if (chosen === null || rows.length < 2) return null;
    const over = chosen.x;
    const points = rows
      .slice(0, MOST_POINTS)
      .map((row, i) => ({ row, at: over === null ? i : Number(over.value(row) ?? 0) }))
      .sort((a, b) => a.at - b.at);
    return {
      x: points.map((point) => point.at),
      xQuantity: over === null || over.quantity === "text" ? "count" : over.quantity,
      straight: true,
      quantity: chosen.quantity,
      series: chosen.series.map((column, i) => ({
        title: column.title,
        color: COLORS[i % COLORS.length] as string,
        values: points.map(({ row }) => {
          const value = column.value(row);
          return typeof value === "number" ? value : null;
        }),
      })),
    };
  }, [rows, chosen]);
  if (chosen === null || data === null)
    return <Empty what="A line needs a column of numbers, and two rows." />;
  const first = chosen.series[0] as ChartColumn;
  const over = chosen.x?.title ?? "rows";
  return (
    <>
      <div class="query-choices">
        <Choose label="Height" name="y" value={first} from={chosen.numbers} />
        {chosen.x === null ? null : <Choose label="over" name="x" value={chosen.x} from={chosen.numbers} />}
        {rows.length > MOST_POINTS ? (
          <span class="muted">
            The first {MOST_POINTS.toLocaleString("en-US")} of {rows.length.toLocaleString("en-US")} rows are
            drawn.
          </span>
        ) : null}
      </div>
      <LineChart
        name="query"
        data={data}
        height={320}
        summary={`${chosen.series.map((c) => c.title).join(", ")} over ${over}, ${rows.length} rows.`}
      />
    </>
  );
}
