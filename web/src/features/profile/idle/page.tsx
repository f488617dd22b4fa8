// SPDX-License-Identifier: Apache-2.0
// Idle and launches: when devices had nothing to run and why, and what it takes to give them work.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { BarRow } from "../../../charts/draw_bars";
import { StackedBars } from "../../../charts/stacked_bars";
import { plural } from "../../../lib/text";
import { count, percent, time } from "../../../lib/units";
import { useOrigin } from "../../../state/clock";
import { useReport } from "../../../state/report";
import { KeyValue } from "../../../ui/key_value";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import type { PageProps } from "../../page_props";
import { Findings } from "../shared/recommendations";
import { IDLE_CAUSES, type IdleReport, type Lane, type LaunchesReport, laneName } from "./data";
import { DelayHistogram, QueueCurve } from "./launch_pictures";
import { type Copy, CopyTable, GapTable, LaneTable, LaunchTable, QueueTable } from "./tables";

type Idle = NonNullable<IdleReport["idle"]>;
type Launches = NonNullable<LaunchesReport["launches"]>;

export default function IdlePage({ profile }: PageProps) {
  const idle = useReport<IdleReport>(profile, "idle");
  const launches = useReport<LaunchesReport>(profile, "launches");
  const copies = useReport<{ copies: readonly Copy[] | null }>(profile, "copies");
  const origin = useOrigin(profile);
  const findings = <Findings of={idle} origin={origin} />;
  const section = idle.state === "ready" ? idle.data.idle : null;
  if (idle.state === "ready" && (section === null || section.rows.length === 0))
    return <Nothing findings={findings} />;
  const files = idle.state === "ready" ? idle.data.files.length : 1;
  return (
    <Page
      title="Idle and launches"
      sentence={section === null || idle.state !== "ready" ? null : idle.data.answer}
    >
      <Panel title="Idle time by cause" note="busy time not drawn">
        <Load of={idle} height="140px">
          {(data) => data.idle && <IdleBars idle={data.idle} files={files} />}
        </Load>
      </Panel>
      <Panel title="Devices and streams" flush>
        <Load of={idle}>{(data) => <LaneTable lanes={data.idle?.rows ?? []} files={files} />}</Load>
      </Panel>
      <Panel title="Longest gaps" note="nothing ran on the device; each opens in the timeline" flush>
        <Load of={idle}>{(data) => <GapTable gaps={data.idle?.longest_gaps ?? []} origin={origin} />}</Load>
      </Panel>
      <div class="columns">
        <Panel title="Delay from launch to start">
          <DelayHistogram profile={profile} />
        </Panel>
        <Panel title="Launches waiting on a stream" note="over time">
          <QueueCurve profile={profile} />
        </Panel>
      </div>
      <Panel title="Launch calls" flush>
        <Load of={launches}>{(data) => <LaunchTable rows={data.launches?.rows ?? []} />}</Load>
      </Panel>
      <div class="columns">
        <Panel title="Launches in numbers">
          <Load of={launches}>{(data) => data.launches && <Numbers launches={data.launches} />}</Load>
        </Panel>
        <Panel title="Queues" flush>
          <Load of={launches}>
            {(data) => <QueueTable rows={data.launches?.queues ?? []} files={files} />}
          </Load>
        </Panel>
      </div>
      <Panel title="Copies" flush>
        <Load of={copies}>
          {(data) =>
            data.copies && data.copies.length > 0 ? (
              <CopyTable rows={data.copies} />
            ) : (
              <Empty what="Nothing was copied or set." />
            )
          }
        </Load>
      </Panel>
      {findings}
    </Page>
  );
}

const mainCause = (lane: Lane) =>
  [...IDLE_CAUSES].sort((a, b) => lane[`${b.key}_ns`] - lane[`${a.key}_ns`])[0] ?? IDLE_CAUSES[4];

const DRAWN = 24;

function IdleBars({ idle, files }: { readonly idle: Idle; readonly files: number }) {
  const rows = useMemo<readonly BarRow[]>(
    () =>
      idle.rows.slice(0, DRAWN).map((lane) => ({
        label: laneName(lane, files),
        segments: IDLE_CAUSES.map(({ key, title, color }) => ({
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
    .map(
      (lane) => `${laneName(lane, files)} idle ${percent(lane.idle_share)}, most: ${mainCause(lane).title}`,
    )
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

function Nothing({ findings }: { readonly findings: ComponentChildren }) {
  return (
    <Page title="Idle and launches" sentence="This capture has no device events.">
      <Panel>
        <Empty flag="activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]" />
      </Panel>
      {findings}
    </Page>
  );
}
