// SPDX-License-Identifier: Apache-2.0
// Operators: by name, by input shapes, by call stack; and the runtime calls that launched work.
import { OPERATORS, type OperatorRow } from "../../../api/generated";
import { framesOf } from "../../../lib/stack";
import { keyOf } from "../../../lib/text";
import { answerUnlessEmpty, useReport } from "../../../state/report";
import { params, set } from "../../../state/route";
import { CutNote, rowLimit } from "../../../ui/cut_note";
import { type Cells, Described } from "../../../ui/described";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { SourceLink } from "../../../ui/source_link";
import { Split } from "../../../ui/split";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";
import { OperatorDetail } from "./detail";
import { Runtime } from "./runtime";

const TABS = [
  { key: "name", title: "By name" },
  { key: "shape", title: "By input shapes" },
  { key: "stack", title: "By call stack" },
  { key: "runtime", title: "Runtime calls" },
] as const;

interface OperatorsDocument {
  readonly operators?: readonly OperatorRow[];
}

const CELLS: Cells<OperatorRow> = {
  stack: {
    cell: (row) => {
      const frame = row.stack === null ? undefined : framesOf(row.stack)[0];
      return frame === undefined || frame.file === "" ? undefined : (
        <SourceLink file={frame.file} line={frame.line} name={frame.name} />
      );
    },
  },
  tensor_core_self_share: { value: (row) => (row.tensor_core_eligible ? row.tensor_core_self_share : null) },
};

export default function Operators({ profile }: PageProps) {
  const tab = chosenTab("by", TABS);
  const byName = useReport<OperatorsDocument>(profile, "operators", rowLimit());
  const grouping = tab === "runtime" ? "name" : tab;
  const grouped = useReport<OperatorsDocument>(profile, "operators", {
    ...(grouping === "name" ? {} : { "group-by": grouping }),
    ...rowLimit(),
  });
  const rows = grouped.data?.operators ?? [];
  const work = rows.filter((row) => row.work);
  const opened = params.value.open;
  const named = byName.data && (byName.data.operators ?? []);
  const row = named?.find((r) => keyOf(r.name) === opened);
  const device = rows.some((row) => row.device_total_ns > 0);
  return (
    <Page title="Operators" sentence={answerUnlessEmpty(byName, named, "This capture has no operators.")}>
      <Tabs param="by" tabs={TABS} label="Operators" />
      <Split
        aside={
          opened === undefined || tab === "runtime" ? null : (
            <OperatorDetail profile={profile} name={row?.name ?? opened} row={row} />
          )
        }
      >
        {tab === "runtime" ? (
          <Runtime profile={profile} />
        ) : (
          <Panel flush>
            <Load of={grouped} height="480px">
              {(data) => {
                if (rows.length === 0) return <Empty flag="activities=[ProfilerActivity.CPU, …]" />;
                if (grouping === "shape" && rows.every((row) => row.input_shapes === null))
                  return <Empty what="This capture has no input shapes." flag="record_shapes=True" />;
                if (grouping === "stack" && rows.every((row) => row.stack === null))
                  return (
                    <Empty
                      what="This capture has no call stacks at its operators. A Python stack of the whole thread, if there is one, is on the Functions and Timeline pages."
                      flag="with_stack=True"
                    />
                  );
                return (
                  <Described
                    of={OPERATORS}
                    id="op"
                    label="Operators"
                    rows={work.length === 0 ? rows : work}
                    cells={CELLS}
                    sort={device ? "-device_self_ns" : "-host_self_ns"}
                    what={["operator", "operators"]}
                    fill
                    note={<CutNote head={data} table="operators" shown={rows.length} />}
                    onOpen={(row) => set({ open: keyOf(row.name) })}
                    isOpen={(row) => keyOf(row.name) === opened}
                  />
                );
              }}
            </Load>
          </Panel>
        )}
      </Split>
    </Page>
  );
}
