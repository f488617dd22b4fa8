// SPDX-License-Identifier: Apache-2.0
// What tables hold and how they are shown. Made by scripts/generate from the descriptions in src/views: change those.
import type { DefaultPage, TableDescription } from "../lib/table_description";

export interface DeviceRow {
  readonly id: number;
  readonly type: string;
  readonly name: string | null;
  readonly memory_bytes: number | null;
  readonly compute_capability: string | null;
  readonly kernel_count: number;
  readonly utilization_share: number;
  readonly sm_efficiency_share: number | null;
  readonly achieved_occupancy_share: number | null;
  readonly tensor_core_share: number | null;
  readonly file: number;
  readonly label: string;
}
export const DEVICES: TableDescription<DeviceRow> = [
  { key: "file", title: "File", quantity: "file", spare: 15, presence: "files" },
  { key: "label", title: "Device", quantity: "text" },
  { key: "name", title: "Name", quantity: "name", spare: 45 },
  { key: "memory_bytes", title: "Memory", quantity: "bytes", spare: 60 },
  { key: "compute_capability", title: "Capability", quantity: "text", spare: 70 },
  { key: "kernel_count", title: "Kernels", quantity: "count", spare: 50 },
  { key: "utilization_share", title: "Busy", quantity: "share", bar: true, help: "Share of the steps' time in which at least one kernel runs" },
  { key: "sm_efficiency_share", title: "SM efficiency", quantity: "share", spare: 20, bar: true, help: "Share of the multiprocessors that have work, over the steps' time" },
  { key: "achieved_occupancy_share", title: "Occupancy", quantity: "share", spare: 25, help: "Estimated achieved occupancy of the kernels, weighted by their time" },
  { key: "tensor_core_share", title: "Tensor cores", quantity: "share", spare: 30, help: "Share of kernel time in kernels that use tensor (matrix) cores" },
];

export interface StepRow {
  readonly name: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly complete: boolean;
  readonly categories: {
    readonly kernel: number;
    readonly memcpy: number;
    readonly memset: number;
    readonly communication: number;
    readonly runtime: number;
    readonly dataloader: number;
    readonly cpu_exec: number;
    readonly other: number;
  };
  readonly range_ns: number | null;
  readonly starts_late_ns: number;
  readonly ends_late_ns: number;
  readonly device_events: number;
  readonly file: number;
}
export const STEPS: TableDescription<StepRow> = [
  { key: "name", title: "Step", quantity: "name" },
  { key: "file", title: "Rank", quantity: "file", spare: 40, presence: "files" },
  { key: "start_ns", title: "Starts at", quantity: "moment", spare: 50 },
  { key: "duration_ns", title: "Duration", quantity: "duration", bar: true },
  { key: "kernel", title: "Kernels", quantity: "duration", group: "categories", spare: 10, presence: "nonzero", like: "duration_ns", help: "A compute kernel runs on the device" },
  { key: "memcpy", title: "Memory copies", quantity: "duration", group: "categories", spare: 11, presence: "nonzero", like: "duration_ns", help: "No kernel runs; memory is copied" },
  { key: "memset", title: "Memory sets", quantity: "duration", group: "categories", spare: 12, presence: "nonzero", like: "duration_ns", help: "No kernel or copy runs; memory is set" },
  { key: "communication", title: "Communication", quantity: "duration", group: "categories", spare: 13, presence: "nonzero", like: "duration_ns", help: "Only communication: NCCL, gloo and the like" },
  { key: "runtime", title: "Runtime calls", quantity: "duration", group: "categories", spare: 14, presence: "nonzero", like: "duration_ns", help: "The device has nothing to do; the host is in a call of the CUDA (or ROCm …) runtime" },
  { key: "dataloader", title: "DataLoader", quantity: "duration", group: "categories", spare: 15, presence: "nonzero", like: "duration_ns", help: "The device has nothing to do; the host waits for the DataLoader" },
  { key: "cpu_exec", title: "CPU operators", quantity: "duration", group: "categories", spare: 16, presence: "nonzero", like: "duration_ns", help: "The device has nothing to do; the host is in an operator" },
  { key: "other", title: "Other", quantity: "duration", group: "categories", spare: 17, presence: "nonzero", like: "duration_ns", help: "The device has nothing to do, and the host is in no operator: Python code, or waiting" },
  { key: "device_events", title: "Device events", quantity: "count", spare: 55 },
  { key: "range_ns", title: "Own range", quantity: "duration", spare: 58, sum: false, help: "How long the step's range on the host takes" },
  { key: "starts_late_ns", title: "Starts late", quantity: "duration", spare: 57, presence: "nonzero", sum: false, help: "The step begins so much after its range: work of before was not done" },
  { key: "ends_late_ns", title: "Ends late", quantity: "duration", spare: 56, presence: "nonzero", sum: false, help: "The step ends so much after its range: its device work goes on" },
  { key: "complete", title: "Complete", quantity: "flag", spare: 35, help: "A last step that the capture cut off is no part of averages" },
];

export interface OtherRow {
  readonly what: string;
  readonly kind: "annotation" | "python" | "operator_gap" | "unknown";
  readonly ns: number;
  readonly longest_ns: number;
  readonly longest_start_ns: number;
  readonly file: number;
}
export const OTHER_INSIDE: TableDescription<OtherRow> = [
  { key: "what", title: "The host is in", quantity: "name", help: "The innermost range or own Python function around it, else its place among the operators" },
  { key: "kind", title: "Kind", quantity: "text", spare: 30 },
  { key: "ns", title: "Per average step", quantity: "duration", bar: true },
  { key: "longest_ns", title: "Longest", quantity: "duration", spare: 40, sum: false, help: "The longest single stretch, in any step" },
  { key: "longest_start_ns", title: "Longest at", quantity: "moment", spare: 60 },
  { key: "file", title: "Longest in", quantity: "file", spare: 55, presence: "files", help: "The file of the longest stretch" },
];

