// SPDX-License-Identifier: Apache-2.0
// The rows of a query: as a table, as bars, or as a line.
import type { ComponentType } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { CellValue } from "../../../lib/csv";
import { guessQuantity } from "../../../lib/query_columns";
import { Empty, Panel, Skeleton } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { ChartProps } from "./charts";

export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
  readonly truncated: boolean;
  readonly seconds: number;
}

const TABS = [
  { key: "table", title: "Table" },
  { key: "bars", title: "Bars" },
  { key: "line", title: "Line" },
] as const;

export function Result({ answer }: { readonly answer: Answer }) {
  const columns = useMemo<readonly Column<readonly CellValue[]>[]>(
    () =>
      answer.columns.map((name, i) => {
        const quantity = guessQuantity(
          name,
          answer.rows.map((row) => row[i]),
        );
        return {
          key: `${i}_${name}`,
          title: name,
          quantity,
          mono: true,
          ...(quantity === "text" ? {} : { width: Math.max(110, name.length * 8 + 50) }),
          value: (row: readonly CellValue[]) => row[i],
        };
      }),
    [answer],
  );
  if (answer.rows.length === 0) return <Empty what="The query found no rows." />;
  const as = chosenTab("as", TABS);
  return (
    <>
      <Tabs param="as" tabs={TABS} label="Show as" />
      <Panel flush={as === "table"}>
        {as === "table" ? (
          <Table
            id="result"
            label="Result"
            columns={columns}
            rows={answer.rows}
            what={["row", "rows"]}
            fill
          />
        ) : (
          <Chart as={as} columns={columns} rows={answer.rows} />
        )}
      </Panel>
    </>
  );
}

// Pictures come when they are asked for: the first page needs none of their code.
function Chart({ as, ...props }: ChartProps & { readonly as: string }) {
  const [charts, setCharts] = useState<Readonly<Record<string, ComponentType<ChartProps>>> | null>(null);
  useEffect(() => {
    import("./charts").then(({ Bars, Line }) => setCharts({ bars: Bars, line: Line }));
  }, []);
  const Shown = charts?.[as];
  return Shown === undefined ? <Skeleton height="320px" /> : <Shown {...props} />;
}
