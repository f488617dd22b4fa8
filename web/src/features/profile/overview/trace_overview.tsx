// SPDX-License-Identifier: Apache-2.0
// The overview of a trace. Its parts come one by one, each as soon as the server has it.

import {
  CATEGORY_HELP,
  CATEGORY_TITLES,
  categoryColor,
  STEP_CATEGORIES,
  type StepCategory,
} from "../../../api/categories";
import { DEVICES, type DeviceRow, type KernelRow, type OperatorRow } from "../../../api/generated";
import type { Recommendation, StepsSection } from "../../../api/report";
import type { ProfileInfo } from "../../../api/types";
import { plural } from "../../../lib/text";
import { time } from "../../../lib/units";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { type FileInfo, sentenceOf, useReport } from "../../../state/report";
import { pageAddress } from "../../../state/route";
import { ShareBar } from "../../../ui/bar";
import { Empty, Failed, Load, Page, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import { Captured } from "../shared/captured";
import { Recommendations } from "../shared/recommendations";
import { StepsChart } from "../shared/steps_chart";
import { TopList } from "./top_list";

interface OverviewDocument {
  readonly steps?: StepsSection;
  readonly devices?: readonly DeviceRow[];
  readonly recommendations?: readonly Recommendation[];
}

export function TraceOverview({ profile }: { readonly profile: ProfileInfo }) {
  // One request for what is seen first.
  const overview = useReport<OverviewDocument>(profile, "overview");
  const operators = useReport<{ operators?: readonly OperatorRow[] }>(profile, "operators");
  const kernels = useReport<{ kernels?: readonly KernelRow[] }>(profile, "kernels");
  const origin = useOrigin(profile);
  if (overview.state === "failed") {
    return (
      <Page title="Overview">
        <Failed message={overview.message} />
      </Page>
    );
  }
  const operatorRows = (operators.data?.operators ?? []).filter((row) => row.work);
  const kernelRows = kernels.data?.kernels ?? [];
  const onDevice = kernelRows.length > 0;
  return (
    <Page title="Overview" sentence={sentenceOf(overview)}>
      <Load of={overview} height="150px">
        {(data) =>
          data.steps === undefined ? (
            <Empty what="This capture has no steps." />
          ) : (
            <StepPanels steps={data.steps} files={data.files} origin={origin} />
          )
        }
      </Load>
      <Panel title="What to try" actions={<a href={pageAddress("causes")}>All causes</a>}>
        <Load of={overview} lines={4}>
          {(data) => <Recommendations rows={data.recommendations ?? []} origin={origin} />}
        </Load>
      </Panel>
      <Load of={overview} height="90px">
        {({ devices = [], files }) =>
          devices.length === 0 ? null : (
            <TablePanel
              title="Devices"
              of={DEVICES}
              id="devices"
              rows={devices}
              files={files}
              toolbar={devices.length > 8}
              what={["device", "devices"]}
            />
          )
        }
      </Load>
      <div class="columns">
        <Panel
          title="Top operators"
          note={onDevice ? "by own device time" : "by own CPU time"}
          actions={<a href={pageAddress("operators")}>All operators</a>}
        >
          <Load of={operators} lines={5}>
            {() => (
              <TopList
                page="operators"
                rows={operatorRows}
                value={(row) => (onDevice ? row.device_self_ns : row.host_self_ns)}
              />
            )}
          </Load>
        </Panel>
        {kernels.state === "ready" && !onDevice ? null : (
          <Panel
            title="Top kernels"
            note="by device time"
            actions={<a href={pageAddress("kernels")}>All kernels</a>}
          >
            <Load of={kernels} lines={5}>
              {() => <TopList page="kernels" rows={kernelRows} value={(row) => row.total_ns} />}
            </Load>
          </Panel>
        )}
      </div>
      <Panel title="What was captured">
        <Load of={operators} lines={5}>
          {(data) => <Captured profile={profile} head={data} />}
        </Load>
      </Panel>
    </Page>
  );
}

const DEVICE_CATEGORIES: readonly StepCategory[] = ["kernel", "memcpy", "memset", "runtime"];
const HOST_CATEGORIES: readonly StepCategory[] = ["dataloader", "cpu_exec", "other"];

interface StepPanelsProps {
  readonly steps: StepsSection;
  readonly files: readonly FileInfo[];
  readonly origin: number | null;
}

function StepPanels({ steps, files, origin }: StepPanelsProps) {
  const complete = steps.rows.filter((row) => row.complete).length;
  const typical = steps.rows[steps.typical ?? 0] ?? null;
  const average = steps.average_ns ?? typical?.duration_ns ?? 0;
  const whole = steps.source === "whole_trace";
  const times = steps.average_ns === null ? (typical?.categories ?? steps.categories) : steps.categories;
  // Of a capture without a device what only a device does is not worth a place.
  const took = (c: StepCategory): boolean => steps.rows.some((row) => row.categories[c] > 0);
  const onDevice = DEVICE_CATEGORIES.some(took);
  const categories = STEP_CATEGORIES.filter((c) => onDevice || took(c) || HOST_CATEGORIES.includes(c));
  const note = whole
    ? `${time(average)}, the whole trace`
    : `${time(average)}, mean of ${complete || 1} complete ${plural(complete, "step")}${complete < steps.rows.length ? ` of ${steps.rows.length}` : ""}`;
  return (
    <>
      <Panel title={whole ? "Where the time goes" : "Where an average step goes"} note={note}>
        <ShareBar
          label={whole ? "Time of the trace" : "Time of an average step"}
          total={average}
          shares={categories.map((c) => {
            const value = times[c] ?? 0;
            const href = typical
              ? timelineAddress(origin, typical.start_ns, typical.duration_ns, { lit: c })
              : undefined;
            return {
              key: c,
              title: CATEGORY_TITLES[c],
              value,
              text: time(value),
              color: categoryColor(c),
              help: CATEGORY_HELP[c],
              href,
            };
          })}
        />
        <OtherInside steps={steps} origin={origin} />
      </Panel>
      {steps.rows.length < 2 ? null : (
        <Panel
          title="Steps"
          note="drag over steps to look at those alone"
          actions={<a href={pageAddress("steps")}>All steps</a>}
        >
          <StepsChart rows={steps.rows} files={files} />
        </Panel>
      )}
    </>
  );
}

const NAMED_PARTS = 3;

// What the host was in while nothing else ran; each leads to its longest stretch.
function OtherInside({ steps, origin }: { readonly steps: StepsSection; readonly origin: number | null }) {
  const parts = steps.other_inside.slice(0, NAMED_PARTS);
  if (parts.length === 0) return null;
  const more = steps.other_inside.length - parts.length;
  return (
    <p class="other-inside muted">
      {CATEGORY_TITLES.other}:{" "}
      {parts.map((row, i) => (
        <span key={`${row.kind} ${row.what}`}>
          {i === 0 ? "" : ", "}
          <a href={timelineAddress(origin, row.longest_start_ns, row.longest_ns)}>{row.what}</a>{" "}
          <span class="num">{time(row.ns)}</span>
        </span>
      ))}
      {more === 0 ? null : (
        <>
          , <a href={pageAddress("steps")}>{`${more} more`}</a>
        </>
      )}
    </p>
  );
}
