// SPDX-License-Identifier: Apache-2.0
// What tables of runs hold and how they are shown. Made by scripts/generate from the descriptions in src/views/runs.
import type { TableDescription } from "../lib/table_description";

export interface HardwareRow {
  readonly device: string;
  readonly metric: string;
  readonly rank: number | null;
  readonly mean: number | null;
  readonly max: number | null;
  readonly min: number | null;
  readonly last: number;
  readonly unit: string;
  readonly samples: number;
  readonly tag: string;
}
export const HARDWARE: TableDescription<HardwareRow> = [
  { key: "device", title: "Device", quantity: "name" },
  { key: "metric", title: "Measured", quantity: "name", spare: 5 },
  { key: "rank", title: "Rank", quantity: "id", spare: 10, presence: "value" },
  { key: "mean", title: "Mean", quantity: "number", spare: 5, sum: false },
  { key: "max", title: "Largest", quantity: "number", spare: 5, sum: false },
  { key: "min", title: "Least", quantity: "number", spare: 50, sum: false },
  { key: "last", title: "Last", quantity: "number", spare: 40, sum: false },
  { key: "unit", title: "Unit", quantity: "text", spare: 5 },
  { key: "samples", title: "Samples", quantity: "count", spare: 60, sum: false },
  { key: "tag", title: "Series", quantity: "name", hidden: true },
];
