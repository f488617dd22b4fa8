// SPDX-License-Identifier: Apache-2.0
// Histograms over steps, drawn with a painter: to a canvas, or to a file.
import type { Painter } from "../../../charts/painter";
import type { Part } from "../../../charts/parts";
import { colour } from "../../../charts/theme";
import { mix } from "../../../lib/colour";
import { axisOf, numberTicks, pixelAt } from "../../../lib/runs/axis";
import { extent, type HistogramStep, rebinned, thinned } from "../../../lib/runs/histograms";
import { shortNumber } from "../../../lib/runs/numbers";

const BINS = 60;
const RIDGES = 40; // drawn behind each other
const FOOT = 20;
const SIDE = 54;

type Draw = (painter: Painter, width: number, height: number) => readonly Part[];

function footAxis(
  painter: Painter,
  range: readonly [number, number],
  left: number,
  right: number,
  y: number,
) {
  const axis = axisOf(range, [left, right], false);
  for (const { value, text } of numberTicks(axis, Math.max(2, Math.floor((right - left) / 80))))
    painter.text(pixelAt(axis, value), y, text, { fill: colour("--muted"), align: "center" });
  return axis;
}

const tip = (step: HistogramStep): readonly string[] => {
  const count = step.buckets.reduce((sum, [, , c]) => sum + c, 0);
  const used = step.buckets.filter(([, , c]) => c > 0);
  return [
    `step ${step.step.toLocaleString("en-US")}`,
    `${shortNumber(count)} values from ${shortNumber(used[0]?.[0])} to ${shortNumber(used.at(-1)?.[1])}`,
    new Date(step.wall * 1000).toLocaleString(),
  ];
};

export const drawRidge =
  (all: readonly HistogramStep[], tone: string): Draw =>
  (painter, width, height) => {
    const range = extent(all);
    if (range === null) return [];
    const steps = thinned(all, RIDGES);
    const [left, right] = [6, width - SIDE];
    footAxis(painter, range, left, right, height - 9);
    const bottom = height - FOOT;
    const ridge = Math.min(90, height * 0.42);
    const gap = steps.length > 1 ? (bottom - ridge) / (steps.length - 1) : 0;
    const counts = steps.map((step) => rebinned(step.buckets, range, BINS));
    const most = Math.max(1e-12, ...counts.map((list) => Math.max(...list)));
    const parts: Part[] = [];
    const ground = colour("--panel");
    steps.forEach((step, i) => {
      const base = ridge + gap * i;
      const share = steps.length > 1 ? i / (steps.length - 1) : 1;
      const list = counts[i] as Float64Array;
      const points: [number, number][] = [];
      list.forEach((c, b) => {
        points.push([left + ((b + 0.5) / BINS) * (right - left), base - (c / most) * ridge]);
      });
      // Filled column by column: a painter knows no polygons.
      const fill = mix(tone, ground, 0.25 + 0.45 * share);
      const wide = (right - left) / BINS;
      points.forEach(([x, y]) => {
        if (base - y > 0.5) painter.rect(x - wide / 2, y, wide + 0.6, base - y, fill);
      });
      painter.line(points, mix(colour("--text"), fill, 0.55), 1);
      if (i % Math.max(1, Math.ceil(18 / Math.max(gap, 1))) === 0 || i === steps.length - 1)
        painter.text(right + 6, base - 4, step.step.toLocaleString("en-US"), {
          fill: colour("--muted"),
          size: 10,
        });
      parts.push({
        area: { kind: "rect", x: left, y: base - Math.max(gap, 6), w: right - left, h: Math.max(gap, 6) },
        lines: tip(step),
      });
    });
    return parts;
  };

export const drawOverlay =
  (all: readonly HistogramStep[], tone: string): Draw =>
  (painter, width, height) => {
    const range = extent(all);
    if (range === null) return [];
    const steps = thinned(all, RIDGES);
    const [left, right, bottom] = [6, width - 8, height - FOOT];
    footAxis(painter, range, left, right, height - 9);
    const counts = steps.map((step) => rebinned(step.buckets, range, BINS));
    const most = Math.max(1e-12, ...counts.map((list) => Math.max(...list)));
    counts.forEach((list, i) => {
      const share = steps.length > 1 ? i / (steps.length - 1) : 1;
      painter.line(
        [...list].map(
          (c, b) => [left + ((b + 0.5) / BINS) * (right - left), bottom - (c / most) * (bottom - 8)] as const,
        ),
        mix(tone, colour("--panel"), 0.2 + 0.8 * share),
        i === counts.length - 1 ? 2 : 1,
      );
    });
    return [];
  };

