// SPDX-License-Identifier: Apache-2.0
// Your own ranges (record_function, profiler steps, optimizers): as a tree of what is inside what, or by name.
import { useMemo } from "preact/hooks";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { answerUnlessEmpty, useReport } from "../../../state/report";
import { go } from "../../../state/route";
import { field } from "../../../ui/columns";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";

export interface AnnotationRow {
  readonly name: string;
  readonly depth: number | null;
  readonly parent: string | number | null;
  readonly calls: number;
  readonly host_total_ns: number;
  readonly host_self_ns: number;
  readonly device_total_ns: number;
  readonly device_self_ns: number;
  readonly min_ns: number;
  readonly mean_ns: number;
  readonly max_ns: number;
  readonly first_start_ns: number;
  readonly step_share: number | null;
  readonly device_share: number | null;
}

const TABS = [
  { key: "tree", title: "As a tree" },
  { key: "flat", title: "By name" },
] as const;

function columnsOf(rows: readonly AnnotationRow[]): readonly Column<AnnotationRow>[] {
  const device = rows.some((row) => row.device_total_ns > 0);
  return [
    field("name", "Annotation", "text"),
    field("calls", "Calls", "count"),
    field("host_total_ns", "CPU total", "time", { bar: true, sum: false }),
    field("host_self_ns", "CPU self", "time"),
    field("step_share", "Of the steps", "percent", { bar: true, help: "Share of all steps' time" }),
    field("device_total_ns", "Device total", "time", { bar: true, sum: false, hidden: !device }),
    field("device_share", "Of the device", "percent", { hidden: !device, help: "Share of all device time" }),
    field("mean_ns", "Mean", "time", { sum: false }),
    field("min_ns", "Shortest", "time", { sum: false, hidden: true }),
    field("max_ns", "Longest", "time", { sum: false }),
  ];
}

export default function Annotations({ profile }: PageProps) {
  const tab = chosenTab("as", TABS);
  const report = useReport<{ annotations?: { readonly rows: readonly AnnotationRow[] } }>(
    profile,
    "annotations",
    { tree: tab === "tree" },
  );
  const flat = useReport<{ annotations?: { readonly rows: readonly AnnotationRow[] } }>(
    profile,
    "annotations",
  );
  const origin = useOrigin(profile);
  const rows = report.state === "ready" ? (report.data.annotations?.rows ?? []) : [];
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const named = flat.state === "ready" ? (flat.data.annotations?.rows ?? []) : null;
  return (
    <Page title="Annotations" sentence={answerUnlessEmpty(flat, named, "This capture has no annotations.")}>
      {named !== null && named.length === 0 ? null : <Tabs param="as" tabs={TABS} label="Annotations" />}
      <Panel flush>
        <Load of={report} height="360px">
          {() =>
            rows.length === 0 ? (
              <Empty captured>
                <p>
                  Wrap parts of the program, such as the loading of data or the loss, in{" "}
                  <code>with torch.profiler.record_function("name"):</code> and capture again.
                </p>
              </Empty>
            ) : (
              <Table
                id="an"
                label="Annotations"
                columns={columns}
                rows={rows}
                what={["annotation", "annotations"]}
                fill
                {...(tab === "tree" ? { depth: depthOf } : { sort: "-host_total_ns" })}
                onOpen={(row) => {
                  const to = timelineAddress(origin, row.first_start_ns, row.mean_ns);
                  if (to !== undefined) go(Object.fromEntries(new URLSearchParams(to)));
                }}
                note="Enter or a click shows the first one in the timeline"
              />
            )
          }
        </Load>
      </Panel>
    </Page>
  );
}

const depthOf = (row: AnnotationRow): number => row.depth ?? 0;
