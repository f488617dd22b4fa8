// SPDX-License-Identifier: Apache-2.0
// A histogram of times in bins of 1, 2 and 5 times powers of ten.
import { useCallback } from "preact/hooks";
import type { Bin } from "../lib/histogram";
import { linearScale } from "../lib/scale";
import { count, percent, time } from "../lib/units";
import { type Painter, segment } from "./painter";
import { type Part, rectPart } from "./parts";
import { Picture } from "./picture";
import { colour } from "./theme";

export interface HistogramProps {
  readonly name: string;
  readonly summary: string;
  readonly bins: readonly Bin[];
  readonly what: string; // "launches"
  readonly color: string; // a token's name
}

const LEFT = 52;
const BOTTOM = 26;

export function Histogram({ name, summary, bins, what, color }: HistogramProps) {
  const draw = useCallback(
    (painter: Painter, width: number, height: number): readonly Part[] => {
      const [muted, border] = [colour("--muted"), colour("--border")];
      const most = Math.max(1, ...bins.map((b) => b.count));
      const all = bins.reduce((sum, b) => sum + b.count, 0);
      const y = linearScale([0, most], [height - BOTTOM, 8], 4);
      for (const tick of y.ticks) {
        segment(painter, [LEFT, y.at(tick), width, y.at(tick)], border);
        painter.text(LEFT - 6, y.at(tick), count(tick), { fill: muted, align: "right" });
      }
      const step = Math.min(90, (width - LEFT) / Math.max(1, bins.length));
      const every = Math.max(1, Math.ceil(54 / step));
      return bins.map((bin, i) => {
        const x = LEFT + i * step;
        const top = y.at(bin.count);
        painter.rect(x + 1, top, Math.max(1, step - 2), height - BOTTOM - top, colour(color));
        if (i % every === 0)
          painter.text(x, height - BOTTOM + 12, short(bin.from), {
            fill: muted,
            align: i === 0 ? "left" : "center",
          });
        const to = bin.to === Number.POSITIVE_INFINITY ? "and more" : `to ${short(bin.to)}`;
        return rectPart(x, 8, step, height - BOTTOM - 8, [
          `${short(bin.from)} ${to}`,
          `${count(bin.count)} ${what}, ${percent(bin.count / (all || 1))}`,
        ]);
      });
    },
    [bins, what, color],
  );
  return <Picture name={name} summary={summary} height={190} draw={draw} />;
}

const short = (ns: number): string =>
  time(ns)
    .replace(/\.0+ /, " ")
    .replace(/(\.\d*?)0+ /, "$1 ");
