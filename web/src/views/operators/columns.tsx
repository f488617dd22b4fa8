// SPDX-License-Identifier: Apache-2.0
// The columns of operators, however they are grouped.
import type { OperatorRow } from "../../api/report";
import { SourceLink } from "../../components/source_link";
import type { Column } from "../../components/table";
import { framesOf, shapesText } from "../../lib/stack";

export type Grouping = "name" | "shape" | "stack";

export function operatorColumns(
  rows: readonly OperatorRow[],
  grouping: Grouping,
): readonly Column<OperatorRow>[] {
  const device = rows.some((row) => row.device_total_ns > 0);
  const memory = rows.some((row) => row.memory_self_bytes !== null);
  const flops = rows.some((row) => row.flops !== null);
  const cores = rows.some((row) => row.tensor_core_eligible);
  const columns: Column<OperatorRow>[] = [
    { key: "name", title: "Operator", quantity: "text", value: (row) => row.name },
  ];
  if (grouping === "shape") {
    columns.push({
      key: "input_shapes",
      title: "Input shapes",
      quantity: "text",
      mono: true,
      value: (row) => shapesText(row.input_shapes),
    });
  }
  if (grouping === "stack") {
    columns.push({
      key: "stack",
      title: "Called from",
      quantity: "text",
      value: (row) => row.stack,
      cell: (row) => {
        const frame = row.stack === null ? undefined : framesOf(row.stack)[0];
        return frame === undefined || frame.file === "" ? undefined : (
          <SourceLink file={frame.file} line={frame.line} name={frame.name} />
        );
      },
    });
  }
  columns.push(
    { key: "calls", title: "Calls", quantity: "count", width: 84, value: (row) => row.calls },
    {
      key: "device_self_ns",
      title: "Device self",
      quantity: "time",
      width: 124,
      bar: true,
      hidden: !device,
      help: "Time of the kernels, copies and sets that the operator launched itself",
      value: (row) => row.device_self_ns,
    },
    {
      key: "device_total_ns",
      title: "Device total",
      quantity: "time",
      width: 118,
      hidden: !device,
      sum: false,
      help: "The same with the operators inside it",
      value: (row) => row.device_total_ns,
    },
    {
      key: "host_self_ns",
      title: "CPU self",
      quantity: "time",
      width: 118,
      bar: true,
      help: "Time on the CPU outside of the operators and runtime calls inside it",
      value: (row) => row.host_self_ns,
    },
    {
      key: "host_total_ns",
      title: "CPU total",
      quantity: "time",
      width: 108,
      sum: false,
      help: "Time on the CPU, with everything inside",
      value: (row) => row.host_total_ns,
    },
    {
      key: "memory_self_bytes",
      title: "Memory self",
      quantity: "bytes",
      width: 124,
      hidden: !memory,
      help: "Allocated less freed by the operator itself",
      value: (row) => row.memory_self_bytes,
    },
    {
      key: "memory_total_bytes",
      title: "Memory total",
      quantity: "bytes",
      width: 124,
      hidden: true,
      sum: false,
      value: (row) => row.memory_total_bytes,
    },
    {
      key: "flops",
      title: "Work",
      quantity: "flops",
      width: 120,
      hidden: !flops,
      help: "Floating-point operations (with_flops=True)",
      value: (row) => row.flops,
    },
    {
      key: "tensor_core_self_share",
      title: "Tensor cores",
      quantity: "percent",
      width: 118,
      hidden: !cores,
      help: "Share of its device time in kernels that use tensor (matrix) cores; empty where none could",
      value: (row) => (row.tensor_core_eligible ? row.tensor_core_self_share : null),
    },
    { key: "kind", title: "Kind", quantity: "text", width: 96, hidden: true, value: (row) => row.kind },
  );
  return columns;
}