export const drawHeat =
  (all: readonly HistogramStep[], tone: string): Draw =>
  (painter, width, height) => {
    const range = extent(all);
    if (range === null) return [];
    const [left, right, bottom] = [SIDE, width - 8, height - FOOT];
    const steps = thinned(all, Math.max(8, Math.floor((right - left) / 3)));
    const rows = 48;
    const counts = steps.map((step) => rebinned(step.buckets, range, rows));
    const most = Math.max(1e-12, ...counts.map((list) => Math.max(...list)));
    const wide = (right - left) / steps.length;
    const high = (bottom - 6) / rows;
    const parts: Part[] = [];
    const ground = colour("--panel");
    counts.forEach((list, i) => {
      list.forEach((c, b) => {
        if (c > 0)
          painter.rect(
            left + i * wide,
            bottom - (b + 1) * high,
            wide + 0.6,
            high + 0.6,
            mix(tone, ground, 0.08 + 0.92 * Math.sqrt(c / most)),
          );
      });
      const step = steps[i] as HistogramStep;
      parts.push({
        area: { kind: "rect", x: left + i * wide, y: 6, w: wide, h: bottom - 6 },
        lines: tip(step),
      });
    });
    const axis = axisOf(range, [bottom, 6], false);
    for (const { value, text } of numberTicks(axis, 5))
      painter.text(left - 6, pixelAt(axis, value), text, { fill: colour("--muted"), align: "right" });
    const every = Math.max(1, Math.ceil((70 * steps.length) / (right - left)));
    steps.forEach((step, i) => {
      if (i % every === 0)
        painter.text(left + (i + 0.5) * wide, height - 9, step.step.toLocaleString("en-US"), {
          fill: colour("--muted"),
          align: "center",
        });
    });
    return parts;
  };

export interface BandStep {
  readonly step: number;
  readonly wall: number;
  readonly values: readonly number[]; // nine, from the least to the largest
}

export const drawBands =
  (all: readonly BandStep[], tone: string): Draw =>
  (painter, width, height) => {
    const steps = thinned(all, Math.max(8, Math.floor(width / 2)));
    const values = steps.flatMap((step) => step.values.filter(Number.isFinite));
    const [first, last] = [steps[0], steps.at(-1)];
    if (values.length === 0 || first === undefined || last === undefined) return [];
    const [left, right, bottom] = [SIDE, width - 8, height - FOOT];
    const y = axisOf([Math.min(...values), Math.max(...values)], [bottom, 8], false);
    const x = axisOf([first.step, last.step], [left, right], false);
    for (const { value, text } of numberTicks(y, 5)) {
      const at = pixelAt(y, value);
      painter.line(
        [
          [left, at],
          [right, at],
        ],
        colour("--border"),
      );
      painter.text(left - 6, at, text, { fill: colour("--muted"), align: "right" });
    }
    for (const { value, text } of numberTicks(x, Math.max(2, Math.floor((right - left) / 80))))
      painter.text(pixelAt(x, value), height - 9, text, { fill: colour("--muted"), align: "center" });
    const ground = colour("--panel");
    const shades = [0.18, 0.32, 0.48, 0.66];
    // From the outermost pair inwards, column by column.
    const columns = Math.max(1, Math.round(right - left));
    for (let px = 0; px < columns; ++px) {
      const at = first.step + ((px + 0.5) / columns) * (last.step - first.step);
      let k = 0;
      while (k < steps.length - 2 && (steps[k + 1] as BandStep).step < at) ++k;
      const [a, b] = [steps[k] as BandStep, steps[Math.min(k + 1, steps.length - 1)] as BandStep];
      const share = b.step > a.step ? Math.max(0, Math.min(1, (at - a.step) / (b.step - a.step))) : 0;
      const value = (q: number): number =>
        (a.values[q] as number) + ((b.values[q] as number) - (a.values[q] as number)) * share;
      for (let pair = 0; pair < 4; ++pair) {
        const [low, high] = [pixelAt(y, value(pair)), pixelAt(y, value(8 - pair))];
        if (Number.isFinite(low) && Number.isFinite(high))
          painter.rect(
            left + px,
            Math.min(low, high),
            1.2,
            Math.max(0.8, Math.abs(low - high)),
            mix(tone, ground, shades[pair] as number),
          );
      }
    }
    painter.line(
      steps.map((step) => [pixelAt(x, step.step), pixelAt(y, step.values[4] as number)] as const),
      colour("--text"),
      1.4,
    );
    return steps.map((step, i): Part => {
      const at = pixelAt(x, step.step);
      const next = steps[i + 1] ? pixelAt(x, (steps[i + 1] as BandStep).step) : right;
      return {
        area: { kind: "rect", x: at, y: 8, w: Math.max(2, next - at), h: bottom - 8 },
        lines: [
          `step ${step.step.toLocaleString("en-US")}`,
          `largest ${shortNumber(step.values[8])}, median ${shortNumber(step.values[4])}, least ${shortNumber(step.values[0])}`,
        ],
      };
    });
  };
