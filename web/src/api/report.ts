// SPDX-License-Identifier: Apache-2.0
// The sections of a report that several pages read. null: the capture does not hold it.
import type { StepCategory } from "../lib/category";

export type StepTimes = Readonly<Record<StepCategory, number>>;

export interface StepRow {
  readonly name: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly complete: boolean;
  readonly categories: StepTimes;
  readonly device_events: number;
  readonly file: number;
}

export interface StepsSection {
  readonly source: "ProfilerStep" | "annotation" | "whole_trace";
  readonly average_ns: number | null;
  readonly typical: number | null; // row of the step that stands for all; null: none is complete
  readonly categories: Readonly<Record<StepCategory, number | null>>;
  readonly rows: readonly StepRow[];
}

export interface DeviceRow {
  readonly id: number;
  readonly type: string;
  readonly name: string | null;
  readonly memory_bytes: number | null;
  readonly compute_capability: string | null;
  readonly kernel_count: number;
  readonly utilization_share: number | null;
  readonly sm_efficiency_share: number | null;
  readonly achieved_occupancy_share: number | null;
  readonly tensor_core_share: number | null;
  readonly file: number;
}

export interface OperatorRow {
  readonly name: string;
  readonly kind: "operator" | "annotation";
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
}

export interface KernelRow {
  readonly name: string;
  readonly kind: "compute" | "communication";
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

export interface Recommendation {
  readonly rule: string;
  readonly severity: "high" | "medium" | "low";
  readonly text: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly remedy: string;
  readonly threshold: string;
  readonly title: string;
  readonly views: readonly string[];
  readonly example: { readonly file: number; readonly row: number } | null; // an event
}

export interface FunctionRow {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly calls: number;
  readonly primitive_calls: number;
  readonly self_ns: number;
  readonly total_ns: number;
}

export interface FunctionsSection {
  readonly source: "pairs" | "tree";
  readonly unit?: string | null; // what the profile counts, if not nanoseconds
  readonly total_ns: number;
  readonly rows: readonly FunctionRow[];
}
