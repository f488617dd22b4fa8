// SPDX-License-Identifier: Apache-2.0
// How busy each device was.
import type { DeviceRow } from "../../../api/report";
import type { FileInfo } from "../../../state/report";
import { Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";

const WORDS: Readonly<Record<string, string>> = { cuda: "GPU", hip: "GPU", xpu: "GPU" };

export function Devices({
  rows,
  files,
}: {
  readonly rows: readonly DeviceRow[];
  readonly files: readonly FileInfo[];
}) {
  const columns: readonly Column<DeviceRow>[] = [
    {
      key: "device",
      title: "Device",
      quantity: "text",
      width: files.length > 1 ? 150 : 100,
      value: (row) => {
        const rank = files.length > 1 ? files[row.file]?.rank : null;
        const device = `${WORDS[row.type] ?? row.type} ${row.id}`;
        return rank === null || rank === undefined ? device : `rank ${rank}, ${device}`;
      },
    },
    { key: "name", title: "Name", quantity: "text", value: (row) => row.name },
    { key: "kernel_count", title: "Kernels", quantity: "count", value: (row) => row.kernel_count },
    {
      key: "utilization_share",
      title: "Busy",
      quantity: "percent",
      bar: true,
      help: "Share of the steps' time in which at least one kernel runs",
      value: (row) => row.utilization_share,
    },
    {
      key: "sm_efficiency_share",
      title: "SM efficiency",
      quantity: "percent",
      bar: true,
      width: 124,
      help: "Share of the multiprocessors that have work, over the steps' time",
      value: (row) => row.sm_efficiency_share,
    },
    {
      key: "achieved_occupancy_share",
      title: "Occupancy",
      quantity: "percent",
      width: 110,
      help: "Estimated achieved occupancy of the kernels, weighted by their time",
      value: (row) => row.achieved_occupancy_share,
    },
    {
      key: "tensor_core_share",
      title: "Tensor cores",
      quantity: "percent",
      width: 118,
      help: "Share of kernel time in kernels that use tensor (matrix) cores",
      value: (row) => row.tensor_core_share,
    },
    { key: "memory_bytes", title: "Memory", quantity: "bytes", width: 104, value: (row) => row.memory_bytes },
  ];
  return (
    <Panel title="Devices" flush>
      <Table
        id="devices"
        label="Devices"
        columns={columns}
        rows={rows}
        toolbar={rows.length > 8}
        what={["device", "devices"]}
      />
    </Panel>
  );
}