export interface OperatorRow {
  readonly name: string;
  readonly kind: string;
  readonly input_shapes: unknown;
  readonly stack: string | null;
  readonly calls: number;
  readonly host_total_ns: number;
  readonly host_self_ns: number;
  readonly device_total_ns: number;
  readonly device_self_ns: number;
  readonly memory_total_bytes: number | null;
  readonly memory_self_bytes: number | null;
  readonly flops: number | null;
  readonly tensor_core_eligible: boolean;
  readonly tensor_core_self_share: number | null;
  readonly tensor_core_total_share: number | null;
  readonly work: boolean;
}
export const OPERATORS: TableDescription<OperatorRow> = [
  { key: "name", title: "Operator", quantity: "name" },
  { key: "input_shapes", title: "Input shapes", quantity: "json", spare: 5, presence: "value" },
  { key: "stack", title: "Called from", quantity: "name", spare: 5, presence: "value" },
  { key: "calls", title: "Calls", quantity: "count", spare: 20 },
  { key: "device_self_ns", title: "Device self", quantity: "duration", presence: "nonzero", bar: true, help: "Time of the kernels, copies and sets that the operator launched itself" },
  { key: "device_total_ns", title: "Device total", quantity: "duration", spare: 40, presence: "nonzero", sum: false, help: "Of all that was launched inside it" },
  { key: "host_self_ns", title: "CPU self", quantity: "duration", spare: 30, bar: true, help: "Time on the CPU outside of the operators and runtime calls inside it" },
  { key: "host_total_ns", title: "CPU total", quantity: "duration", spare: 50, sum: false, help: "Time on the CPU, with everything inside" },
  { key: "tensor_core_self_share", title: "Tensor cores", quantity: "share", spare: 55, presence: "value", help: "Share of its device time in kernels that use tensor (matrix) cores; empty where none could" },
  { key: "memory_self_bytes", title: "Memory self", quantity: "bytes", spare: 60, presence: "value", help: "Allocated less freed by the operator itself" },
  { key: "flops", title: "Work", quantity: "flops", spare: 70, presence: "value", help: "Floating-point operations (with_flops=True)" },
  { key: "kind", title: "Kind", quantity: "text", hidden: true },
  { key: "memory_total_bytes", title: "Memory total", quantity: "bytes", hidden: true, sum: false },
];

export interface KernelRow {
  readonly name: string;
  readonly kind: string;
  readonly calls: number;
  readonly total_ns: number;
  readonly mean_ns: number;
  readonly min_ns: number;
  readonly max_ns: number;
  readonly mean_blocks_per_sm: number | null;
  readonly mean_achieved_occupancy_share: number | null;
  readonly tensor_core: boolean;
  readonly operator: string | null;
  readonly grid?: readonly number[] | null;
  readonly block?: readonly number[] | null;
  readonly registers_per_thread?: number | null;
  readonly shared_memory_bytes?: number | null;
}
export const KERNELS: TableDescription<KernelRow> = [
  { key: "name", title: "Kernel", quantity: "name", names: "kernel" },
  { key: "calls", title: "Calls", quantity: "count", spare: 20 },
  { key: "total_ns", title: "Total", quantity: "duration", bar: true },
  { key: "mean_ns", title: "Mean", quantity: "duration", spare: 25, sum: false },
  { key: "min_ns", title: "Shortest", quantity: "duration", spare: 70, sum: false },
  { key: "max_ns", title: "Longest", quantity: "duration", spare: 65, sum: false },
  { key: "mean_blocks_per_sm", title: "Blocks/SM", quantity: "number", spare: 75, presence: "value", help: "Below 1 some multiprocessors have nothing to do" },
  { key: "mean_achieved_occupancy_share", title: "Occupancy", quantity: "share", spare: 60, presence: "value", help: "Estimated achieved occupancy, mean over calls weighted by their time" },
  { key: "tensor_core", title: "Tensor", quantity: "flag", spare: 55, presence: "value", help: "Whether it uses tensor (matrix) cores" },
  { key: "operator", title: "Operator", quantity: "name", spare: 40, presence: "value", names: "operator", help: "The operator that launched most of its time" },
  { key: "grid", title: "Grid", quantity: "text", spare: 34 },
  { key: "block", title: "Block", quantity: "text", spare: 35 },
  { key: "registers_per_thread", title: "Registers", quantity: "id", spare: 80 },
  { key: "shared_memory_bytes", title: "Shared", quantity: "bytes", spare: 85, sum: false },
  { key: "kind", title: "Kind", quantity: "text", hidden: true },
];

export interface CopyRow {
  readonly name: string;
  readonly direction: string;
  readonly pageable: boolean | null;
  readonly calls: number;
  readonly total_ns: number;
  readonly min_ns: number;
  readonly max_ns: number;
  readonly bytes: number | null;
  readonly bandwidth_gb_per_s: number | null;
}
export const COPIES: TableDescription<CopyRow> = [
  { key: "name", title: "Copy or set", quantity: "name", names: "event" },
  { key: "calls", title: "Calls", quantity: "count", spare: 20 },
  { key: "total_ns", title: "Total", quantity: "duration", bar: true },
  { key: "min_ns", title: "Shortest", quantity: "duration", spare: 70, sum: false },
  { key: "max_ns", title: "Longest", quantity: "duration", spare: 65, sum: false },
  { key: "bytes", title: "Size", quantity: "bytes", spare: 30, presence: "value" },
  { key: "bandwidth_gb_per_s", title: "GB/s", quantity: "rate", spare: 25, presence: "value" },
  { key: "pageable", title: "Pageable", quantity: "flag", spare: 50, presence: "known", help: "Host memory that is not pinned: slow, and the host waits. –: the trace does not tell" },
  { key: "direction", title: "Direction", quantity: "text", spare: 55 },
];

export interface CauseRow {
  readonly rule: string;
  readonly what: string;
  readonly saving_ns: number | null;
  readonly step_share: number;
  readonly left_ns: number;
  readonly path_ns: number;
  readonly calls: number;
  readonly least_saving_ns: number;
  readonly most_saving_ns: number;
  readonly inside: string | null;
  readonly called_from: string | null;
  readonly file: number;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly event: number | null;
}
export const CAUSES: TableDescription<CauseRow> = [
  { key: "what", title: "Without", quantity: "name" },
  { key: "rule", title: "Kind", quantity: "text", spare: 25 },
  { key: "saving_ns", title: "Saves", quantity: "duration", bar: true, sum: false, help: "How much shorter an average step would be, by a replay of what waited for what; savings do not add up" },
  { key: "step_share", title: "Share", quantity: "share", spare: 10, sum: false },
  { key: "left_ns", title: "Left", quantity: "duration", spare: 5, sum: false, help: "An average step with this cause and all above it gone" },
  { key: "path_ns", title: "On the path", quantity: "duration", spare: 60, sum: false, help: "Its time on the critical path of an average step" },
  { key: "calls", title: "Calls", quantity: "count", spare: 40 },
  { key: "inside", title: "In", quantity: "name", spare: 45 },
  { key: "called_from", title: "From", quantity: "name", spare: 46 },
];

