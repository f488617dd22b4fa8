// SPDX-License-Identifier: Apache-2.0
// The sections of a report that several pages read. null: the capture does not hold it.
import type { StepCategory } from "./categories";
import type { FunctionRow, OtherRow, StepRow } from "./generated";

export interface StepsSection {
  readonly source: "ProfilerStep" | "annotation" | "whole_trace";
  readonly average_ns: number | null;
  readonly typical: number | null; // row of the step that stands for all; null: none is complete
  readonly categories: Readonly<Record<StepCategory, number | null>>;
  readonly rows: readonly StepRow[];
  readonly other_inside: readonly OtherRow[]; // of an average step, the largest first
}

export interface Recommendation {
  readonly rule: string;
  readonly what: string | null; // the cause it is about
  readonly severity: "high" | "medium" | "low";
  readonly text: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly remedy: string;
  readonly threshold: string;
  readonly title: string;
  readonly views: readonly string[];
  readonly example: { readonly file: number; readonly row: number } | null; // an event
}

export interface FunctionsSection {
  readonly between?: {
    readonly from: string | null; // as far as the file can be cut; null: it does not know the date
    readonly to: string | null;
    readonly start_ns: number; // since the recording's start
    readonly end_ns: number;
    readonly whole_slots: boolean; // the ends are those of the file's own parts
    readonly left_out: number; // profiles that do not say when functions ran
  };
  readonly source: "pairs" | "tree";
  readonly unit?: string | null; // what the profile counts, if not nanoseconds
  readonly total_ns: number;
  readonly rows: readonly FunctionRow[];
}
