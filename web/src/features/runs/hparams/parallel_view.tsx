// SPDX-License-Identifier: Apache-2.0
// Parallel axes: a line for each run through its hyper-parameters to the metric. Dragging along an axis keeps the lines
// that pass there; a list below says which they are.
import { useMemo, useRef, useState } from "preact/hooks";
import type { Painter } from "../../../charts/painter";
import type { Part } from "../../../charts/parts";
import { Picture } from "../../../charts/picture";
import { colour } from "../../../charts/theme";
import { mix } from "../../../lib/colour";
import { numberOf, shortNumber } from "../../../lib/runs/numbers";
import { type Brush, parallelAxis, passes, placeOn } from "../../../lib/runs/parallel";
import { shortenMiddle, visible } from "../../../lib/text";
import { ofRun, open, pageAddress } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Panel } from "../../../ui/page";
import type { HParamRow } from "./page";

const HEIGHT = 380;
const TOP = 40;
const BOTTOM = HEIGHT - 24;
const SIDE = 90;

export function ParallelView({
  rows,
  hparams,
  metric,
}: {
  readonly rows: readonly HParamRow[];
  readonly hparams: readonly string[];
  readonly metric: string | undefined;
}) {
  const [brushes, setBrushes] = useState<ReadonlyMap<string, Brush>>(new Map());
  const from = useRef<{ axis: number; y: number } | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const values = useMemo(
    () =>
      rows.map((row) => [
        ...hparams.map((name) => row.hparams[name]),
        ...(metric === undefined ? [] : [numberOf(row.metrics[metric])]),
      ]),
    [rows, hparams.join(), metric],
  );
  const axes = useMemo(
    () =>
      [...hparams, ...(metric === undefined ? [] : [metric])].map((name, i) =>
        parallelAxis(
          name,
          values.map((row) => row[i]),
        ),
      ),
    [values],
  );
  const kept = values.map((row) => passes(axes, row, brushes));
  const count = kept.filter(Boolean).length;
  const shade = dark.value;
  const draw = useMemo(
    () =>
      (painter: Painter, width: number): readonly Part[] => {
        const at = (i: number): number =>
          axes.length < 2 ? width / 2 : SIDE + ((width - 2 * SIDE) * i) / (axes.length - 1);
        const y = (place: number): number => TOP + place * (BOTTOM - TOP);
        const last = axes.length - 1;
        const [cold, warm] = [colour("--c-kernel"), colour("--c-communication")];
        const order = values.map((_, i) => i).sort((a, b) => Number(kept[a]) - Number(kept[b]));
        for (const r of order) {
          const row = values[r] as (typeof values)[number];
          const end = metric === undefined ? null : placeOn(axes[last] as (typeof axes)[number], row[last]);
          const stroke = kept[r]
            ? end === null
              ? colour("--muted")
              : mix(warm, cold, 1 - end)
            : mix(colour("--border"), colour("--panel"), 0.6);
          let points: [number, number][] = [];
          axes.forEach((axis, i) => {
            const place = placeOn(axis, row[i]);
            if (place === null) {
              if (points.length > 1) painter.line(points, stroke, kept[r] ? 1.2 : 1);
              points = [];
            } else points.push([at(i), y(place)]);
          });
          if (points.length > 1) painter.line(points, stroke, kept[r] ? 1.2 : 1);
        }
        axes.forEach((axis, i) => {
          const x = at(i);
          painter.line(
            [
              [x, TOP],
              [x, BOTTOM],
            ],
            colour("--text"),
            1,
          );
          painter.text(x, 12, shortenMiddle(visible(axis.name), 22), {
            fill: colour("--text"),
            align: "center",
            bold: true,
          });
          const labels: readonly (readonly [number, string])[] =
            axis.kind === "word"
              ? axis.words
                  .slice(0, 24)
                  .map((word) => [placeOn(axis, word) ?? 0, shortenMiddle(visible(word), 16)] as const)
              : [0, 0.25, 0.5, 0.75, 1].map((place) => {
                  const value =
                    axis.kind === "log"
                      ? axis.min * (axis.max / axis.min) ** (1 - place)
                      : axis.min + (axis.max - axis.min) * (1 - place);
                  return [place, shortNumber(value)] as const;
                });
          for (const [place, text] of labels)
            painter.text(x + 6, y(place), text, { fill: colour("--muted"), halo: colour("--panel") });
          const brush = brushes.get(axis.name);
          if (brush)
            painter.rect(
              x - 5,
              y(brush[0]),
              10,
              (brush[1] - brush[0]) * (BOTTOM - TOP),
              `${colour("--accent").replace("rgb(", "rgba(").replace(")", ", 0.35)")}`,
              colour("--accent"),
            );
        });
        return values.flatMap((row, r): readonly Part[] => {
          const place = placeOn(axes[last] as (typeof axes)[number], row[last]);
          if (place === null || !kept[r]) return [];
          const of = rows[r] as HParamRow;
          return [
            {
              area: { kind: "circle", cx: at(last), cy: y(place), r: 4 },
              lines: [
                of.name,
                ...axes.map(
                  (axis, i) =>
                    `${axis.name}: ${typeof row[i] === "number" ? shortNumber(row[i] as number) : String(row[i] ?? "–")}`,
                ),
              ],
              open: () => open(pageAddress("overview", {}, ofRun(of.id))),
            },
          ];
        });
      },
    [axes, values, brushes, shade],
  );
  const placeAt = (event: PointerEvent): { axis: number; place: number } | null => {
    const area = box.current?.querySelector(".picture-area")?.getBoundingClientRect();
    if (!area || axes.length < 2) return null;
    const x = event.clientX - area.left;
    const axis = Math.round(((x - SIDE) / (area.width - 2 * SIDE)) * (axes.length - 1));
    if (axis < 0 || axis >= axes.length) return null;
    return { axis, place: Math.max(0, Math.min(1, (event.clientY - area.top - TOP) / (BOTTOM - TOP))) };
  };
  return (
    <Panel
      title="Parallel axes"
      note={`${count.toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")} runs; drag along an axis to choose`}
      actions={
        brushes.size === 0 ? null : (
          <button type="button" onClick={() => setBrushes(new Map())}>
            Show all
          </button>
        )
      }
    >
      <div
        ref={box}
        onPointerDown={(event) => {
          const at = placeAt(event);
          from.current = at && { axis: at.axis, y: at.place };
        }}
        onPointerUp={(event) => {
          const at = placeAt(event);
          const begun = from.current;
          from.current = null;
          if (at === null || begun === null) return;
          const name = axes[begun.axis]?.name ?? "";
          const next = new Map(brushes);
          if (Math.abs(at.place - begun.y) < 0.015) next.delete(name);
          else next.set(name, [Math.min(at.place, begun.y), Math.max(at.place, begun.y)]);
          setBrushes(next);
        }}
      >
        <Picture
          name="parallel_axes"
          summary={`Parallel axes of ${axes.map((axis) => axis.name).join(", ")} for ${rows.length} runs.`}
          height={HEIGHT}
          draw={draw}
        >
          {metric === undefined ? "" : `Colour: ${metric}, from blue (small) to orange (large).`}
        </Picture>
      </div>
    </Panel>
  );
}
