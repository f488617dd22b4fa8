// SPDX-License-Identifier: Apache-2.0
// The section roofline of a report (docs/analyses/roofline.md).

export interface RoofRow {
  readonly name: string;
  readonly phase: string;
  readonly family: string;
  readonly input_shapes: unknown;
  readonly type: string | null;
  readonly device: string | null;
  readonly calls: number;
  readonly time_ns: number;
  readonly flops_per_call: number | null;
  readonly call_bytes: number | null;
  readonly flops_per_byte: number | null;
  readonly flops_per_second: number | null;
  readonly bytes_per_second: number | null;
  readonly peak: string | null;
  readonly peak_flops_per_second: number | null;
  readonly peak_bytes_per_second: number | null;
  readonly bound: "compute" | "memory" | null;
  readonly ideal_ns: number | null;
  readonly lost_ns: number | null;
  readonly roof_share: number | null;
}

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
  readonly families: readonly {
    readonly family: string;
    readonly phase: string;
    readonly calls: number;
    readonly time_ns: number;
    readonly flops_per_second: number | null;
    readonly bytes_per_second: number | null;
    readonly ideal_ns: number | null;
    readonly lost_ns: number | null;
  }[];
  readonly rows: readonly RoofRow[];
  readonly without_formula: readonly {
    readonly name: string | null;
    readonly reason: string;
    readonly events: number;
    readonly time_ns: number;
    readonly time_share: number;
  }[];
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