export interface AnnotationRow {
  readonly name: string;
  readonly depth: number | null;
  readonly parent: number | null;
  readonly calls: number;
  readonly host_total_ns: number;
  readonly host_self_ns: number;
  readonly device_total_ns: number;
  readonly device_self_ns: number;
  readonly min_ns: number;
  readonly mean_ns: number;
  readonly max_ns: number;
  readonly first_start_ns: number | null;
  readonly step_share: number | null;
  readonly device_share: number | null;
  readonly device_lane_calls: number | null;
  readonly device_lane_ns: number | null;
}
export const ANNOTATIONS: TableDescription<AnnotationRow> = [
  { key: "name", title: "Annotation", quantity: "name" },
  { key: "calls", title: "Calls", quantity: "count", spare: 20 },
  { key: "host_total_ns", title: "CPU total", quantity: "duration", bar: true, sum: false },
  { key: "step_share", title: "Of steps", quantity: "share", spare: 10, presence: "value", bar: true, help: "Share of all steps' time" },
  { key: "host_self_ns", title: "CPU self", quantity: "duration", spare: 30, help: "Without the ranges inside" },
  { key: "device_total_ns", title: "Device total", quantity: "duration", spare: 5, presence: "nonzero", bar: true, sum: false, help: "Of what was launched inside" },
  { key: "device_share", title: "Of the device", quantity: "share", spare: 40, presence: "nonzero", help: "Share of all device time" },
  { key: "device_self_ns", title: "Device self", quantity: "duration", spare: 35, presence: "nonzero" },
  { key: "min_ns", title: "Shortest", quantity: "duration", spare: 70, sum: false },
  { key: "mean_ns", title: "Mean", quantity: "duration", spare: 40, sum: false },
  { key: "max_ns", title: "Longest", quantity: "duration", spare: 50, sum: false },
];

export interface ActionRow {
  readonly file: number;
  readonly name: string;
  readonly depth: number | null;
  readonly parent: number | null;
  readonly mean_ns: number;
  readonly calls: number;
  readonly total_ns: number;
  readonly share: number | null;
  readonly self_ns: number;
  readonly p50_ns: number;
  readonly p90_ns: number;
  readonly p99_ns: number;
  readonly max_ns: number;
  readonly wall_ns: number;
}
export const ACTIONS: TableDescription<ActionRow> = [
  { key: "name", title: "Action", quantity: "name" },
  { key: "file", title: "File", quantity: "file", presence: "files" },
  { key: "mean_ns", title: "Mean", quantity: "duration", spare: 10, sum: false },
  { key: "calls", title: "Calls", quantity: "count", spare: 15 },
  { key: "total_ns", title: "Total", quantity: "duration", bar: true, sum: false },
  { key: "share", title: "Share", quantity: "share", spare: 5, help: "Of the time from the first action to the end of the last one" },
  { key: "self_ns", title: "Self", quantity: "duration", spare: 20, help: "Without the actions inside" },
  { key: "p50_ns", title: "P50", quantity: "duration", spare: 40, sum: false, help: "Half of the calls took no longer" },
  { key: "p90_ns", title: "P90", quantity: "duration", spare: 60, sum: false },
  { key: "p99_ns", title: "P99", quantity: "duration", spare: 45, sum: false },
  { key: "max_ns", title: "Longest", quantity: "duration", spare: 50, sum: false },
];

export interface MemoryDeviceRow {
  readonly file: number;
  readonly type: string | null;
  readonly id: number | null;
  readonly device: string;
  readonly name: string | null;
  readonly sentence: string;
  readonly memory_bytes: number | null;
  readonly peak_allocated_bytes: number | null;
  readonly peak_ns: number | null;
  readonly peak_step: string | null;
  readonly peak_reserved_bytes: number | null;
  readonly fragmentation_at_peak_bytes: number | null;
  readonly fragmentation_max_bytes: number | null;
  readonly allocation_count: number;
  readonly release_count: number;
  readonly released_from_before_count: number | null;
  readonly never_released_count: number | null;
  readonly curve: unknown;
  readonly segments: Readonly<Record<string, number>> | null;
  readonly at_peak: unknown;
  readonly operators: readonly MemoryOperatorRow[];
}
export const MEMORY_DEVICES: TableDescription<MemoryDeviceRow> = [
  { key: "file", title: "File", quantity: "file", spare: 10, presence: "files" },
  { key: "device", title: "Device", quantity: "text" },
  { key: "name", title: "Name", quantity: "name", spare: 80 },
  { key: "peak_allocated_bytes", title: "Peak allocated", quantity: "bytes", bar: true },
  { key: "peak_step", title: "In step", quantity: "text", spare: 30, presence: "value" },
  { key: "peak_reserved_bytes", title: "Peak reserved", quantity: "bytes", spare: 20 },
  { key: "fragmentation_at_peak_bytes", title: "Unused", quantity: "bytes", spare: 25, help: "Reserved but not allocated at the peak" },
  { key: "fragmentation_max_bytes", title: "Most unused", quantity: "bytes", spare: 50 },
  { key: "allocation_count", title: "Allocations", quantity: "count", spare: 40 },
  { key: "never_released_count", title: "Never released", quantity: "count", spare: 60 },
];

export interface MemoryShareRow {
  readonly name: string | null;
  readonly bytes: number;
  readonly count: number | null;
}
export const MEMORY_SHARES: TableDescription<MemoryShareRow> = [
  { key: "name", title: "Name", quantity: "name" },
  { key: "count", title: "Blocks", quantity: "count", spare: 30 },
  { key: "bytes", title: "Size", quantity: "bytes", bar: true },
  { key: "share", title: "Share", quantity: "share", derived: true, spare: 10 },
];

