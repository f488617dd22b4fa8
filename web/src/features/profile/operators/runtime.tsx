// SPDX-License-Identifier: Apache-2.0
// The calls of the device's runtime that launched work: how often, how long, and how long until the work began.
import type { ProfileInfo } from "../../../api/types";
import { useReport } from "../../../state/report";
import { Empty, Load, Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";

interface LaunchRow {
  readonly file: number;
  readonly name: string;
  readonly calls: number;
  readonly host_total_ns: number;
  readonly host_mean_ns: number;
  readonly host_max_ns: number;
  readonly device_total_ns: number;
  readonly delay_median_ns: number | null;
  readonly delay_p99_ns: number | null;
}

const columns: readonly Column<LaunchRow>[] = [
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
  const report = useReport<{ launches?: { readonly rows: readonly LaunchRow[] } }>(profile, "launches");
  return (
    <Panel flush>
      <Load of={report} height="200px">
        {(data) =>
          (data.launches?.rows ?? []).length === 0 ? (
            <Empty
              what="No runtime call in this capture launched work on a device."
              flag="activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
            />
          ) : (
            <Table
              id="rt"
              label="Runtime calls"
              columns={columns}
              rows={data.launches?.rows ?? []}
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
