// SPDX-License-Identifier: Apache-2.0
// How curves are looked at, as the address has it: smoothing, axes, zoom, groups, which charts there are.
import type { LegendOrder } from "./legend";
import type { Range } from "./range";
import { chartList } from "./tags";

export interface CurveView {
  readonly x: string; // "step", "relative", "wall", "tag:NAME"
  readonly smoothing: number;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly outliers: boolean; // count for the range of y
  readonly overwritten: boolean; // points that a restart wrote over are drawn
  readonly zoom: Range | null; // of x, for all charts
  readonly zoomY: ReadonlyMap<string, Range>; // by chart
  readonly group: string | null; // "all", or the name of a config value
  readonly band: "minmax" | "deviation";
  readonly order: LegendOrder;
  readonly search: string;
  readonly pinned: readonly string[]; // charts
  readonly joined: readonly string[]; // charts of several tags
  readonly wide: readonly string[];
  readonly closed: ReadonlySet<string>; // sections
}

export const DEFAULT_SMOOTHING = 0.6; // TensorBoard's
export const MOST_SMOOTHING = 0.999;

const ORDERS: readonly LegendOrder[] = ["nearest", "descending", "ascending", "name"];

export function rangeOf(text: string | undefined): Range | null {
  const [from, to] = (text ?? "").split("~").map(Number);
  return from !== undefined && to !== undefined && Number.isFinite(from) && to > from ? [from, to] : null;
}
export const rangeText = (range: Range | null): string | null =>
  range === null ? null : range.map((v) => String(Number(v.toPrecision(9)))).join("~");

export function zoomsOf(text: string | undefined): ReadonlyMap<string, Range> {
  const zooms = new Map<string, Range>();
  for (const part of (text ?? "").split("!")) {
    const at = part.indexOf("~");
    const range = rangeOf(part.slice(at + 1));
    if (at > 0 && range !== null) zooms.set(part.slice(0, at), range);
  }
  return zooms;
}
export const zoomsText = (zooms: ReadonlyMap<string, Range>): string | null =>
  zooms.size === 0 ? null : [...zooms].map(([key, range]) => `${key}~${rangeText(range)}`).join("!");

export function curveView(params: Readonly<Record<string, string | undefined>>): CurveView {
  const smoothing = Number(params.smoothing ?? DEFAULT_SMOOTHING);
  const x = params.x ?? "step";
  return {
    x: ["step", "relative", "wall"].includes(x) || x.startsWith("tag:") ? x : "step",
    smoothing: smoothing >= 0 ? Math.min(smoothing, MOST_SMOOTHING) : DEFAULT_SMOOTHING,
    logX: params.logx === "1" && x !== "wall",
    logY: params.logy === "1",
    outliers: params.outliers !== "0",
    overwritten: params.overwritten === "1",
    zoom: rangeOf(params.zoom),
    zoomY: zoomsOf(params.zoomy),
    group: params.by ?? null,
    band: params.band === "deviation" ? "deviation" : "minmax",
    order: ORDERS.find((order) => order === params.order) ?? "nearest",
    search: params.q ?? "",
    pinned: chartList(params.pinned),
    joined: chartList(params.charts),
    wide: chartList(params.wide),
    closed: new Set(chartList(params.closed).map((name) => safely(name))),
  };
}
function safely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Points of a line that are asked for, in pixels: with many lines fewer, so that all of them together can be held and
// drawn. The least and the largest value of each such pixel are there all the same.
const POINTS_OF_A_CHART = 120_000;
const POINTS_OF_A_PIXEL = 4;
export const widthFor = (pixels: number, lines: number): number =>
  Math.max(
    40,
    Math.min(Math.ceil(pixels), Math.floor(POINTS_OF_A_CHART / POINTS_OF_A_PIXEL / Math.max(1, lines))),
  );

export interface Group<T> {
  readonly name: string;
  readonly members: readonly T[];
}
// Runs by a value of their config, or all of them as one.
export function grouped<T extends { readonly config: Readonly<Record<string, unknown>> }>(
  runs: readonly T[],
  by: string,
): readonly Group<T>[] {
  if (by === "all") return runs.length === 0 ? [] : [{ name: "all runs", members: runs }];
  const groups = new Map<string, T[]>();
  for (const run of runs) {
    const value = run.config[by];
    const name = `${by} = ${value === undefined || value === null ? "–" : String(value)}`;
    const members = groups.get(name);
    if (members) members.push(run);
    else groups.set(name, [run]);
  }
  return [...groups].map(([name, members]) => ({ name, members }));
}