export interface MemoryOperatorRow {
  readonly name: string;
  readonly calls: number;
  readonly size_increase_bytes: number;
  readonly self_size_increase_bytes: number;
  readonly allocation_count: number;
  readonly self_allocation_count: number;
  readonly allocation_bytes: number;
  readonly self_allocation_bytes: number;
}
export const MEMORY_OPERATORS: TableDescription<MemoryOperatorRow> = [
  { key: "name", title: "Operator", quantity: "name", names: "operator" },
  { key: "calls", title: "Calls", quantity: "count", spare: 40 },
  { key: "self_size_increase_bytes", title: "Kept self", quantity: "bytes", bar: true, help: "Allocated less released while the operator itself ran" },
  { key: "size_increase_bytes", title: "Kept total", quantity: "bytes", spare: 20, sum: false },
  { key: "self_allocation_count", title: "Allocations", quantity: "count", spare: 50 },
  { key: "self_allocation_bytes", title: "Allocated self", quantity: "bytes", spare: 25, bar: true },
  { key: "allocation_bytes", title: "Allocated total", quantity: "bytes", spare: 60, sum: false },
];

export interface LeakRow {
  readonly device_type: string;
  readonly device_id: number | null;
  readonly device: string;
  readonly operator: string | null;
  readonly module: string | null;
  readonly per_step_bytes: number;
  readonly bytes: number;
  readonly count: number;
  readonly step_count: number;
  readonly steps: readonly { readonly step: string; readonly bytes: number; readonly count: number }[];
}
export const LEAKS: TableDescription<LeakRow> = [
  { key: "operator", title: "Operator", quantity: "name", names: "operator" },
  { key: "file", title: "File", quantity: "file", derived: true, spare: 40 },
  { key: "device", title: "Device", quantity: "text", spare: 30 },
  { key: "module", title: "Module", quantity: "name", spare: 35 },
  { key: "per_step_bytes", title: "A step", quantity: "bytes", bar: true },
  { key: "bytes", title: "In all", quantity: "bytes", spare: 20 },
  { key: "count", title: "Blocks", quantity: "count", spare: 25 },
  { key: "step_count", title: "Steps", quantity: "count", spare: 50 },
];

export interface CheckedFileRow {
  readonly file: number;
  readonly checked_steps: number;
  readonly rows: readonly LeakRow[];
}

export interface AllocationRow {
  readonly file: number;
  readonly device_type: string;
  readonly device_id: number | null;
  readonly bytes: number;
  readonly address: number | null;
  readonly allocated_ns: number | null;
  readonly released_ns: number | null;
  readonly life_ns: number | null;
  readonly operator: string | null;
  readonly parent_operator: string | null;
  readonly module: string | null;
  readonly step: string | null;
  readonly frame: string | null;
  readonly owner: string | null;
}
export const ALLOCATIONS: TableDescription<AllocationRow> = [
  { key: "owner", title: "Operator", quantity: "name" },
  { key: "bytes", title: "Size", quantity: "bytes", bar: true },
  { key: "module", title: "Module", quantity: "name", spare: 40, presence: "value" },
  { key: "step", title: "Step", quantity: "text", spare: 30, presence: "value" },
  { key: "life_ns", title: "Life", quantity: "duration", spare: 20, sum: false },
  { key: "allocated_ns", title: "Allocated", quantity: "moment", spare: 95, help: "From the beginning of the recording; –: before it" },
  { key: "released_ns", title: "Released", quantity: "moment", spare: 95, help: "–: never, as far as recorded" },
  { key: "address", title: "Address", quantity: "id", spare: 70 },
];

export interface ModuleRow {
  readonly path: string;
  readonly name: string;
  readonly class: string | null;
  readonly module_id: number | null;
  readonly depth: number;
  readonly calls: number;
  readonly recomputed_calls: number;
  readonly host_total_ns: number;
  readonly host_self_ns: number;
  readonly device_total_ns: number;
  readonly device_self_ns: number;
  readonly forward_operators: number;
  readonly forward_host_total_ns: number;
  readonly forward_host_self_ns: number;
  readonly forward_frame_self_ns: number;
  readonly forward_device_total_ns: number;
  readonly forward_device_self_ns: number;
  readonly backward_operators: number;
  readonly backward_host_total_ns: number;
  readonly backward_host_self_ns: number;
  readonly backward_frame_self_ns: number;
  readonly backward_device_total_ns: number;
  readonly backward_device_self_ns: number;
}
export const MODULES_ON_DEVICE: TableDescription<ModuleRow> = [
  { key: "name", title: "Module", quantity: "name" },
  { key: "class", title: "Class", quantity: "text", spare: 40 },
  { key: "calls", title: "Calls", quantity: "count", spare: 20 },
  { key: "recomputed_calls", title: "Again", quantity: "count", spare: 60, presence: "nonzero", help: "Calls made a second time, by the backward pass: activation checkpointing" },
  { key: "device_total_ns", title: "Device total", quantity: "duration", bar: true, sum: false },
  { key: "share", title: "Share", quantity: "share", derived: true, spare: 10 },
  { key: "forward_device_total_ns", title: "Forward", quantity: "duration", spare: 25, like: "device_total_ns", sum: false },
  { key: "backward_device_total_ns", title: "Backward", quantity: "duration", spare: 25, like: "device_total_ns", sum: false },
  { key: "device_self_ns", title: "Self", quantity: "duration", spare: 30, bar: true, like: "device_total_ns" },
  { key: "host_self_ns", title: "CPU self", quantity: "duration", spare: 40 },
];
export const MODULES_ON_HOST: TableDescription<ModuleRow> = [
  { key: "name", title: "Module", quantity: "name" },
  { key: "class", title: "Class", quantity: "text", spare: 40 },
  { key: "calls", title: "Calls", quantity: "count", spare: 20 },
  { key: "recomputed_calls", title: "Again", quantity: "count", spare: 60, presence: "nonzero", help: "Calls made a second time, by the backward pass: activation checkpointing" },
  { key: "host_total_ns", title: "CPU total", quantity: "duration", bar: true, sum: false },
  { key: "share", title: "Share", quantity: "share", derived: true, spare: 10 },
  { key: "forward_host_total_ns", title: "Forward", quantity: "duration", spare: 25, like: "host_total_ns", sum: false },
  { key: "backward_host_total_ns", title: "Backward", quantity: "duration", spare: 25, like: "host_total_ns", sum: false },
  { key: "host_self_ns", title: "Self", quantity: "duration", spare: 30, bar: true, like: "host_total_ns" },
];

