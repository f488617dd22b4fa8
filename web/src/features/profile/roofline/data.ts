// SPDX-License-Identifier: Apache-2.0
// The section roofline of a report (docs/analyses/roofline.md).

import type { NoFormulaRow, RooflineFamilyRow, RooflineRow } from "../../../api/generated";

export interface RoofDevice {
  readonly name: string | null;
  readonly known_as: string | null;
  readonly peaks: "table" | "option" | "unknown";
  readonly memory_per_second: number | null;
  readonly [peak: `${string}_per_second`]: number | null;
}

export interface Roofline {
  readonly time: "device" | "host";
  readonly total_ns: number;
  readonly covered_ns: number;
  readonly devices: readonly RoofDevice[];
  readonly families: readonly RooflineFamilyRow[];
  readonly rows: readonly RooflineRow[];
  readonly without_formula: readonly NoFormulaRow[];
}
export interface RooflineReport {
  readonly roofline: Roofline | null;
}

// "8192×1024, 1024×4096", lists without axes left out.
export function shapesText(shapes: unknown): string {
  if (!Array.isArray(shapes)) return "";
  return shapes
    .map((shape) => (Array.isArray(shape) ? shape.map(String).join("×") : ""))
    .filter((text) => text !== "")
    .join(", ");
}

export const PEAKS = ["fp64", "fp32", "fp32_matrix", "tf32", "fp16", "bf16", "fp8", "int8"] as const;

export interface Roof {
  readonly label: string; // "fp16, bf16"
  readonly flops: number;
}
// The device's roofs, equal ones as one, the highest first.
export function roofsOf(device: RoofDevice): Roof[] {
  const byValue = new Map<number, string[]>();
  for (const peak of PEAKS) {
    const value = device[`${peak}_per_second`];
    if (value) byValue.set(value, [...(byValue.get(value) ?? []), peak.replace("_", " ")]);
  }
  return [...byValue]
    .map(([flops, names]) => ({ label: names.join(", "), flops }))
    .sort((a, b) => b.flops - a.flops);
}
