// SPDX-License-Identifier: Apache-2.0
// All calls of the device's runtime: how often, how long, and of those that launched work how long until it began.
import { useMemo } from "preact/hooks";
import { LAUNCHES, type LaunchRow, RUNTIME_CALLS, type RuntimeCallRow } from "../../../api/generated";
import type { ProfileInfo } from "../../../api/types";
import type { TableDescription } from "../../../lib/table_description";
import { useReport } from "../../../state/report";
import { Empty } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";

// What a call launched; nothing where it only allocates, frees or waits.
type RuntimeRow = RuntimeCallRow & Partial<LaunchRow>;

interface RuntimeReport {
  readonly launches?: { readonly runtime: readonly RuntimeCallRow[]; readonly rows: readonly LaunchRow[] };
}

const NONE: readonly RuntimeRow[] = [];

function joined({ launches }: RuntimeReport): readonly RuntimeRow[] {
  if (launches === undefined) return NONE;
  const keyOf = (row: RuntimeCallRow | LaunchRow): string => `${row.file} ${row.name}`;
  const launched = new Map(launches.rows.map((row) => [keyOf(row), row]));
  return launches.runtime.map((row) => ({ ...launched.get(keyOf(row)), ...row }));
}

const LAUNCHED = ["device_total_ns", "delay_median_ns", "delay_p99_ns"];
const COLUMNS: TableDescription<RuntimeRow> = [
  ...RUNTIME_CALLS,
  ...LAUNCHES.filter(({ key }) => LAUNCHED.includes(key)).map((column) => ({ ...column, hidden: false })),
];

export function Runtime({ profile }: { readonly profile: ProfileInfo }) {
  const report = useReport<RuntimeReport>(profile, "launches");
  const { data } = report;
  const rows = useMemo(() => (data === null ? NONE : joined(data)), [data]);
  return (
    <TablePanel
      from={report}
      height="200px"
      of={COLUMNS}
      id="rt"
      label="Runtime calls"
      rows={rows}
      none={
        <Empty
          what="There is no call of a device's runtime in this capture."
          flag="activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
        />
      }
      sort="-host_total_ns"
      what={["runtime call", "runtime calls"]}
      fill
    />
  );
}
