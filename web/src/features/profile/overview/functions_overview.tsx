// SPDX-License-Identifier: Apache-2.0
// The overview of a profile of functions (.prof, speedscope, py-spy …).
import type { FunctionRow, FunctionsSection } from "../../../api/report";
import type { ProfileInfo } from "../../../api/types";
import { bytes, count, format } from "../../../lib/units";
import { useReport } from "../../../state/report";
import { go, pageAddress, pageParams } from "../../../state/route";
import { field } from "../../../ui/columns";
import { KeyValue } from "../../../ui/key_value";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { SourceLink } from "../../../ui/source_link";
import { type Column, Table } from "../../../ui/table";

type Quantity = "time" | "bytes" | "count";

const columnsOf = (quantity: Quantity): readonly Column<FunctionRow>[] => [
  field("name", "Function", "text", { mono: true }),
  field("self_ns", "Self", quantity, { bar: true }),
  field("total_ns", "Total", quantity, { bar: true, sum: false }),
  field("calls", "Calls", "count"),
  {
    key: "place",
    title: "Place",
    quantity: "text",
    width: 380,
    value: (row) => (row.line > 0 ? `${row.file}:${row.line}` : row.file),
    cell: (row) =>
      row.line > 0 ? <SourceLink file={row.file} line={row.line} /> : <span class="muted">built-in</span>,
  },
];
const COLUMNS = { time: columnsOf("time"), bytes: columnsOf("bytes"), count: columnsOf("count") };

// Values are times, unless the profile counts something else.
const quantityOf = (functions: FunctionsSection): Quantity =>
  functions.unit === "bytes" ? "bytes" : (functions.unit ?? "ns") === "ns" ? "time" : "count";

export function FunctionsOverview({ profile }: { readonly profile: ProfileInfo }) {
  const report = useReport<{ functions?: FunctionsSection }>(profile, "functions", {
    limit: 50,
    thread: "main", // threads run side by side: their sum is no time that passed
  });
  return (
    <Page title="Overview" sentence={report.state === "ready" ? report.data.answer : null}>
      <Panel
        title="Top functions"
        note="by their own time"
        flush
        actions={<a href={pageAddress("functions")}>Icicle, callers and all functions</a>}
      >
        <Load of={report} height="320px">
          {(data) =>
            data.functions === undefined ? (
              <Empty what="This profile has no functions." />
            ) : (
              <Table
                id="top"
                label="Top functions"
                columns={COLUMNS[quantityOf(data.functions)]}
                rows={data.functions.rows.slice(0, 12)}
                sort="-self_ns"
                toolbar={false}
                onOpen={(row) => go(pageParams("functions", { "functions.q": row.name.slice(0, 200) }))}
              />
            )
          }
        </Load>
      </Panel>
      <Panel title="What was captured">
        <Load of={report} lines={3}>
          {(data) => (
            <KeyValue
              facts={[
                ["File", data.files[0]?.path],
                ["Format", data.files[0]?.format],
                ["Size", bytes(data.files[0]?.bytes)],
                ["Functions", count(data.rows_total?.functions ?? data.files[0]?.events)],
                data.functions === undefined
                  ? ["Total", null]
                  : ["Total", format(quantityOf(data.functions), data.functions.total_ns)],
                [
                  "Call paths",
                  data.functions?.source === "pairs"
                    ? "callers and callees only; the file does not say through which path. Times of paths are ranges."
                    : "complete call tree",
                ],
              ]}
            />
          )}
        </Load>
      </Panel>
    </Page>
  );
}
