// SPDX-License-Identifier: Apache-2.0
// Distributed: ranks side by side, what each collective costs, how much of that is waiting, and for whom.
import { useMemo } from "preact/hooks";
import {
  ACTIVITIES,
  COLLECTIVES,
  type CollectiveRow,
  MATCHES,
  type MatchRow,
  RANKS,
  type RankRow,
} from "../../../api/generated";
import type { BarRow } from "../../../charts/draw_bars";
import { StackedBars } from "../../../charts/stacked_bars";
import { kernelName } from "../../../lib/kernel_names";
import { plural } from "../../../lib/text";
import { writeEvent } from "../../../lib/timeline_url";
import { count, percent, time } from "../../../lib/units";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { useReport } from "../../../state/report";
import { address, changed, open } from "../../../state/route";
import type { Cells } from "../../../ui/described";
import { Empty, Load, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { ReportPage } from "../shared/report_page";
import { type Distributed, type DistributedReport, rankName } from "./data";

export default function DistributedPage({ profile }: PageProps) {
  const report = useReport<DistributedReport>(profile, "distributed", { limit: 1500 });
  const origin = useOrigin(profile);
  const d = report.data?.distributed;
  const matches = useMemo(() => matchCells(d?.ranks ?? [], origin), [d, origin]);
  const empty = report.state === "ready" && (!d || (d.ranks.length < 2 && d.collectives.length === 0));
  const late = d?.stragglers.rows[0];
  return (
    <ReportPage
      title="Distributed"
      of={report}
      origin={origin}
      empty={empty}
      sentence={empty && "This profile has one rank, and no communication."}
      nothing={NOTHING}
    >
      <Panel title="Ranks" note="mean step of each">
        <Load of={report} height="160px">
          {(data) => data.distributed && <RankBars distributed={data.distributed} />}
        </Load>
      </Panel>
      <TablePanel
        title="Rank by rank"
        from={report}
        of={RANKS}
        id="ranks"
        label="Ranks"
        rows={d?.ranks}
        cells={RANK_CELLS}
        what={["rank", "ranks"]}
      />
      <TablePanel
        title="Collectives"
        note="waiting: beyond the fastest rank's time"
        from={report}
        of={COLLECTIVES}
        id="collectives"
        rows={d?.collectives}
        cells={COLLECTIVE_CELLS}
        what={["kind", "kinds"]}
        maxRows={12}
      />
      {!d || late === undefined ? null : (
        <div class="columns">
          <Panel
            title="Who came last"
            note={`of ${count(d.stragglers.decided + d.stragglers.undecided)} collectives`}
          >
            <LateBars distributed={d} />
          </Panel>
          <TablePanel
            title={`What ${rankName(d.ranks, late.file)} did meanwhile`}
            of={ACTIVITIES}
            id={`meanwhile${late.file}`}
            label="What the late rank did meanwhile"
            rows={late.meanwhile}
            toolbar={false}
            maxRows={10}
          />
        </div>
      )}
      {!d?.matches.length ? null : (
        <TablePanel
          title="Matched collectives"
          note="each opens in the timeline"
          of={MATCHES}
          id="matches"
          rows={d.matches}
          cells={matches}
          sort="-start_skew_ns"
          what={["collective", "collectives"]}
          maxRows={12}
        />
      )}
    </ReportPage>
  );
}

const NOTHING = (
  <Empty
    captured
    what="Ranks are compared when their traces are open together: put them into one folder and open that."
  >
    <p>
      <code>telltale view runs/log</code> takes the files of a capture together;{" "}
      <code>tensorboard_trace_handler(dir)</code> on each rank writes them there.
    </p>
  </Empty>
);

const RANK_CELLS: Cells<RankRow> = {
  file: { href: (row) => (row.rank === null ? null : address(changed({ rank: String(row.rank) }))) },
  clock: {
    value: (row) =>
      row.clock === "reference"
        ? "reference"
        : row.clock === "wall_clock"
          ? "not aligned"
          : `${time(row.clock_offset_ns)} ± ${time(row.clock_error_ns)}`,
  },
};

const COLLECTIVE_CELLS: Cells<CollectiveRow> = { name: { shown: (row) => kernelName(row.name) } };

const matchCells = (ranks: readonly RankRow[], origin: number | null): Cells<MatchRow> => ({
  name: {
    href: (row) => {
      // Of the rank that came last, for which the others waited.
      const event = row.members.find((m) => m.file === row.last_file) ?? row.members[0];
      return timelineAddress(
        origin,
        row.start_ns,
        Math.max(...row.members.map((m) => m.start_ns + (m.duration_ns ?? 0))) - row.start_ns,
        event === undefined ? {} : { event: writeEvent(event) },
      );
    },
  },
  last_file: { value: (row) => rankName(ranks, row.last_file) },
});

function RankBars({ distributed }: { readonly distributed: Distributed }) {
  const rows = useMemo<readonly BarRow[]>(
    () =>
      distributed.ranks.map((r) => ({
        label: rankName(distributed.ranks, r.file),
        segments: [
          { key: "computation", title: "computation", color: "--c-kernel", value: r.computation_ns },
          {
            key: "overlap",
            title: "computation and communication",
            color: "--c-memcpy",
            value: r.overlap_ns,
          },
          {
            key: "communication",
            title: "exposed communication",
            color: "--c-communication",
            value: r.communication_ns,
          },
          { key: "other", title: "other", color: "--c-other", value: r.other_ns },
        ].map((s) => ({
          ...s,
          ...(r.rank === null ? {} : { open: () => open(address(changed({ rank: String(r.rank) }))) }),
        })),
      })),
    [distributed],
  );
  const summary = distributed.ranks
    .map(
      (r) =>
        `${rankName(distributed.ranks, r.file)} ${time(r.average_ns)}, exposed communication ${percent(r.communication_ns / (r.average_ns || 1))}`,
    )
    .join("; ");
  return <StackedBars name="ranks" rows={rows} summary={`Mean step of each rank: ${summary}.`} />;
}

function LateBars({ distributed }: { readonly distributed: Distributed }) {
  const rows = useMemo<readonly BarRow[]>(
    () =>
      distributed.stragglers.rows.map((r) => ({
        label: `${rankName(distributed.ranks, r.file)}, last ${r.last}×`,
        segments: [
          {
            key: "waited",
            title: "time the others waited for it",
            color: "--c-sync",
            value: r.others_waited_ns,
          },
        ],
      })),
    [distributed],
  );
  const { undecided } = distributed.stragglers;
  return (
    <>
      <StackedBars name="stragglers" rows={rows} summary="Time that the other ranks waited for each rank." />
      {undecided > 0 ? (
        <p class="muted">
          {count(undecided)} {plural(undecided, "collective is", "collectives are")} undecided: the starts
          differ by less than the clocks' error.
        </p>
      ) : null}
    </>
  );
}
