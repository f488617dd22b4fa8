// SPDX-License-Identifier: Apache-2.0
// A small scatter plot for each pair of a hyper-parameter and a metric.
import { useMemo } from "preact/hooks";
import type { Painter } from "../../../charts/painter";
import type { Part } from "../../../charts/parts";
import { Picture } from "../../../charts/picture";
import { colour } from "../../../charts/theme";
import { numberOf, shortNumber } from "../../../lib/runs/numbers";
import { parallelAxis, placeOn } from "../../../lib/runs/parallel";
import { shortenMiddle, visible } from "../../../lib/text";
import { ofRun, open, pageAddress } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Panel } from "../../../ui/page";
import type { HParamRow } from "./page";

const CELL = 170;
const LEFT = 70;
const FOOT = 26;
const GAP = 12;

export function ScatterMatrix({
  rows,
  hparams,
  metrics,
}: {
  readonly rows: readonly HParamRow[];
  readonly hparams: readonly string[];
  readonly metrics: readonly string[];
}) {
  const shade = dark.value;
  const draw = useMemo(
    () =>
      (painter: Painter, width: number): readonly Part[] => {
        const parts: Part[] = [];
        const wide = (width - LEFT - 8) / Math.max(1, hparams.length);
        metrics.forEach((metric, m) => {
          const ys = rows.map((row) => numberOf(row.metrics[metric]));
          const yAxis = parallelAxis(metric, ys);
          const top = m * CELL + 6;
          painter.text(12, top + (CELL - FOOT) / 2, shortenMiddle(visible(metric), 24), {
            fill: colour("--text"),
            align: "center",
            turn: -Math.PI / 2,
            bold: true,
          });
          painter.text(LEFT - 6, top + 6, shortNumber(yAxis.max), {
            fill: colour("--muted"),
            align: "right",
          });
          painter.text(LEFT - 6, top + CELL - FOOT - 6, shortNumber(yAxis.min), {
            fill: colour("--muted"),
            align: "right",
          });
          hparams.forEach((name, h) => {
            const xAxis = parallelAxis(
              name,
              rows.map((row) => row.hparams[name]),
            );
            const left = LEFT + h * wide;
            const [w, high] = [wide - GAP, CELL - FOOT];
            painter.rect(left, top, w, high, "", colour("--border"));
            rows.forEach((row, r) => {
              // On a word axis the first stands left; numbers grow to the right.
              const place = placeOn(xAxis, row.hparams[name]);
              const y = placeOn(yAxis, ys[r]);
              if (place === null || y === null) return;
              const x = xAxis.kind === "word" ? place : 1 - place;
              const [cx, cy] = [left + 8 + x * (w - 16), top + 6 + y * (high - 12)];
              painter.circle(cx, cy, 2.6, colour("--c-kernel"));
              parts.push({
                area: { kind: "circle", cx, cy, r: 4 },
                group: row.id,
                lines: [
                  row.name,
                  `${name}: ${String(row.hparams[name])}`,
                  `${metric}: ${shortNumber(ys[r])}`,
                ],
                open: () => open(pageAddress("overview", {}, ofRun(row.id))),
              });
            });
            if (m === metrics.length - 1)
              painter.text(left + w / 2, top + high + 14, shortenMiddle(visible(name), 20), {
                fill: colour("--text"),
                align: "center",
                bold: true,
              });
          });
        });
        return parts;
      },
    [rows, hparams.join(), metrics.join(), shade],
  );
  return (
    <Panel title="Scatter matrix" note="each run a point; a click opens it">
      <Picture
        name="scatter_matrix"
        summary={`Scatter plots of ${metrics.join(", ")} over ${hparams.join(", ")} for ${rows.length} runs.`}
        height={metrics.length * CELL + 12}
        draw={draw}
      />
    </Panel>
  );
}
