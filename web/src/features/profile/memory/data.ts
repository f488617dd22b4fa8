// SPDX-License-Identifier: Apache-2.0
// The section memory of a report (docs/analyses/memory.md).
import type { AllocationRow, CheckedFileRow, MemoryDeviceRow, MemoryShareRow } from "../../../api/generated";
import type { CurveData } from "../../../charts/draw_curves";

export interface MemoryDevice extends Omit<MemoryDeviceRow, "curve" | "at_peak"> {
  readonly curve: {
    readonly captured: boolean;
    readonly point_count: number;
    readonly times_ns: readonly number[];
    readonly allocated_bytes: readonly number[];
    readonly reserved_bytes: readonly number[] | null;
    readonly categories: readonly { readonly name: string; readonly bytes: readonly number[] }[] | null;
  } | null;
  readonly at_peak: {
    readonly known_bytes: number;
    readonly before_bytes: number | null;
    readonly operators: readonly MemoryShareRow[] | null;
    readonly modules: readonly MemoryShareRow[] | null;
    readonly steps: readonly MemoryShareRow[] | null;
    readonly frames: readonly MemoryShareRow[] | null;
    readonly categories: readonly MemoryShareRow[] | null;
    readonly largest: readonly AllocationRow[];
  } | null;
}

export interface Memory {
  readonly devices: readonly MemoryDevice[];
  readonly left_out_count: number;
  readonly leaks: readonly CheckedFileRow[];
  readonly allocations?: readonly AllocationRow[];
}
export interface MemoryReport {
  readonly memory: Memory | null;
}

export const BLOCKS_ASKED = 2500; // about 1 MB

export const deviceKey = (d: MemoryDevice, files: number): string =>
  `${files > 1 ? `${d.file}/` : ""}${d.type ?? "memory"}${d.id === null ? "" : `:${d.id}`}`;

const CATEGORY: Readonly<Record<string, string>> = {
  parameter: "--c-kernel",
  optimizer_state: "--c-runtime",
  input: "--c-dataloader",
  temporary: "--c-overhead",
  activation: "--c-communication",
  gradient: "--c-memcpy",
  autograd_detail: "--c-operator",
  unknown: "--c-other",
};
export const categoryColor = (name: string): string => CATEGORY[name.toLowerCase()] ?? "--c-other";
export const categoryTitle = (name: string): string => name.toLowerCase().replaceAll("_", " ");

// Times count from `base`. Categories are stacked: the largest sum is drawn first, behind the others.
export function curvesOf(device: MemoryDevice, base: number): CurveData | null {
  const { curve } = device;
  if (curve === null || curve.times_ns.length === 0) return null;
  const x = curve.times_ns.map((t) => t - base);
  if (curve.categories !== null) {
    const sum = new Float64Array(x.length);
    const series = curve.categories.map(({ name, bytes }) => {
      bytes.forEach((value, i) => {
        sum[i] = (sum[i] as number) + value;
      });
      return {
        title: categoryTitle(name),
        color: categoryColor(name),
        values: [...sum],
        filled: true,
        stacked: true,
      };
    });
    return { x, series: series.reverse(), quantity: "bytes" };
  }
  const reserved =
    curve.reserved_bytes === null
      ? []
      : [{ title: "reserved by the allocator", color: "--c-step", values: curve.reserved_bytes, thin: true }];
  return {
    x,
    quantity: "bytes",
    series: [
      {
        title: curve.captured ? "allocated" : "allocated since the recording began",
        color: "--c-kernel",
        values: curve.allocated_bytes,
        filled: true,
      },
      ...reserved,
    ],
  };
}
