// SPDX-License-Identifier: Apache-2.0
// All calls of the device's runtime: how often, how long, and of those that launched work how long until it began.
import { useMemo } from "preact/hooks";
import type { ProfileInfo } from "../../../api/types";
import { useReport } from "../../../state/report";
import { Empty, Load, Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";

interface Named {
  readonly file: number;
  readonly name: string;
}
interface CallRow extends Named {
  readonly calls: number;
  readonly host_total_ns: number;
  readonly host_mean_ns: number;
  readonly host_max_ns: number;
}
interface LaunchRow extends Named {
  readonly device_total_ns: number;
  readonly delay_median_ns: number | null;
  readonly delay_p99_ns: number | null;
}
// What a call launched; nothing where it only allocates, frees or waits.
type RuntimeRow = CallRow & Partial<LaunchRow>;

interface RuntimeReport {
  readonly launches?: { readonly runtime: readonly CallRow[]; readonly rows: readonly LaunchRow[] };
}

const NONE: readonly RuntimeRow[] = [];

function joined({ launches }: RuntimeReport): readonly RuntimeRow[] {
  if (launches === undefined) return NONE;
  const keyOf = (row: Named): string => `${row.file} ${row.name}`;
  const launched = new Map(launches.rows.map((row) => [keyOf(row), row]));
  return launches.runtime.map((row) => ({ ...launched.get(keyOf(row)), ...row }));
}

const columns: readonly Column<RuntimeRow>[] = [
  { key: "name", title: "Call", quantity: "text", mono: true, value: (row) => row.name },
  { key: "calls", title: "Calls", quantity: "count", value: (row) => row.calls },
  {
    key: "host_total_ns",
    title: "CPU total",
    quantity: "time",
    width: 118,
    bar: true,
    value: (row) => row.host_total_ns,
  },
  {
    key: "host_mean_ns",
    title: "CPU mean",
    quantity: "time",
    width: 108,
    sum: false,
    value: (row) => row.host_mean_ns,
  },
  {
    key: "host_max_ns",
    title: "CPU longest",
    quantity: "time",
    width: 118,
    sum: false,
    value: (row) => row.host_max_ns,
  },
  {
    key: "device_total_ns",
    title: "Device total",
    quantity: "time",
    width: 118,
    value: (row) => row.device_total_ns,
  },
  {
    key: "delay_median_ns",
    title: "Delay, median",
    quantity: "time",
    width: 128,
    sum: false,
    help: "From the launch until its work begins on the device",
    value: (row) => row.delay_median_ns,
  },
  {
    key: "delay_p99_ns",
    title: "Delay, 99 %",
    quantity: "time",
    width: 118,
    sum: false,
    value: (row) => row.delay_p99_ns,
  },
];

export function Runtime({ profile }: { readonly profile: ProfileInfo }) {
  const report = useReport<RuntimeReport>(profile, "launches");
  const data = report.state === "ready" ? report.data : null;
  const rows = useMemo(() => (data === null ? NONE : joined(data)), [data]);
  return (
    <Panel flush>
      <Load of={report} height="200px">
        {() =>
          rows.length === 0 ? (
            <Empty
              what="There is no call of a device's runtime in this capture."
              flag="activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
            />
          ) : (
            <Table
              id="rt"
              label="Runtime calls"
              columns={columns}
              rows={rows}
              sort="-host_total_ns"
              what={["runtime call", "runtime calls"]}
              fill
            />
          )
        }
      </Load>
    </Panel>
  );
}
