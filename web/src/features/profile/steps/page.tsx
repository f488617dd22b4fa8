// SPDX-License-Identifier: Apache-2.0
// Every step with its eight exclusive parts.
import { useMemo } from "preact/hooks";
import type { StepRow, StepsSection } from "../../../api/report";
import { CATEGORY_HELP, CATEGORY_TITLES, STEP_CATEGORIES } from "../../../lib/category";
import { rankLabel } from "../../../lib/steps";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { type FileInfo, useReport } from "../../../state/report";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import type { PageProps } from "../../page_props";
import { StepsChart } from "../shared/steps_chart";

function columnsOf(
  steps: StepsSection,
  files: readonly FileInfo[],
  origin: number | null,
): readonly Column<StepRow>[] {
  const begin = origin ?? Math.min(...steps.rows.map((row) => row.start_ns));
  const columns: Column<StepRow>[] = [
    {
      key: "name",
      title: "Step",
      quantity: "text",
      width: 130,
      value: (row) => row.name,
      href: (row) => timelineAddress(origin, row.start_ns, row.duration_ns) ?? null,
    },
  ];
  if (files.length > 1)
    columns.push({
      key: "file",
      title: "Rank",
      quantity: "text",
      width: 120,
      value: (row) => rankLabel(files, row.file),
    });
  columns.push(
    {
      key: "start_ns",
      title: "Starts at",
      quantity: "time",
      sum: false,
      width: 104,
      spare: 3,
      value: (row) => row.start_ns - begin,
    },
    {
      key: "duration_ns",
      title: "Duration",
      quantity: "time",
      bar: true,
      width: 124,
      value: (row) => row.duration_ns,
    },
  );
  for (const c of STEP_CATEGORIES) {
    columns.push({
      key: c,
      title: CATEGORY_TITLES[c],
      quantity: "time",
      width: CATEGORY_TITLES[c].length > 11 ? 142 : 112,
      bar: true,
      like: "duration_ns",
      ...(c === "memset" ? { spare: 2 } : c === "other" ? { spare: 1 } : {}),
      help: CATEGORY_HELP[c],
      hidden: steps.rows.every((row) => row.categories[c] === 0),
      value: (row) => row.categories[c],
    });
  }
  columns.push(
    {
      key: "device_events",
      title: "Device events",
      quantity: "count",
      width: 120,
      spare: 4,
      value: (row) => row.device_events,
    },
    {
      key: "complete",
      title: "Complete",
      quantity: "text",
      width: 92,
      help: "A last step that the capture cut off is no part of averages",
      value: (row) => (row.complete ? "yes" : "no"),
    },
  );
  return columns;
}

export default function Steps({ profile }: PageProps) {
  const report = useReport<{ steps?: StepsSection }>(profile, "steps");
  const origin = useOrigin(profile);
  const steps = report.state === "ready" ? report.data.steps : undefined;
  const files = report.state === "ready" ? report.data.files : [];
  const columns = useMemo(
    () => (steps === undefined ? [] : columnsOf(steps, files, origin)),
    [steps, files, origin],
  );
  return (
    <Page title="Steps" sentence={report.state !== "ready" ? null : report.data.answer}>
      <Load of={report} height="480px">
        {() =>
          steps === undefined || steps.rows.length === 0 ? (
            <Empty what="This capture has no steps." flag="prof.step() at the end of each iteration" />
          ) : (
            <>
              {steps.rows.length < 2 ? null : (
                <Panel title="Durations" note="drag over steps to look at those alone">
                  <StepsChart rows={steps.rows} files={files} />
                </Panel>
              )}
              <Panel flush>
                <Table
                  id="steps"
                  label="Steps"
                  columns={columns}
                  rows={steps.rows}
                  what={["step", "steps"]}
                  fill
                />
              </Panel>
            </>
          )
        }
      </Load>
    </Page>
  );
}
