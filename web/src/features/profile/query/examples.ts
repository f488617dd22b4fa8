// SPDX-License-Identifier: Apache-2.0
// Queries to begin with.
import type { Captured, ProfileInfo } from "../../../api/types";

export interface Example {
  readonly title: string;
  readonly sql: string;
}

const TRACE: readonly Example[] = [
  {
    title: "Time per kernel",
    sql: "SELECT name, count(*) AS calls, sum(duration_ns) AS total_ns, median(duration_ns) AS median_ns\nFROM kernels\nGROUP BY name\nORDER BY total_ns DESC\nLIMIT 50",
  },
  {
    title: "Slowest operator calls",
    sql: "SELECT name, step, duration_ns, host_self_ns, device_total_ns, parent\nFROM operators\nWHERE kind = 'operator'\nORDER BY duration_ns DESC\nLIMIT 100",
  },
  {
    title: "Device time per step and operator",
    sql: "SELECT step, operator, sum(duration_ns) AS device_ns\nFROM kernels\nGROUP BY step, operator\nORDER BY step, device_ns DESC\nLIMIT 500",
  },
  { title: "Steps", sql: "SELECT * FROM steps" },
  {
    title: "Events by kind",
    sql: "SELECT kind, count(*) AS events, sum(duration_ns) AS total_ns\nFROM events\nGROUP BY kind\nORDER BY events DESC",
  },
];

const FUNCTIONS: readonly Example[] = [
  { title: "Functions by own time", sql: "SELECT * FROM functions\nORDER BY self_ns DESC\nLIMIT 100" },
  { title: "Who calls whom", sql: "SELECT * FROM function_calls\nLIMIT 100" },
];

// The first is about what there is: kernels, else operators, else events of any kind.
export function firstQuery(examples: readonly Example[], captured: readonly Captured[]): string {
  const from = captured.includes("device_events")
    ? "kernels"
    : captured.includes("operators")
      ? "operators"
      : "events";
  return (examples.find((e) => e.sql.includes(`FROM ${from}`)) ?? examples[0])?.sql ?? "";
}

export const examplesFor = (kind: ProfileInfo["kind"]): readonly Example[] =>
  kind === "functions" ? FUNCTIONS : kind === "mixed" ? [...TRACE, ...FUNCTIONS] : TRACE;