export interface FunctionRow {
  readonly file: string | null;
  readonly line: number | null;
  readonly name: string;
  readonly calls: number | null;
  readonly primitive_calls: number | null;
  readonly self_ns: number | null;
  readonly total_ns: number | null;
  readonly module?: string | null;
  readonly package: string;
  readonly own_code: boolean;
  readonly callers?: readonly FunctionRow[];
  readonly callees?: readonly FunctionRow[];
}
export const FUNCTIONS: TableDescription<FunctionRow> = [
  { key: "name", title: "Function", quantity: "name" },
  { key: "calls", title: "ncalls", quantity: "count", spare: 20, help: "All calls; with recursion all / primitive (not made from inside a call of the function)" },
  { key: "self_ns", title: "tottime", quantity: "duration", bar: true, help: "In the function itself" },
  { key: "self_per_call_ns", title: "percall", quantity: "duration", derived: true, spare: 50, sum: false, help: "Self ÷ calls" },
  { key: "total_ns", title: "cumtime", quantity: "duration", spare: 10, bar: true, sum: false, help: "In the function and all it calls; recursion counts once" },
  { key: "total_per_call_ns", title: "percall", quantity: "duration", derived: true, spare: 55, sum: false, help: "Total ÷ primitive calls" },
  { key: "module", title: "Module", quantity: "text", spare: 70 },
  { key: "package", title: "Package", quantity: "text", spare: 60 },
  { key: "place", title: "Place", quantity: "name", derived: true, spare: 30 },
];

export interface FunctionThread {
  readonly name: string;
  readonly total_ns: number;
  readonly waiting_ns: number;
  readonly main: boolean;
  readonly idle: boolean;
}

export interface FunctionLine {
  readonly file: string | null;
  readonly line: number | null;
  readonly name: string;
  readonly self_ns: number;
}

export interface RankRow {
  readonly file: number;
  readonly rank: number | null;
  readonly world_size: number | null;
  readonly backend: string | null;
  readonly clock: string;
  readonly clock_offset_ns: number;
  readonly clock_error_ns: number | null;
  readonly clock_collectives: number;
  readonly clock_contradicted: number;
  readonly collectives: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly alone: number;
  readonly steps: number;
  readonly average_ns: number;
  readonly computation_ns: number;
  readonly overlap_ns: number;
  readonly communication_ns: number;
  readonly other_ns: number;
  readonly transfer_ns: number | null;
  readonly waiting_ns: number | null;
}
export const RANKS: TableDescription<RankRow> = [
  { key: "file", title: "Rank", quantity: "file" },
  { key: "average_ns", title: "Step", quantity: "duration", bar: true, sum: false },
  { key: "computation_ns", title: "Computation", quantity: "duration", spare: 10 },
  { key: "overlap_ns", title: "Overlap", quantity: "duration", spare: 11, help: "Communication while something computes" },
  { key: "communication_ns", title: "Communication", quantity: "duration", spare: 8, help: "Exposed: nothing computes meanwhile" },
  { key: "other_ns", title: "Other", quantity: "duration", spare: 12 },
  { key: "transfer_ns", title: "Transfer", quantity: "duration", spare: 16, help: "What the matched collectives need at least" },
  { key: "waiting_ns", title: "Waiting", quantity: "duration", spare: 14, help: "For the last rank to arrive" },
  { key: "clock", title: "Clock", quantity: "text", spare: 60, help: "What was added to the file's times" },
  { key: "collectives", title: "Collectives", quantity: "count", hidden: true },
  { key: "matched", title: "Matched", quantity: "count", hidden: true },
];

export interface RankStepRow {
  readonly file: number;
  readonly name: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly complete: boolean;
  readonly computation_ns: number;
  readonly overlap_ns: number;
  readonly communication_ns: number;
  readonly other_ns: number;
  readonly transfer_ns: number | null;
  readonly waiting_ns: number | null;
}

export interface CollectiveRow {
  readonly name: string;
  readonly group: string | null;
  readonly group_size: number | null;
  readonly dtype: string | null;
  readonly calls: number;
  readonly total_bytes: number | null;
  readonly min_bytes: number | null;
  readonly max_bytes: number | null;
  readonly total_ns: number | null;
  readonly mean_ns: number | null;
  readonly min_ns: number | null;
  readonly max_ns: number | null;
  readonly matched: number;
  readonly transfer_ns: number | null;
  readonly waiting_ns: number | null;
  readonly algorithm_bandwidth_gb_per_s: number | null;
  readonly bus_bandwidth_gb_per_s: number | null;
}
export const COLLECTIVES: TableDescription<CollectiveRow> = [
  { key: "name", title: "Collective", quantity: "name" },
  { key: "group", title: "Group", quantity: "text", spare: 50 },
  { key: "group_size", title: "Ranks", quantity: "id", spare: 55 },
  { key: "dtype", title: "Type", quantity: "text", spare: 60 },
  { key: "calls", title: "Calls", quantity: "count", spare: 12 },
  { key: "total_bytes", title: "Data", quantity: "bytes", spare: 15 },
  { key: "total_ns", title: "Total", quantity: "duration", spare: 10, bar: true, help: "Over all ranks" },
  { key: "mean_ns", title: "Mean", quantity: "duration", spare: 20, sum: false },
  { key: "max_ns", title: "Longest", quantity: "duration", spare: 40, sum: false },
  { key: "transfer_ns", title: "Transfer", quantity: "duration", spare: 30 },
  { key: "waiting_ns", title: "Waiting", quantity: "duration", spare: 25, bar: true },
  { key: "bus_bandwidth_gb_per_s", title: "Bus GB/s", quantity: "rate", spare: 35, help: "Size ÷ transfer × the usual factor of the collective; without matched ranks it includes waiting" },
];

