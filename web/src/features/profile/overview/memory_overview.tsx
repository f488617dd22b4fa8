// SPDX-License-Identifier: Apache-2.0
// The overview of a memory profile: the peak of each device, and the way to the curve.
import type { ProfileInfo } from "../../../api/types";
import { useReport } from "../../../state/report";
import { go, pageAddress, pageParams } from "../../../state/route";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";

interface MemoryDevice {
  readonly type: string;
  readonly id: number | null;
  readonly name: string | null;
  readonly peak_allocated_bytes: number | null;
  readonly peak_reserved_bytes: number | null;
  readonly allocation_count: number | null;
  readonly never_released_count: number | null;
}

const columns: readonly Column<MemoryDevice>[] = [
  {
    key: "device",
    title: "Device",
    quantity: "text",
    value: (row) => [row.type, row.id, row.name].filter((part) => part !== null && part !== "").join(" "),
  },
  {
    key: "peak_allocated_bytes",
    title: "Peak allocated",
    quantity: "bytes",
    width: 150,
    bar: true,
    value: (row) => row.peak_allocated_bytes,
  },
  {
    key: "peak_reserved_bytes",
    title: "Peak reserved",
    quantity: "bytes",
    width: 150,
    value: (row) => row.peak_reserved_bytes,
  },
  {
    key: "allocation_count",
    title: "Allocations",
    quantity: "count",
    width: 120,
    value: (row) => row.allocation_count,
  },
  {
    key: "never_released_count",
    title: "Never released",
    quantity: "count",
    width: 140,
    value: (row) => row.never_released_count,
  },
];

export function MemoryOverview({ profile }: { readonly profile: ProfileInfo }) {
  const report = useReport<{ memory?: { readonly devices: readonly MemoryDevice[] } }>(profile, "memory");
  const devices = report.state === "ready" ? (report.data.memory?.devices ?? []) : null;
  const sentence = report.state === "ready" ? report.data.answer : null;
  return (
    <Page title="Overview" sentence={sentence}>
      <Panel title="Devices" flush actions={<a href={pageAddress("memory")}>Curve and blocks</a>}>
        <Load of={report} lines={4}>
          {() =>
            devices === null || devices.length === 0 ? (
              <Empty what="No allocations." />
            ) : (
              <Table
                id="devices"
                label="Devices"
                columns={columns}
                rows={devices}
                toolbar={false}
                onOpen={() => go(pageParams("memory"))}
              />
            )
          }
        </Load>
      </Panel>
    </Page>
  );
}
