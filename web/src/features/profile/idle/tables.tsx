// SPDX-License-Identifier: Apache-2.0
// Lanes, gaps, launch calls, queues and copies.
import { useMemo } from "preact/hooks";
import { open } from "../../../charts/open";
import { timelineAddress } from "../../../state/clock";
import { pageAddress } from "../../../state/route";
import { field, kernelShown } from "../../../ui/columns";
import { type Column, Table } from "../../../ui/table";
import { type Gap, IDLE_CAUSES, type Lane, type LaunchRow, laneName, type Queue } from "./data";

const laneColumns = (files: number): readonly Column<Lane>[] => [
  { key: "lane", title: "Device or stream", quantity: "text", value: (r) => laneName(r, files) },
  field("events", "Events", "count", { spare: 3 }),
  field("window_ns", "Window", "time", { sum: false, hidden: true }),
  field("idle_ns", "Idle", "time", { bar: true }),
  field("idle_share", "Share", "percent"),
  ...IDLE_CAUSES.map(
    (cause): Column<Lane> => ({
      key: `${cause.key}_ns`,
      title:
        cause.key === "host_wait"
          ? "Host"
          : cause.key === "synchronisation"
            ? "Sync"
            : cause.key === "kernel_wait"
              ? "Kernel"
              : cause.key === "input"
                ? "Input"
                : "Other",
      quantity: "time",
      width: 88,
      value: (r) => r[`${cause.key}_ns`],
      help: cause.title,
    }),
  ),
  field("gaps", "Gaps", "count", { spare: 1 }),
  field("gap_max_ns", "Longest", "time", { sum: false, spare: 2 }),
];
export function LaneTable({ lanes, files }: { readonly lanes: readonly Lane[]; readonly files: number }) {
  const columns = useMemo(() => laneColumns(files), [files]);
  return (
    <Table
      id="lanes"
      label="Idle time by device and stream"
      columns={columns}
      rows={lanes}
      what={["lane", "lanes"]}
      maxRows={12}
    />
  );
}

const causeTitle = (key: string): string => IDLE_CAUSES.find((c) => c.key === key)?.title ?? key;
const gapColumns = (gaps: readonly Gap[], origin: number | null): readonly Column<Gap>[] => [
  field("duration_ns", "Gap", "time", {
    bar: true,
    sum: false,
    href: (r) => timelineAddress(origin, r.start_ns, r.duration_ns),
  }),
  ...(gaps.every((gap) => gap.device === gaps[0]?.device)
    ? []
    : [field<Gap>("device", "Device", "text", { width: 70 })]),
  {
    key: "cause",
    title: "Cause",
    quantity: "text",
    width: 170,
    whole: true,
    value: (r) => causeTitle(r.cause),
  },
  field("host", "The host was in", "text", {
    href: (r) => timelineAddress(origin, r.start_ns, r.duration_ns),
  }),
  field("host_ns", "For", "time", { sum: false }),
  field("before", "Before", "text", {
    shown: kernelShown(gaps, (r) => r.before),
    href: (r) => (r.before ? pageAddress("kernels", { open: r.before }) : null),
  }),
  field("after", "After", "text", {
    shown: kernelShown(gaps, (r) => r.after),
    href: (r) => (r.after ? pageAddress("kernels", { open: r.after }) : null),
  }),
];
export function GapTable({
  gaps,
  origin,
}: {
  readonly gaps: readonly Gap[];
  readonly origin: number | null;
}) {
  const columns = useMemo(() => gapColumns(gaps, origin), [gaps, origin]);
  return (
    <Table
      id="gaps"
      label="Longest gaps"
      columns={columns}
      rows={gaps}
      onOpen={(gap) => open(timelineAddress(origin, gap.start_ns, gap.duration_ns))}
      what={["gap", "gaps"]}
      maxRows={10}
      toolbar={false}
    />
  );
}

const LAUNCHES: readonly Column<LaunchRow>[] = [
  field("name", "Call", "text", { href: (r) => pageAddress("timeline", { q: r.name }) }),
  field("calls", "Calls", "count"),
  field("device_events", "Device events", "count", { spare: 1 }),
  field("host_total_ns", "Host", "time", { bar: true }),
  field("host_mean_ns", "Mean", "time", { sum: false, spare: 2 }),
  field("delay_median_ns", "Delay median", "time", {
    sum: false,
    help: "From the call's end to the start of its first device event",
  }),
  field("delay_mean_ns", "Delay mean", "time", { sum: false, spare: 4 }),
  field("delay_p99_ns", "Delay p99", "time", { sum: false }),
  field("delay_max_ns", "Delay max", "time", { sum: false, spare: 3 }),
  field("short_share", "Short", "percent", { help: "Launches whose work took less time than launching it" }),
];
export function LaunchTable({ rows }: { readonly rows: readonly LaunchRow[] }) {
  return (
    <Table
      id="launches"
      label="Launch calls"
      columns={LAUNCHES}
      rows={rows}
      what={["call", "calls"]}
      maxRows={10}
    />
  );
}

const queueColumns = (files: number): readonly Column<Queue>[] => [
  { key: "lane", title: "Stream", quantity: "text", value: (r) => laneName(r, files) },
  field("launches", "Launches", "count"),
  field("mean_length", "Mean length", "number", { sum: false, bar: true }),
  field("max_length", "Longest", "count", { sum: false }),
  field("full_share", "Full", "percent", {
    help: "Time with 1024 or more: a further launch blocks its caller",
  }),
];
export function QueueTable({ rows, files }: { readonly rows: readonly Queue[]; readonly files: number }) {
  const columns = useMemo(() => queueColumns(files), [files]);
  return <Table id="queues" label="Queues" columns={columns} rows={rows} toolbar={false} maxRows={8} />;
}

export interface Copy {
  readonly name: string;
  readonly direction: string | null;
  readonly pageable: boolean | null;
  readonly calls: number;
  readonly total_ns: number;
  readonly max_ns: number;
  readonly bytes: number | null;
  readonly bandwidth_gb_per_s: number | null;
}
const COPIES: readonly Column<Copy>[] = [
  field("name", "Copy", "text", { href: (r) => pageAddress("timeline", { q: r.name }) }),
  field("calls", "Calls", "count"),
  field("bytes", "Data", "bytes"),
  field("total_ns", "Time", "time", { bar: true }),
  field("max_ns", "Longest", "time", { sum: false }),
  field("bandwidth_gb_per_s", "GB/s", "number", { sum: false }),
];
export function CopyTable({ rows }: { readonly rows: readonly Copy[] }) {
  return (
    <Table id="copies" label="Copies and sets" columns={COPIES} rows={rows} toolbar={false} maxRows={8} />
  );
}
