// SPDX-License-Identifier: Apache-2.0
// Idle and launches: when devices had nothing to run and why, and what it takes to give them work.
import { useMemo } from "preact/hooks";
import {
  COPIES,
  type CopyRow,
  GAPS,
  type GapRow,
  IDLE,
  IDLE_CAUSES,
  type IdleRow,
  LAUNCHES,
  QUEUES,
} from "../../../api/generated";
import type { BarRow } from "../../../charts/draw_bars";
import { StackedBars } from "../../../charts/stacked_bars";
import { plural } from "../../../lib/text";
import { count, percent, time } from "../../../lib/units";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { type FileInfo, useReport } from "../../../state/report";
import { open } from "../../../state/route";
import type { Cells } from "../../../ui/described";
import { KeyValue } from "../../../ui/key_value";
import { Empty, Load, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { ReportPage } from "../shared/report_page";
import { CAUSES, type IdleCause, type IdleReport, type LaunchesReport, laneName } from "./data";
import { DelayHistogram, QueueCurve } from "./launch_pictures";

type Idle = NonNullable<IdleReport["idle"]>;
type Launches = NonNullable<LaunchesReport["launches"]>;

export default function IdlePage({ profile }: PageProps) {
  const report = useReport<IdleReport>(profile, "idle");
  const launches = useReport<LaunchesReport>(profile, "launches");
  const copies = useReport<{ copies: readonly CopyRow[] | null }>(profile, "copies");
  const origin = useOrigin(profile);
  const gaps = useMemo(() => gapCells(origin), [origin]);
  const idle = report.data?.idle;
  const empty = report.state === "ready" && !idle?.rows.length;
  return (
    <ReportPage
      title="Idle and launches"
      of={report}
      origin={origin}
      empty={empty}
      sentence={empty && "This capture has no device events."}
      nothing={<Empty flag="activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]" />}
    >
      <Panel title="Idle time by cause" note="busy time not drawn">
        <Load of={report} height="140px">
          {(data) => data.idle && <IdleBars idle={data.idle} files={data.files} />}
        </Load>
      </Panel>
      <TablePanel
        title="Devices and streams"
        from={report}
        of={IDLE}
        id="lanes"
        label="Idle time by device and stream"
        rows={idle?.rows}
        cells={LANES}
        what={["lane", "lanes"]}
        maxRows={12}
      />
      <TablePanel
        title="Longest gaps"
        note="nothing ran on the device; each opens in the timeline"
        from={report}
        of={GAPS}
        id="gaps"
        rows={idle?.longest_gaps}
        cells={gaps}
        onOpen={(gap) => open(timelineAddress(origin, gap.start_ns, gap.duration_ns))}
        what={["gap", "gaps"]}
        maxRows={10}
        toolbar={false}
      />
      <div class="columns">
        <Panel title="Delay from launch to start">
          <DelayHistogram profile={profile} />
        </Panel>
        <Panel title="Launches waiting on a stream" note="over time">
          <QueueCurve profile={profile} />
        </Panel>
      </div>
      <TablePanel
        title="Launch calls"
        from={launches}
        of={LAUNCHES}
        id="launches"
        rows={launches.data?.launches?.rows}
        what={["call", "calls"]}
        maxRows={10}
      />
      <div class="columns">
        <Panel title="Launches in numbers">
          <Load of={launches}>{(data) => data.launches && <Numbers launches={data.launches} />}</Load>
        </Panel>
        <TablePanel
          title="Queues"
          from={launches}
          of={QUEUES}
          id="queues"
          rows={launches.data?.launches?.queues}
          toolbar={false}
          maxRows={8}
        />
      </div>
      <TablePanel
        title="Copies"
        from={copies}
        of={COPIES}
        id="copies"
        label="Copies and sets"
        rows={copies.data?.copies}
        none={<Empty what="Nothing was copied or set." />}
        toolbar={false}
        maxRows={8}
      />
    </ReportPage>
  );
}

// A whole device has no stream of its own.
const LANES: Cells<IdleRow> = {
  stream: {
    value: (row) => (row.scope === "device" ? "all" : row.stream === null ? null : String(row.stream)),
  },
};

const gapCells = (origin: number | null): Cells<GapRow> => {
  const href = (gap: GapRow) => timelineAddress(origin, gap.start_ns, gap.duration_ns);
  return {
    cause: { value: (gap) => IDLE_CAUSES[gap.cause as IdleCause] ?? gap.cause },
    host: { href },
  };
};

const mainCause = (lane: IdleRow) =>
  [...CAUSES].sort((a, b) => lane[`${b.key}_ns`] - lane[`${a.key}_ns`])[0]?.title ?? IDLE_CAUSES.other;

const DRAWN = 24;

function IdleBars({ idle, files }: { readonly idle: Idle; readonly files: readonly FileInfo[] }) {
  const rows = useMemo<readonly BarRow[]>(
    () =>
      idle.rows.slice(0, DRAWN).map((lane) => ({
        label: laneName(lane, files),
        segments: CAUSES.map(({ key, title, color }) => ({
          key,
          title,
          color,
          value: lane[`${key}_ns`],
          lines: [
            `${count(lane[`${key}_gaps`])} ${plural(lane[`${key}_gaps`], "gap")}`,
            `idle ${percent(lane.idle_share)} of ${time(lane.window_ns)}`,
          ],
        })),
      })),
    [idle, files],
  );
  const summary = idle.rows
    .slice(0, 6)
    .map((lane) => `${laneName(lane, files)} idle ${percent(lane.idle_share)}, most: ${mainCause(lane)}`)
    .join("; ");
  return (
    <>
      <StackedBars name="idle" rows={rows} summary={`Idle time by cause: ${summary}.`} />
      {idle.rows.length > DRAWN ? (
        <p class="muted">
          {DRAWN} of {idle.rows.length} are drawn; the table has all.
        </p>
      ) : null}
    </>
  );
}

function Numbers({ launches }: { readonly launches: Launches }) {
  const sum = (of: (f: Launches["files"][number]) => number | null): number =>
    launches.files.reduce((all, f) => all + (of(f) ?? 0), 0);
  const all = sum((f) => f.launches);
  const graphs = sum((f) => f.graph_launches);
  const perStep = launches.files.map((f) => f.launches_per_step).filter((v) => v !== null);
  return (
    <KeyValue
      facts={[
        ["Launches", count(all)],
        ["Host time of them", time(sum((f) => f.host_total_ns))],
        ["A step", perStep.length === 0 ? null : `${count(Math.round(Math.max(...perStep)))} launches`],
        ["A second", `${count(Math.round(sum((f) => f.launches_per_second)))} launches`],
        [
          "Shorter than their launch",
          `${count(sum((f) => f.short_launches))} (${percent(sum((f) => f.short_launches) / (all || 1))})`,
        ],
        [
          "Graph launches",
          graphs === 0
            ? "none"
            : `${count(graphs)} with ${count(sum((f) => f.graph_device_events))} device events`,
        ],
        ["Device events without a launch", count(sum((f) => f.launch_missing))],
      ]}
    />
  );
}
