// SPDX-License-Identifier: Apache-2.0
// Where the pointer is, for all charts of the page at once.
import { signal } from "@preact/signals";
import type { Reading } from "../../../lib/runs/legend";

export interface Crosshair {
  readonly chart: string; // over which it is
  readonly x: number;
  readonly y: number | null;
}
export const crosshair = signal<Crosshair | null>(null);

// What the lines of that chart have there, for the legend beside the charts: by run or group.
export interface Readings {
  readonly title: string;
  readonly x: number;
  readonly byLine: ReadonlyMap<string, Reading>;
}
export const readingsShown = signal<Readings | null>(null);
// The line that is lit in all charts.
export const lit = signal<string | null>(null);
