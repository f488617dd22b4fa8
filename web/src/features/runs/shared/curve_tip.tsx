// SPDX-License-Identifier: Apache-2.0
// What the lines of a chart have at the crosshair, beside the pointer.
import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { pixelAt } from "../../../lib/runs/axis";
import type { CurveView } from "../../../lib/runs/curve_view";
import { inOrder, readings } from "../../../lib/runs/legend";
import { duration, shortNumber } from "../../../lib/runs/numbers";
import { visible } from "../../../lib/text";
import { crosshair, readingsShown } from "./crosshair";
import type { PlotAxes } from "./curve_plot";
import type { ShownLine } from "./shown_lines";

const ROWS = 12;

export const xText = (kind: string, x: number): string =>
  kind === "wall"
    ? new Date(x * 1000).toLocaleString()
    : kind === "relative"
      ? duration(x)
      : kind === "step"
        ? `step ${x.toLocaleString("en-US")}`
        : shortNumber(x);

interface TipProps {
  readonly id: string;
  readonly title: string;
  readonly shown: readonly ShownLine[];
  readonly axes: PlotAxes;
  readonly width: number;
  readonly view: CurveView;
}

// What the lines have at the crosshair, if that is over this chart.
export function Tip({ id, title, shown, axes, width, view }: TipProps) {
  const cross = useComputed(() => (crosshair.value?.chart === id ? crosshair.value : null)).value;
  const smoothed = view.smoothing > 0;
  const kind = view.x;
  const list =
    cross === null
      ? []
      : readings(
          shown.map(({ line }) => line),
          shown.map(({ look }) => look.name),
          cross.x,
          smoothed,
        );
  const rows = inOrder(list, view.order, cross?.y ?? null);
  useEffect(() => {
    if (cross === null) return;
    readingsShown.value = {
      title,
      x: cross.x,
      byLine: new Map(list.map((reading) => [shown[reading.line]?.owner ?? "", reading])),
    };
  }, [cross]);
  if (cross === null) return null;
  const x = pixelAt(axes.x, cross.x);
  const side = x > width * 0.5 ? { right: `${width - x + 14}px` } : { left: `${x + 14}px` };
  const first = rows[0];
  if (first === undefined) return null;
  const line = shown[first.line]?.line;
  return (
    <div class="curve-tip" style={side} aria-live="off">
      <div class="curve-tip-head">
        {xText(kind, first.x)}
        {kind === "step" && line ? (
          <span class="muted"> · {new Date((line.wall[first.point] as number) * 1000).toLocaleString()}</span>
        ) : null}
      </div>
      <table>
        <tbody>
          {rows.slice(0, ROWS).map((reading) => {
            const of = shown[reading.line];
            return (
              <tr key={reading.line}>
                <td>
                  <span class="run-swatch" style={{ background: of?.look.colour ?? "gray" }} />
                </td>
                <td class="curve-tip-name">{visible(of?.look.name ?? "")}</td>
                <td class="num">{shortNumber(reading.value)}</td>
                {smoothed ? <td class="num muted">{shortNumber(reading.raw)}</td> : null}
                {kind !== "step" || reading.x !== first.x ? (
                  <td class="num muted">{kind === "step" ? `@${reading.x}` : ""}</td>
                ) : null}
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > ROWS ? (
        <div class="muted">and {(rows.length - ROWS).toLocaleString("en-US")} more, in the legend</div>
      ) : null}
    </div>
  );
}
