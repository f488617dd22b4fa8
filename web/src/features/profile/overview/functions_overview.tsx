// SPDX-License-Identifier: Apache-2.0
// The overview of a profile of functions (.prof, speedscope, py-spy …).
import { FUNCTIONS, type FunctionRow } from "../../../api/generated";
import type { FunctionsSection } from "../../../api/report";
import type { ProfileInfo } from "../../../api/types";
import { bytes, count, format } from "../../../lib/units";
import { sentenceOf, useReport } from "../../../state/report";
import { go, pageAddress, pageParams } from "../../../state/route";
import { type Cells, countedIn, Described } from "../../../ui/described";
import { KeyValue } from "../../../ui/key_value";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { SourceLink } from "../../../ui/source_link";

const SHOWN = ["name", "calls", "self_ns", "total_ns", "place"];
const TOP = FUNCTIONS.filter(({ key }) => SHOWN.includes(key));
const CELLS: Cells<FunctionRow> = {
  name: { mono: true },
  place: {
    value: (row) => (row.line ? `${row.file}:${row.line}` : row.file),
    cell: (row) =>
      row.line ? <SourceLink file={row.file ?? ""} line={row.line} /> : <span class="muted">built-in</span>,
  },
};

const quantityIn = (unit: string) => (unit === "ns" ? "time" : unit === "bytes" ? "bytes" : "count");

export function FunctionsOverview({ profile }: { readonly profile: ProfileInfo }) {
  const report = useReport<{ functions?: FunctionsSection }>(profile, "functions", {
    limit: 50,
    thread: "main", // threads run side by side: their sum is no time that passed
  });
  return (
    <Page title="Overview" sentence={sentenceOf(report)}>
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
              <Described
                of={countedIn(TOP, data.functions.unit ?? "ns")}
                id="top"
                label="Top functions"
                cells={CELLS}
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
                  : ["Total", format(quantityIn(data.functions.unit ?? "ns"), data.functions.total_ns)],
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
