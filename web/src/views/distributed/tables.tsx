// SPDX-License-Identifier: Apache-2.0
// Ranks, collectives, single matched collectives, and what a late rank did meanwhile.
import { useMemo } from "preact/hooks";
import { type Column, Table } from "../../components/table";
import { time } from "../../lib/units";
import { timelineAddress } from "../../state/clock";
import { address, changed } from "../../state/route";
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
  { key: "average_ns", title: "Step", quantity: "time", bar: true, sum: false, value: (r) => r.average_ns },
  {
    key: "computation_ns",
    title: "Computation",
    quantity: "time",
    width: 124,
    value: (r) => r.computation_ns,
  },
  { key: "overlap_ns", title: "Overlap", quantity: "time", value: (r) => r.overlap_ns },
  {
    key: "communication_ns",
    title: "Communication",
    quantity: "time",
    width: 144,
    value: (r) => r.communication_ns,
    help: "Exposed: nothing computes meanwhile",
  },
  { key: "other_ns", title: "Other", quantity: "time", value: (r) => r.other_ns },
  {
    key: "transfer_ns",
    title: "Transfer",
    quantity: "time",
    value: (r) => r.transfer_ns,
    help: "What the matched collectives need at least",
  },
  {
    key: "waiting_ns",
    title: "Waiting",
    quantity: "time",
    value: (r) => r.waiting_ns,
    help: "For the last rank to arrive",
  },
  {
    key: "collectives",
    title: "Collectives",
    quantity: "count",
    width: 110,
    hidden: true,
    value: (r) => r.collectives,
  },
  { key: "matched", title: "Matched", quantity: "count", hidden: true, value: (r) => r.matched },
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
  { key: "name", title: "Collective", quantity: "text", width: 140, value: (r) => r.name },
  { key: "group", title: "Group", quantity: "text", width: 110, value: (r) => r.group },
  { key: "group_size", title: "Ranks", quantity: "count", width: 72, sum: false, value: (r) => r.group_size },
  { key: "dtype", title: "Type", quantity: "text", width: 90, value: (r) => r.dtype },
  { key: "calls", title: "Calls", quantity: "count", width: 80, value: (r) => r.calls },
  { key: "total_bytes", title: "Data", quantity: "bytes", value: (r) => r.total_bytes },
  {
    key: "total_ns",
    title: "Time",
    quantity: "time",
    bar: true,
    value: (r) => r.total_ns,
    help: "Over all ranks",
  },
  { key: "mean_ns", title: "Mean", quantity: "time", sum: false, hidden: true, value: (r) => r.mean_ns },
  { key: "max_ns", title: "Longest", quantity: "time", sum: false, value: (r) => r.max_ns },
  { key: "transfer_ns", title: "Transfer", quantity: "time", value: (r) => r.transfer_ns },
  { key: "waiting_ns", title: "Waiting", quantity: "time", bar: true, value: (r) => r.waiting_ns },
  {
    key: "bus_bandwidth_gb_per_s",
    title: "Bus GB/s",
    quantity: "number",
    sum: false,
    value: (r) => r.bus_bandwidth_gb_per_s,
    help: "Size ÷ transfer × the usual factor of the collective; without matched ranks it includes waiting",
  },
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
  {
    key: "name",
    title: "Collective",
    quantity: "text",
    value: (r) => r.name,
    href: (r) =>
      timelineAddress(
        origin,
        r.start_ns,
        Math.max(...r.members.map((m) => m.start_ns + (m.duration_ns ?? 0))) - r.start_ns,
      ),
  },
  { key: "step", title: "Step", quantity: "text", width: 80, value: (r) => r.step },
  { key: "bytes", title: "Data", quantity: "bytes", value: (r) => r.bytes },
  {
    key: "start_skew_ns",
    title: "Skew",
    quantity: "time",
    bar: true,
    sum: false,
    value: (r) => r.start_skew_ns,
    help: "From the first rank's start to the last one's",
  },
  { key: "transfer_ns", title: "Transfer", quantity: "time", value: (r) => r.transfer_ns },
  {
    key: "last_file",
    title: "Came last",
    quantity: "text",
    width: 110,
    value: (r) => rankName(d.ranks, r.last_file),
  },
  {
    key: "bus_bandwidth_gb_per_s",
    title: "Bus GB/s",
    quantity: "number",
    sum: false,
    value: (r) => r.bus_bandwidth_gb_per_s,
  },
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
  { key: "name", title: "What it did", quantity: "text", value: (r) => r.name },
  { key: "kind", title: "Kind", quantity: "text", width: 110, value: (r) => r.kind },
  { key: "time_ns", title: "Here", quantity: "time", bar: true, value: (r) => r.time_ns },
  {
    key: "others_ns",
    title: "Others",
    quantity: "time",
    value: (r) => r.others_ns,
    help: "Mean of the other ranks before the same collectives",
  },
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