export interface MatchMember {
  readonly file: number;
  readonly row: number;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly waiting_ns: number;
}

export interface MatchRow {
  readonly name: string;
  readonly group: string | null;
  readonly sequence: number | null;
  readonly dtype: string | null;
  readonly bytes: number | null;
  readonly step: string | null;
  readonly start_ns: number;
  readonly start_skew_ns: number;
  readonly transfer_ns: number;
  readonly algorithm_bandwidth_gb_per_s: number | null;
  readonly bus_bandwidth_gb_per_s: number | null;
  readonly last_file: number | null;
  readonly members: readonly MatchMember[];
}
export const MATCHES: TableDescription<MatchRow> = [
  { key: "name", title: "Collective", quantity: "name" },
  { key: "step", title: "Step", quantity: "text", spare: 25 },
  { key: "bytes", title: "Data", quantity: "bytes", spare: 30 },
  { key: "start_skew_ns", title: "Skew", quantity: "duration", spare: 10, bar: true, sum: false, help: "From the first rank's start to the last one's" },
  { key: "transfer_ns", title: "Transfer", quantity: "duration", spare: 20 },
  { key: "last_file", title: "Came last", quantity: "file", spare: 15 },
  { key: "bus_bandwidth_gb_per_s", title: "Bus GB/s", quantity: "rate", spare: 40 },
];

export interface ActivityRow {
  readonly name: string;
  readonly kind: string;
  readonly time_ns: number;
  readonly others_ns: number;
}
export const ACTIVITIES: TableDescription<ActivityRow> = [
  { key: "name", title: "What it did", quantity: "name" },
  { key: "kind", title: "Kind", quantity: "text", spare: 40 },
  { key: "time_ns", title: "Here", quantity: "duration", bar: true },
  { key: "others_ns", title: "Others", quantity: "duration", spare: 10, like: "time_ns", help: "Mean of the other ranks before the same collectives" },
];

export interface StragglerRow {
  readonly file: number;
  readonly last: number;
  readonly last_share: number | null;
  readonly steps_last: number;
  readonly steps_last_share: number | null;
  readonly others_waited_ns: number;
  readonly meanwhile: readonly ActivityRow[];
}

export const IDLE_CAUSES = {
  input: "waiting for input",
  synchronisation: "after a synchronisation",
  host_wait: "host not there in time",
  kernel_wait: "between two kernels",
  other: "other",
} as const;

export interface IdleRow {
  readonly file: number;
  readonly scope: string;
  readonly device: number;
  readonly stream: number | null;
  readonly events: number;
  readonly window_ns: number;
  readonly busy_ns: number;
  readonly idle_ns: number;
  readonly idle_share: number;
  readonly gaps: number;
  readonly gap_min_ns: number | null;
  readonly gap_mean_ns: number | null;
  readonly gap_max_ns: number | null;
  readonly host_wait_ns: number;
  readonly synchronisation_ns: number;
  readonly input_ns: number;
  readonly kernel_wait_ns: number;
  readonly other_ns: number;
  readonly host_wait_gaps: number;
  readonly synchronisation_gaps: number;
  readonly input_gaps: number;
  readonly kernel_wait_gaps: number;
  readonly other_gaps: number;
}
export const IDLE: TableDescription<IdleRow> = [
  { key: "file", title: "File", quantity: "file", presence: "files" },
  { key: "device", title: "Device", quantity: "text" },
  { key: "stream", title: "Stream", quantity: "text" },
  { key: "events", title: "Events", quantity: "count", spare: 55 },
  { key: "window_ns", title: "Window", quantity: "duration", spare: 45, sum: false },
  { key: "idle_ns", title: "Idle", quantity: "duration", bar: true },
  { key: "idle_share", title: "Share", quantity: "share", spare: 10 },
  { key: "gaps", title: "Gaps", quantity: "count", spare: 40 },
  { key: "gap_mean_ns", title: "Mean gap", quantity: "duration", spare: 60, sum: false },
  { key: "gap_max_ns", title: "Longest", quantity: "duration", spare: 42, sum: false },
  { key: "host_wait_ns", title: "Host", quantity: "duration", spare: 15, help: "Host not there in time" },
  { key: "synchronisation_ns", title: "Sync", quantity: "duration", spare: 16, help: "After a synchronisation" },
  { key: "input_ns", title: "Input", quantity: "duration", spare: 17, help: "Waiting for input" },
  { key: "kernel_wait_ns", title: "Kernel", quantity: "duration", spare: 18, help: "Between two kernels" },
  { key: "other_ns", title: "Other", quantity: "duration", spare: 19, help: "Other" },
];

export interface GapRow {
  readonly file: number;
  readonly device: number;
  readonly stream: number | null;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly cause: string;
  readonly before: string;
  readonly after: string;
  readonly host: string | null;
  readonly host_ns: number | null;
}
export const GAPS: TableDescription<GapRow> = [
  { key: "file", title: "File", quantity: "file", spare: 30, presence: "files" },
  { key: "device", title: "Device", quantity: "text", spare: 40 },
  { key: "duration_ns", title: "Gap", quantity: "duration", bar: true, sum: false },
  { key: "cause", title: "Cause", quantity: "text", spare: 10 },
  { key: "host", title: "The host was in", quantity: "name", spare: 20 },
  { key: "host_ns", title: "For", quantity: "duration", spare: 25, sum: false },
  { key: "before", title: "Before", quantity: "name", spare: 60, names: "kernel" },
  { key: "after", title: "After", quantity: "name", spare: 30, names: "kernel" },
];

