// SPDX-License-Identifier: Apache-2.0
// Ranks, collectives, single matched collectives, and what a late rank did meanwhile.
import { useMemo } from "preact/hooks";
import { kernelName } from "../../../lib/kernel_names";
import { writeEvent } from "../../../lib/timeline_url";
import { time } from "../../../lib/units";
import { timelineAddress } from "../../../state/clock";
import { address, changed } from "../../../state/route";
import { field } from "../../../ui/columns";
import { type Column, Table } from "../../../ui/table";
import { type Collective, type Distributed, type Match, type Rank, rankName, type Straggler } from "./data";

const RANKS: readonly Column<Rank>[] = [
  {
    key: "rank",
    title: "Rank",
    quantity: "text",
    width: 110,
    value: (r) => (r.rank === null ? `file ${r.file}` : `rank ${r.rank}`),
    href: (r) => (r.rank === null ? null : address(changed({ rank: String(r.rank) }))),
  },
  field("average_ns", "Step", "time", { bar: true, sum: false }),
  field("computation_ns", "Computation", "time"),
  field("overlap_ns", "Overlap", "time"),
  field("communication_ns", "Communication", "time", { help: "Exposed: nothing computes meanwhile" }),
  field("other_ns", "Other", "time"),
  field("transfer_ns", "Transfer", "time", { help: "What the matched collectives need at least" }),
  field("waiting_ns", "Waiting", "time", { help: "For the last rank to arrive" }),
  field("collectives", "Collectives", "count", { hidden: true }),
  field("matched", "Matched", "count", { hidden: true }),
  {
    key: "clock",
    title: "Clock",
    quantity: "text",
    width: 170,
    value: (r) =>
      r.clock === "reference"
        ? "reference"
        : r.clock === "wall_clock"
          ? "not aligned"
          : `${time(r.clock_offset_ns)} ± ${time(r.clock_error_ns)}`,
  },
];
export function RankTable({ ranks }: { readonly ranks: readonly Rank[] }) {
  return (
    <Table id="ranks" label="Ranks" columns={RANKS} rows={ranks} what={["rank", "ranks"]} maxRows={16} />
  );
}

const COLLECTIVES: readonly Column<Collective>[] = [
  field("name", "Collective", "text", { width: 140, shown: (r) => kernelName(r.name) }),
  field("group", "Group", "text", { width: 110 }),
  field("group_size", "Ranks", "count", { sum: false }),
  field("dtype", "Type", "text", { width: 90 }),
  field("calls", "Calls", "count"),
  field("total_bytes", "Data", "bytes"),
  field("total_ns", "Time", "time", { bar: true, help: "Over all ranks" }),
  field("mean_ns", "Mean", "time", { sum: false, hidden: true }),
  field("max_ns", "Longest", "time", { sum: false }),
  field("transfer_ns", "Transfer", "time"),
  field("waiting_ns", "Waiting", "time", { bar: true }),
  field("bus_bandwidth_gb_per_s", "Bus GB/s", "number", {
    sum: false,
    help: "Size ÷ transfer × the usual factor of the collective; without matched ranks it includes waiting",
  }),
];
export function CollectiveTable({ rows }: { readonly rows: readonly Collective[] }) {
  return (
    <Table
      id="collectives"
      label="Collectives"
      columns={COLLECTIVES}
      rows={rows}
      what={["kind", "kinds"]}
      maxRows={12}
    />
  );
}

const matchColumns = (d: Distributed, origin: number | null): readonly Column<Match>[] => [
  field("name", "Collective", "text", {
    href: (r) => {
      // Of the rank that came last, for which the others waited.
      const event = r.members.find((m) => m.file === r.last_file) ?? r.members[0];
      return timelineAddress(
        origin,
        r.start_ns,
        Math.max(...r.members.map((m) => m.start_ns + (m.duration_ns ?? 0))) - r.start_ns,
        event === undefined ? {} : { event: writeEvent(event) },
      );
    },
  }),
  field("step", "Step", "text", { width: 80 }),
  field("bytes", "Data", "bytes"),
  field("start_skew_ns", "Skew", "time", {
    bar: true,
    sum: false,
    help: "From the first rank's start to the last one's",
  }),
  field("transfer_ns", "Transfer", "time"),
  {
    key: "last_file",
    title: "Came last",
    quantity: "text",
    width: 110,
    value: (r) => rankName(d.ranks, r.last_file),
  },
  field("bus_bandwidth_gb_per_s", "Bus GB/s", "number", { sum: false }),
];
export function MatchTable({
  distributed,
  origin,
}: {
  readonly distributed: Distributed;
  readonly origin: number | null;
}) {
  const columns = useMemo(() => matchColumns(distributed, origin), [distributed, origin]);
  return (
    <Table
      id="matches"
      label="Matched collectives"
      columns={columns}
      rows={distributed.matches}
      sort="-start_skew_ns"
      what={["collective", "collectives"]}
      maxRows={12}
    />
  );
}

type Meanwhile = Straggler["meanwhile"][number];
const MEANWHILE: readonly Column<Meanwhile>[] = [
  field("name", "What it did", "text"),
  field("kind", "Kind", "text", { width: 110 }),
  field("time_ns", "Here", "time", { bar: true }),
  field("others_ns", "Others", "time", { help: "Mean of the other ranks before the same collectives" }),
];
export function MeanwhileTable({ straggler }: { readonly straggler: Straggler }) {
  return (
    <Table
      id={`meanwhile${straggler.file}`}
      label="What the late rank did meanwhile"
      columns={MEANWHILE}
      rows={straggler.meanwhile}
      toolbar={false}
      maxRows={10}
    />
  );
}
