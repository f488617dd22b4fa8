// SPDX-License-Identifier: Apache-2.0
// The columns of operators, however they are grouped.
import type { OperatorRow } from "../../../api/report";
import { framesOf, shapesText } from "../../../lib/stack";
import { field } from "../../../ui/columns";
import { SourceLink } from "../../../ui/source_link";
import type { Column } from "../../../ui/table";

export type Grouping = "name" | "shape" | "stack";

export function operatorColumns(
  rows: readonly OperatorRow[],
  grouping: Grouping,
): readonly Column<OperatorRow>[] {
  const device = rows.some((row) => row.device_total_ns > 0);
  const memory = rows.some((row) => row.memory_self_bytes !== null);
  const flops = rows.some((row) => row.flops !== null);
  const cores = rows.some((row) => row.tensor_core_eligible);
  const columns: Column<OperatorRow>[] = [field("name", "Operator", "text")];
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
    columns.push(
      field("stack", "Called from", "text", {
        cell: (row) => {
          const frame = row.stack === null ? undefined : framesOf(row.stack)[0];
          return frame === undefined || frame.file === "" ? undefined : (
            <SourceLink file={frame.file} line={frame.line} name={frame.name} />
          );
        },
      }),
    );
  }
  columns.push(
    field("calls", "Calls", "count"),
    field("device_self_ns", "Device self", "time", {
      bar: true,
      hidden: !device,
      help: "Time of the kernels, copies and sets that the operator launched itself",
    }),
    field("device_total_ns", "Device total", "time", {
      hidden: !device,
      spare: 2,
      sum: false,
      help: "The same with the operators inside it",
    }),
    field("host_self_ns", "CPU self", "time", {
      bar: true,
      help: "Time on the CPU outside of the operators and runtime calls inside it",
    }),
    field("host_total_ns", "CPU total", "time", {
      spare: 3,
      sum: false,
      help: "Time on the CPU, with everything inside",
    }),
    field("memory_self_bytes", "Memory self", "bytes", {
      hidden: !memory,
      spare: 4,
      help: "Allocated less freed by the operator itself",
    }),
    field("memory_total_bytes", "Memory total", "bytes", { hidden: true, sum: false }),
    field("flops", "Work", "flops", {
      hidden: !flops,
      spare: 5,
      help: "Floating-point operations (with_flops=True)",
    }),
    {
      key: "tensor_core_self_share",
      title: "Tensor cores",
      quantity: "percent",
      width: 118,
      spare: 1,
      hidden: !cores,
      help: "Share of its device time in kernels that use tensor (matrix) cores; empty where none could",
      value: (row) => (row.tensor_core_eligible ? row.tensor_core_self_share : null),
    },
    field("kind", "Kind", "text", { width: 96, hidden: true }),
  );
  return columns;
}