export interface LaunchRow {
  readonly file: number;
  readonly name: string;
  readonly calls: number;
  readonly device_events: number;
  readonly host_total_ns: number;
  readonly host_mean_ns: number;
  readonly host_max_ns: number;
  readonly device_total_ns: number;
  readonly delay_mean_ns: number;
  readonly delay_median_ns: number;
  readonly delay_p99_ns: number;
  readonly delay_max_ns: number;
  readonly short_calls: number;
  readonly short_share: number;
}
export const LAUNCHES: TableDescription<LaunchRow> = [
  { key: "name", title: "Call", quantity: "name", names: "event" },
  { key: "file", title: "File", quantity: "file", spare: 5, presence: "files" },
  { key: "calls", title: "Calls", quantity: "count", spare: 10 },
  { key: "device_events", title: "Device events", quantity: "count", spare: 60 },
  { key: "host_total_ns", title: "Host", quantity: "duration", bar: true },
  { key: "host_mean_ns", title: "Mean", quantity: "duration", spare: 30, sum: false },
  { key: "delay_mean_ns", title: "Delay mean", quantity: "duration", spare: 15, sum: false },
  { key: "delay_median_ns", title: "Delay median", quantity: "duration", spare: 35, sum: false, help: "From the call's end to the start of its first device event" },
  { key: "delay_p99_ns", title: "Delay p99", quantity: "duration", spare: 40, sum: false },
  { key: "delay_max_ns", title: "Delay max", quantity: "duration", spare: 50, sum: false },
  { key: "short_share", title: "Short", quantity: "share", spare: 45, help: "Launches whose work took less time than launching it" },
  { key: "host_max_ns", title: "Longest", quantity: "duration", hidden: true, sum: false },
  { key: "device_total_ns", title: "Device total", quantity: "duration", hidden: true },
];

export interface RuntimeCallRow {
  readonly file: number;
  readonly name: string;
  readonly calls: number;
  readonly host_total_ns: number;
  readonly host_mean_ns: number;
  readonly host_max_ns: number;
}
export const RUNTIME_CALLS: TableDescription<RuntimeCallRow> = [
  { key: "name", title: "Call", quantity: "name", names: "event" },
  { key: "file", title: "File", quantity: "file", spare: 5, presence: "files" },
  { key: "calls", title: "Calls", quantity: "count", spare: 10 },
  { key: "host_total_ns", title: "CPU total", quantity: "duration", bar: true },
  { key: "host_mean_ns", title: "CPU mean", quantity: "duration", spare: 30, sum: false },
  { key: "host_max_ns", title: "CPU longest", quantity: "duration", spare: 50, sum: false },
];

export interface QueueRow {
  readonly file: number;
  readonly device: number;
  readonly stream: number | null;
  readonly launches: number;
  readonly max_length: number;
  readonly mean_length: number;
  readonly window_ns: number;
  readonly full_ns: number;
  readonly full_share: number;
}
export const QUEUES: TableDescription<QueueRow> = [
  { key: "file", title: "File", quantity: "file", presence: "files" },
  { key: "device", title: "Device", quantity: "id" },
  { key: "stream", title: "Stream", quantity: "id" },
  { key: "launches", title: "Launches", quantity: "count", spare: 20 },
  { key: "window_ns", title: "Window", quantity: "duration", spare: 40, sum: false },
  { key: "mean_length", title: "Mean length", quantity: "number", spare: 10, bar: true },
  { key: "max_length", title: "Max length", quantity: "count", sum: false },
  { key: "full_share", title: "Full", quantity: "share", spare: 30, help: "Time with 1024 or more: a further launch blocks its caller" },
];

export interface LaunchSummary {
  readonly file: number;
  readonly launches: number;
  readonly device_events: number;
  readonly launch_missing: number;
  readonly graph_launches: number;
  readonly graph_device_events: number;
  readonly short_launches: number;
  readonly short_share: number;
  readonly host_total_ns: number;
  readonly launches_per_step: number | null;
  readonly device_events_per_step: number | null;
  readonly launches_per_second: number | null;
}

export interface StreamRow {
  readonly file: number;
  readonly device: number;
  readonly stream: number | null;
  readonly events: number;
  readonly window_ns: number;
  readonly busy_ns: number;
  readonly busy_share: number | null;
  readonly compute_ns: number | null;
  readonly communication_ns: number | null;
  readonly copy_ns: number | null;
  readonly beside_ns: number;
  readonly beside_share: number | null;
  readonly alone_ns: number | null;
}
export const STREAMS: TableDescription<StreamRow> = [
  { key: "file", title: "File", quantity: "file", presence: "files" },
  { key: "device", title: "Device", quantity: "text" },
  { key: "stream", title: "Stream", quantity: "text" },
  { key: "events", title: "Events", quantity: "count", spare: 55 },
  { key: "busy_ns", title: "Busy", quantity: "duration", bar: true, help: "Time with at least one event" },
  { key: "busy_share", title: "Share", quantity: "share", spare: 20 },
  { key: "compute_ns", title: "Compute", quantity: "duration", spare: 30, presence: "nonzero", help: "Kernels other than those of communication" },
  { key: "communication_ns", title: "Communication", quantity: "duration", spare: 30, presence: "nonzero", help: "Kernels of NCCL, RCCL and the like" },
  { key: "copy_ns", title: "Copies", quantity: "duration", spare: 30, presence: "nonzero", help: "Copies and sets" },
  { key: "beside_ns", title: "Beside", quantity: "duration", spare: 10, help: "Time in which another stream of the device was busy, too" },
  { key: "beside_share", title: "Hidden", quantity: "share", spare: 15, help: "Share of its busy time that ran beside other streams" },
  { key: "alone_ns", title: "Alone", quantity: "duration", spare: 12, help: "Time in which the device did nothing else" },
];

export const PATH_CAUSE_TITLES = {
  operator: "operator",
  host_other: "host, no operator",
  data_loading: "data loading",
  runtime: "runtime call",
  launch_delay: "launch delay",
  kernel: "kernel",
  communication: "communication",
  memcpy: "copy",
  memset: "memory set",
  kernel_gap: "gap between kernels",
  synchronization: "waiting call",
  idle: "unexplained",
} as const;

export const PATH_REGION_TITLES = {
  step: "step",
  annotation: "range",
  whole_trace: "trace",
} as const;

export interface PathCauseRow {
  readonly cause: string;
  readonly name: string | null;
  readonly pieces: number;
  readonly average_ns: number;
  readonly path_share: number;
  readonly average_if_free_ns: number | null;
}
export const PATH_CAUSES: TableDescription<PathCauseRow> = [
  { key: "name", title: "Name", quantity: "name" },
  { key: "cause", title: "Cause", quantity: "text", spare: 20 },
  { key: "pieces", title: "Pieces", quantity: "count", spare: 60 },
  { key: "average_ns", title: "A step", quantity: "duration", bar: true },
  { key: "path_share", title: "Share", quantity: "share", spare: 10 },
  { key: "average_if_free_ns", title: "Step without it", quantity: "duration", spare: 5, sum: false, help: "What a step would take if every piece of this cause took no time; computed for the ten largest" },
];

