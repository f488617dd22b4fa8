// SPDX-License-Identifier: Apache-2.0
// Every step with its eight exclusive parts.
import { useMemo } from "preact/hooks";
import { STEP_CATEGORIES } from "../../../api/categories";
import { OTHER_INSIDE, type OtherRow, STEPS, type StepRow } from "../../../api/generated";
import type { StepsSection } from "../../../api/report";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { sentenceOf, useReport } from "../../../state/report";
import type { Cells } from "../../../ui/described";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { StepsChart } from "../shared/steps_chart";

const PARTS = Object.fromEntries(STEP_CATEGORIES.map((c) => [c, { bar: true }]));

export default function Steps({ profile }: PageProps) {
  const report = useReport<{ steps?: StepsSection }>(profile, "steps");
  const origin = useOrigin(profile);
  const steps = report.data?.steps;
  const files = report.data?.files ?? [];
  const begin = useMemo(
    () => origin ?? Math.min(...(steps?.rows.map((row) => row.start_ns) ?? [])),
    [steps, origin],
  );
  const cells = useMemo<Cells<StepRow>>(
    () => ({
      ...PARTS,
      name: { href: (row) => timelineAddress(origin, row.start_ns, row.duration_ns) ?? null },
    }),
    [origin],
  );
  const otherCells = useMemo<Cells<OtherRow>>(
    () => ({
      what: { href: (row) => timelineAddress(origin, row.longest_start_ns, row.longest_ns) ?? null },
    }),
    [origin],
  );
  return (
    <Page title="Steps" sentence={sentenceOf(report)}>
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
              <TablePanel
                of={STEPS}
                id="steps"
                label="Steps"
                files={files}
                origin={begin}
                cells={cells}
                rows={steps.rows}
                what={["step", "steps"]}
                fill
              />
              {steps.other_inside.length === 0 ? null : (
                <TablePanel
                  title="What Other is"
                  note="in an average step"
                  of={OTHER_INSIDE}
                  id="other_inside"
                  files={files}
                  origin={begin}
                  cells={otherCells}
                  rows={steps.other_inside}
                  what={["part", "parts"]}
                />
              )}
            </>
          )
        }
      </Load>
    </Page>
  );
}
