// SPDX-License-Identifier: Apache-2.0
// The columns of kernels and of copies.
import type { CopyRow, KernelRow } from "../../../api/report";
import { keyOf } from "../../../lib/text";
import { pageAddress } from "../../../state/route";
import { field, kernelShown } from "../../../ui/columns";
import type { Column } from "../../../ui/table";

const dimensions = (value: readonly number[] | null | undefined): string | null =>
  value === null || value === undefined ? null : value.join(" × ");

export function kernelColumns(rows: readonly KernelRow[], launch: boolean): readonly Column<KernelRow>[] {
  const columns: Column<KernelRow>[] = [
    field("name", "Kernel", "text", { mono: true, shown: kernelShown(rows, (row) => row.name) }),
    field("operator", "Operator", "text", {
      width: 230,
      help: "The operator that launched most of its time",
      href: (row) => (row.operator === null ? null : pageAddress("operators", { open: keyOf(row.operator) })),
    }),
  ];
  if (launch) {
    columns.push(
      {
        key: "grid",
        title: "Grid",
        quantity: "text",
        width: 124,
        whole: true,
        value: (row) => dimensions(row.grid),
      },
      { key: "block", title: "Block", quantity: "text", width: 110, value: (row) => dimensions(row.block) },
      field("registers_per_thread", "Registers", "count", { sum: false, spare: 5 }),
      field("shared_memory_bytes", "Shared", "bytes", { sum: false, spare: 5 }),
    );
  }
  columns.push(
    field("calls", "Calls", "count"),
    field("total_ns", "Total", "time", { bar: true }),
    field("mean_ns", "Mean", "time", { sum: false, spare: 2 }),
    field("min_ns", "Shortest", "time", { sum: false, spare: 6, hidden: launch }),
    field("max_ns", "Longest", "time", { sum: false, spare: 4 }),
    field("mean_achieved_occupancy_share", "Occupancy", "percent", {
      spare: 3,
      hidden: rows.every((row) => row.mean_achieved_occupancy_share === null),
      help: "Estimated achieved occupancy, mean over calls weighted by their time",
    }),
    field("mean_blocks_per_sm", "Blocks/SM", "number", {
      spare: 5,
      hidden: launch || rows.every((row) => row.mean_blocks_per_sm === null),
      help: "Below 1 some multiprocessors have nothing to do",
    }),
    {
      key: "tensor_core",
      title: "Tensor",
      quantity: "text",
      width: 70,
      spare: rows.every((row) => !row.tensor_core) ? 7 : launch ? 6 : 1,
      help: "Whether it uses tensor (matrix) cores",
      value: (row) => (row.tensor_core ? "yes" : "no"),
      cell: (row) => (row.tensor_core ? "yes" : <span class="muted">no</span>),
    },
    field("kind", "Kind", "text", { width: 124, hidden: true }),
  );
  return columns;
}

export const copyColumns: readonly Column<CopyRow>[] = [
  field("name", "Copy or set", "text"),
  field("direction", "Direction", "text", { width: 100 }),
  {
    key: "pageable",
    title: "Pageable",
    quantity: "text",
    width: 90,
    help: "Host memory that is not pinned: slow, and the host waits. –: the trace does not tell",
    value: (row) => (row.pageable === null ? null : row.pageable ? "yes" : "no"),
  },
  field("calls", "Calls", "count"),
  field("total_ns", "Total", "time", { bar: true }),
  field("min_ns", "Shortest", "time", { sum: false, spare: 2 }),
  field("max_ns", "Longest", "time", { sum: false, spare: 1 }),
  field("bytes", "Moved", "bytes"),
  field("bandwidth_gb_per_s", "GB/s", "number"),
];