export interface PathRegionRow {
  readonly name: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly recomputed_ns: number;
  readonly pieces: number;
  readonly causes: Readonly<Partial<Record<string, number>>>;
  readonly file: number | null;
}

export interface PathPieceRow {
  readonly region: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly cause: string;
  readonly name: string | null;
  readonly pid: string;
  readonly tid: string;
  readonly file: number;
}
export const PATH_PIECES: TableDescription<PathPieceRow> = [
  { key: "name", title: "Name", quantity: "name" },
  { key: "duration_ns", title: "Duration", quantity: "duration", spare: 10, bar: true },
  { key: "cause", title: "Cause", quantity: "text", spare: 20 },
  { key: "region", title: "Step", quantity: "text", spare: 40 },
  { key: "start_ns", title: "Start", quantity: "moment", spare: 50, help: "From the beginning of the recording" },
  { key: "tid", title: "Thread or stream", quantity: "text", spare: 60 },
];

export const NO_FORMULA_REASONS = {
  no_formula: "no formula",
  arguments_missing: "shapes or values missing",
  transfer: "copy between host and device",
  no_operator: "launched by no operator",
  communication: "communication",
} as const;

export interface RooflineRow {
  readonly name: string;
  readonly phase: string;
  readonly family: string;
  readonly input_shapes: unknown;
  readonly input_types: unknown;
  readonly concrete_inputs: unknown;
  readonly type: string;
  readonly device: string | null;
  readonly calls: number;
  readonly time_ns: number;
  readonly flops_per_call: number | null;
  readonly call_bytes: number;
  readonly flops_per_byte: number | null;
  readonly flops_per_second: number | null;
  readonly bytes_per_second: number | null;
  readonly peak: string | null;
  readonly peak_flops_per_second: number | null;
  readonly peak_bytes_per_second: number | null;
  readonly bound: string | null;
  readonly ideal_ns: number | null;
  readonly lost_ns: number | null;
  readonly roof_share: number | null;
}
export const ROOFLINE: TableDescription<RooflineRow> = [
  { key: "name", title: "Operator", quantity: "name", names: "operator" },
  { key: "phase", title: "Phase", quantity: "text", spare: 28 },
  { key: "input_shapes", title: "Shapes", quantity: "json", spare: 15 },
  { key: "type", title: "Type", quantity: "text", spare: 55 },
  { key: "calls", title: "Calls", quantity: "count", spare: 45 },
  { key: "time_ns", title: "Time", quantity: "duration", bar: true },
  { key: "flops_per_second", title: "FLOP/s", quantity: "number", spare: 20 },
  { key: "bytes_per_second", title: "B/s", quantity: "number", spare: 20 },
  { key: "flops_per_byte", title: "FLOP/B", quantity: "number", spare: 60 },
  { key: "bound", title: "Bound", quantity: "text", spare: 40, help: "What the time could not fall below: the device's operations or its memory" },
  { key: "roof_share", title: "Of roof", quantity: "share", spare: 10, help: "Ideal time ÷ time; above 100 % data came from a cache" },
  { key: "lost_ns", title: "Above roof", quantity: "duration", spare: 25, bar: true, like: "time_ns", help: "Time beyond what the device's peaks would allow" },
  { key: "family", title: "Family", quantity: "text", hidden: true },
];

export interface RooflineFamilyRow {
  readonly family: string;
  readonly phase: string;
  readonly calls: number;
  readonly time_ns: number;
  readonly flops_per_second: number | null;
  readonly bytes_per_second: number | null;
  readonly ideal_ns: number | null;
  readonly lost_ns: number | null;
}
export const ROOFLINE_FAMILIES: TableDescription<RooflineFamilyRow> = [
  { key: "family", title: "Family", quantity: "text" },
  { key: "phase", title: "Phase", quantity: "text", spare: 15 },
  { key: "calls", title: "Calls", quantity: "count", spare: 40 },
  { key: "time_ns", title: "Time", quantity: "duration", bar: true },
  { key: "flops_per_second", title: "FLOP/s", quantity: "number", spare: 20 },
  { key: "bytes_per_second", title: "B/s", quantity: "number", spare: 20 },
  { key: "lost_ns", title: "Above roof", quantity: "duration", spare: 25, bar: true, like: "time_ns", help: "Time beyond what the device's peaks would allow" },
];

export interface NoFormulaRow {
  readonly name: string;
  readonly reason: string;
  readonly events: number;
  readonly time_ns: number;
  readonly time_share: number;
}
export const WITHOUT_FORMULA: TableDescription<NoFormulaRow> = [
  { key: "name", title: "Operator", quantity: "name", names: "operator" },
  { key: "reason", title: "Why", quantity: "text", spare: 20 },
  { key: "events", title: "Events", quantity: "count", spare: 40 },
  { key: "time_ns", title: "Time", quantity: "duration", bar: true },
  { key: "time_share", title: "Share", quantity: "share", spare: 10 },
];

export interface DiagnosticRow {
  readonly severity: string;
  readonly kind: string;
  readonly count: number;
  readonly first_offset: number | null;
  readonly message: string;
  readonly file: number | null;
}
export const DIAGNOSTICS: TableDescription<DiagnosticRow> = [
  { key: "severity", title: "Severity", quantity: "text" },
  { key: "file", title: "File", quantity: "file", spare: 40, presence: "files" },
  { key: "kind", title: "Kind", quantity: "text" },
  { key: "count", title: "Count", quantity: "count" },
  { key: "first_offset", title: "First at byte", quantity: "id", spare: 50, help: "Of the decoded text" },
  { key: "message", title: "What it means", quantity: "prose" },
];

export const DEFAULT_PAGES: readonly DefaultPage[] = [
  { name: "simple", title: "Actions", table: ACTIONS },
  { name: "streams", title: "Streams", table: STREAMS },
];
