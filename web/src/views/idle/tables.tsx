// SPDX-License-Identifier: Apache-2.0
// Lanes, gaps, launch calls, queues and copies.
import { useMemo } from "preact/hooks";
import { open } from "../../charts/open";
import { type Column, Table } from "../../components/table";
import { timelineAddress } from "../../state/clock";
import { pageAddress } from "../../state/route";
import { type Gap, IDLE_CAUSES, type Lane, type LaunchRow, laneName, type Queue } from "./data";

const laneColumns = (files: number): readonly Column<Lane>[] => [
  { key: "lane", title: "Device or stream", quantity: "text", value: (r) => laneName(r, files) },
  { key: "events", title: "Events", quantity: "count", width: 84, value: (r) => r.events },
  {
    key: "window_ns",
    title: "Window",
    quantity: "time",
    sum: false,
    hidden: true,
    value: (r) => r.window_ns,
  },
  { key: "idle_ns", title: "Idle", quantity: "time", bar: true, value: (r) => r.idle_ns },
  { key: "idle_share", title: "Share", quantity: "percent", width: 80, value: (r) => r.idle_share },
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
  { key: "gaps", title: "Gaps", quantity: "count", width: 84, value: (r) => r.gaps },
  { key: "gap_max_ns", title: "Longest", quantity: "time", sum: false, value: (r) => r.gap_max_ns },
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
const gapColumns = (origin: number | null): readonly Column<Gap>[] => [
  {
    key: "duration_ns",
    title: "Gap",
    quantity: "time",
    bar: true,
    sum: false,
    width: 110,
    value: (r) => r.duration_ns,
    href: (r) => timelineAddress(origin, r.start_ns, r.duration_ns),
  },
  { key: "device", title: "Device", quantity: "text", width: 70, value: (r) => r.device },
  { key: "cause", title: "Cause", quantity: "text", width: 170, value: (r) => causeTitle(r.cause) },
  {
    key: "host",
    title: "The host was in",
    quantity: "text",
    value: (r) => r.host,
    href: (r) => timelineAddress(origin, r.start_ns, r.duration_ns),
  },
  { key: "host_ns", title: "For", quantity: "time", sum: false, value: (r) => r.host_ns },
  {
    key: "before",
    title: "Before",
    quantity: "text",
    value: (r) => r.before,
    href: (r) => (r.before ? pageAddress("kernels", { open: r.before }) : null),
  },
  {
    key: "after",
    title: "After",
    quantity: "text",
    value: (r) => r.after,
    href: (r) => (r.after ? pageAddress("kernels", { open: r.after }) : null),
  },
];
export function GapTable({
  gaps,
  origin,
}: {
  readonly gaps: readonly Gap[];
  readonly origin: number | null;
}) {
  const columns = useMemo(() => gapColumns(origin), [origin]);
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
  {
    key: "name",
    title: "Call",
    quantity: "text",
    value: (r) => r.name,
    href: (r) => pageAddress("timeline", { q: r.name }),
  },
  { key: "calls", title: "Calls", quantity: "count", width: 84, value: (r) => r.calls },
  {
    key: "device_events",
    title: "Device events",
    quantity: "count",
    width: 124,
    value: (r) => r.device_events,
  },
  { key: "host_total_ns", title: "Host", quantity: "time", bar: true, value: (r) => r.host_total_ns },
  { key: "host_mean_ns", title: "Mean", quantity: "time", sum: false, value: (r) => r.host_mean_ns },
  {
    key: "delay_median_ns",
    title: "Delay median",
    quantity: "time",
    width: 136,
    sum: false,
    value: (r) => r.delay_median_ns,
    help: "From the call's end to the start of its first device event",
  },
  {
    key: "delay_mean_ns",
    title: "Delay mean",
    quantity: "time",
    width: 124,
    sum: false,
    value: (r) => r.delay_mean_ns,
  },
  {
    key: "delay_p99_ns",
    title: "Delay p99",
    quantity: "time",
    width: 116,
    sum: false,
    value: (r) => r.delay_p99_ns,
  },
  {
    key: "delay_max_ns",
    title: "Delay max",
    quantity: "time",
    width: 116,
    sum: false,
    value: (r) => r.delay_max_ns,
  },
  {
    key: "short_share",
    title: "Short",
    quantity: "percent",
    width: 84,
    value: (r) => r.short_share,
    help: "Launches whose work took less time than launching it",
  },
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
  { key: "launches", title: "Launches", quantity: "count", value: (r) => r.launches },
  {
    key: "mean_length",
    title: "Mean length",
    quantity: "number",
    width: 116,
    sum: false,
    value: (r) => r.mean_length,
    bar: true,
  },
  { key: "max_length", title: "Longest", quantity: "count", sum: false, value: (r) => r.max_length },
  {
    key: "full_share",
    title: "Full",
    quantity: "percent",
    width: 80,
    value: (r) => r.full_share,
    help: "Time with 1024 or more: a further launch blocks its caller",
  },
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
  {
    key: "name",
    title: "Copy",
    quantity: "text",
    value: (r) => r.name,
    href: (r) => pageAddress("timeline", { q: r.name }),
  },
  { key: "calls", title: "Calls", quantity: "count", width: 84, value: (r) => r.calls },
  { key: "bytes", title: "Data", quantity: "bytes", value: (r) => r.bytes },
  { key: "total_ns", title: "Time", quantity: "time", bar: true, value: (r) => r.total_ns },
  { key: "max_ns", title: "Longest", quantity: "time", sum: false, value: (r) => r.max_ns },
  {
    key: "bandwidth_gb_per_s",
    title: "GB/s",
    quantity: "number",
    sum: false,
    value: (r) => r.bandwidth_gb_per_s,
  },
];
export function CopyTable({ rows }: { readonly rows: readonly Copy[] }) {
  return (
    <Table id="copies" label="Copies and sets" columns={COPIES} rows={rows} toolbar={false} maxRows={8} />
  );
}
