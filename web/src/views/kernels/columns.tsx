// SPDX-License-Identifier: Apache-2.0
// The columns of kernels and of copies.
import type { CopyRow, KernelRow } from "../../api/report";
import type { Column } from "../../components/table";
import { keyOf } from "../../lib/text";
import { pageAddress } from "../../state/route";

const dimensions = (value: readonly number[] | null | undefined): string | null =>
  value === null || value === undefined ? null : value.join(" × ");

export function kernelColumns(rows: readonly KernelRow[], launch: boolean): readonly Column<KernelRow>[] {
  const columns: Column<KernelRow>[] = [
    { key: "name", title: "Kernel", quantity: "text", mono: true, value: (row) => row.name },
    {
      key: "operator",
      title: "Operator",
      quantity: "text",
      width: 230,
      help: "The operator that launched most of its time",
      value: (row) => row.operator,
      href: (row) => (row.operator === null ? null : pageAddress("operators", { open: keyOf(row.operator) })),
    },
  ];
  if (launch) {
    columns.push(
      { key: "grid", title: "Grid", quantity: "text", width: 130, value: (row) => dimensions(row.grid) },
      { key: "block", title: "Block", quantity: "text", width: 110, value: (row) => dimensions(row.block) },
      {
        key: "registers_per_thread",
        title: "Registers",
        quantity: "count",
        sum: false,
        width: 92,
        value: (row) => row.registers_per_thread,
      },
      {
        key: "shared_memory_bytes",
        title: "Shared",
        quantity: "bytes",
        sum: false,
        width: 100,
        value: (row) => row.shared_memory_bytes,
      },
    );
  }
  columns.push(
    { key: "calls", title: "Calls", quantity: "count", width: 80, value: (row) => row.calls },
    {
      key: "total_ns",
      title: "Total",
      quantity: "time",
      width: 120,
      bar: true,
      value: (row) => row.total_ns,
    },
    { key: "mean_ns", title: "Mean", quantity: "time", width: 96, sum: false, value: (row) => row.mean_ns },
    {
      key: "min_ns",
      title: "Shortest",
      quantity: "time",
      width: 104,
      sum: false,
      hidden: launch,
      value: (row) => row.min_ns,
    },
    { key: "max_ns", title: "Longest", quantity: "time", width: 104, sum: false, value: (row) => row.max_ns },
    {
      key: "mean_achieved_occupancy_share",
      title: "Occupancy",
      quantity: "percent",
      width: 108,
      hidden: rows.every((row) => row.mean_achieved_occupancy_share === null),
      help: "Estimated achieved occupancy, mean over calls weighted by their time",
      value: (row) => row.mean_achieved_occupancy_share,
    },
    {
      key: "mean_blocks_per_sm",
      title: "Blocks/SM",
      quantity: "number",
      width: 98,
      hidden: launch || rows.every((row) => row.mean_blocks_per_sm === null),
      help: "Below 1 some multiprocessors have nothing to do",
      value: (row) => row.mean_blocks_per_sm,
    },
    {
      key: "tensor_core",
      title: "Tensor",
      quantity: "text",
      width: 70,
      help: "Whether it uses tensor (matrix) cores",
      value: (row) => (row.tensor_core ? "yes" : "no"),
      cell: (row) => (row.tensor_core ? "yes" : <span class="muted">no</span>),
    },
    { key: "kind", title: "Kind", quantity: "text", width: 124, hidden: true, value: (row) => row.kind },
  );
  return columns;
}

export const copyColumns: readonly Column<CopyRow>[] = [
  { key: "name", title: "Copy or set", quantity: "text", value: (row) => row.name },
  { key: "direction", title: "Direction", quantity: "text", width: 100, value: (row) => row.direction },
  {
    key: "pageable",
    title: "Pageable",
    quantity: "text",
    width: 90,
    help: "Host memory that is not pinned: slow, and the host waits",
    value: (row) => (row.pageable ? "yes" : "no"),
  },
  { key: "calls", title: "Calls", quantity: "count", value: (row) => row.calls },
  { key: "total_ns", title: "Total", quantity: "time", width: 120, bar: true, value: (row) => row.total_ns },
  { key: "min_ns", title: "Shortest", quantity: "time", sum: false, width: 104, value: (row) => row.min_ns },
  { key: "max_ns", title: "Longest", quantity: "time", sum: false, width: 104, value: (row) => row.max_ns },
  { key: "bytes", title: "Moved", quantity: "bytes", width: 104, value: (row) => row.bytes },
  {
    key: "bandwidth_gb_per_s",
    title: "GB/s",
    quantity: "number",
    width: 84,
    value: (row) => row.bandwidth_gb_per_s,
  },
];
