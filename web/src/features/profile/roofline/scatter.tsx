// SPDX-License-Identifier: Apache-2.0
// The roofline itself: operators by intensity and speed on logarithmic axes, as large as their time, under the
// device's roofs.

import { useCallback, useMemo } from "preact/hooks";
import type { RooflineRow } from "../../../api/generated";
import { type Painter, segment } from "../../../charts/painter";
import type { Part } from "../../../charts/parts";
import { Picture } from "../../../charts/picture";
import { colour } from "../../../charts/theme";
import { logScale, si } from "../../../lib/scale";
import { shortenMiddle, visible } from "../../../lib/text";
import { count, percent, time } from "../../../lib/units";
import { open, pageAddress } from "../../../state/route";
import { type RoofDevice, type Roofline, roofsOf, shapesText } from "./data";

const LEFT = 78;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 42;

const drawn = (row: RooflineRow): boolean => (row.flops_per_byte ?? 0) > 0 && (row.flops_per_second ?? 0) > 0;

interface Extent {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}
export function extentOf(rows: readonly RooflineRow[], device: RoofDevice | undefined): Extent {
  const xs = rows.map((r) => r.flops_per_byte as number);
  const ys = rows.map((r) => r.flops_per_second as number);
  const roofs = device
    ? roofsOf(device).filter((roof) => rows.some((r) => r.peak_flops_per_second === roof.flops))
    : [];
  for (const roof of roofs) {
    ys.push(roof.flops * 1.6);
    // The ridge is in the picture, with some roof behind it.
    if (device?.memory_per_second) xs.push((roof.flops / device.memory_per_second) * 4);
  }
  return {
    x: [Math.min(...xs) / 1.6, Math.max(...xs) * 1.6],
    y: [Math.min(...ys) / 1.8, Math.max(...ys) * 1.3],
  };
}

export function Scatter({ roofline }: { readonly roofline: Roofline }) {
  const rows = useMemo(() => roofline.rows.filter(drawn).sort((a, b) => b.time_ns - a.time_ns), [roofline]);
  const device = roofline.devices[0];
  const draw = useCallback(
    (painter: Painter, width: number, height: number): readonly Part[] =>
      paint(painter, width, height, rows, device),
    [rows, device],
  );
  const hidden = roofline.rows.length - rows.length;
  if (rows.length === 0)
    return <p class="muted">No operator with both operations and bytes: nothing to draw.</p>;
  return (
    <Picture
      name="roofline"
      summary={summaryOf(rows)}
      height={(w) => Math.max(360, Math.min(640, w * 0.5))}
      draw={draw}
    >
      <ul class="legend">
        <li>
          <i style={{ background: "var(--c-kernel)", borderRadius: "50%" }} /> bound by arithmetic
        </li>
        <li>
          <i style={{ background: "var(--bound-memory)", borderRadius: "50%" }} /> bound by memory
        </li>
        <li>Area: time. A click opens the operator.</li>
        {hidden > 0 ? <li>{count(hidden)} rows without counted operations are in the table only.</li> : null}
      </ul>
    </Picture>
  );
}

function summaryOf(rows: readonly RooflineRow[]): string {
  const compute = rows.filter((r) => r.bound === "compute").length;
  const memory = rows.filter((r) => r.bound === "memory").length;
  return `Operations per byte against operations per second of ${rows.length} operators by shape: ${compute} bound by arithmetic, ${memory} by memory.`;
}

function paint(
  painter: Painter,
  width: number,
  height: number,
  rows: readonly RooflineRow[],
  device: RoofDevice | undefined,
): Part[] {
  const [text, muted, border] = [colour("--text"), colour("--muted"), colour("--border")];
  const extent = extentOf(rows, device);
  const x = logScale(extent.x, [LEFT, width - RIGHT], 2);
  const most = rows[0]?.time_ns ?? 1;
  const largest = Math.min(26, width / 40);
  // The largest bubble and a label fit between the highest point and the edge.
  const y = logScale(extent.y, [height - BOTTOM, TOP + largest], 2);
  for (const tick of x.ticks) {
    segment(painter, [x.at(tick), TOP, x.at(tick), height - BOTTOM], border);
    painter.text(x.at(tick), height - BOTTOM + 13, si(tick), { fill: muted, align: "center" });
  }
  for (const tick of y.ticks) {
    segment(painter, [LEFT, y.at(tick), width - RIGHT, y.at(tick)], border);
    painter.text(LEFT - 8, y.at(tick), si(tick, "FLOP/s"), { fill: muted, align: "right" });
  }
  painter.text((LEFT + width - RIGHT) / 2, height - 10, "operations per byte (FLOP/B)", {
    fill: muted,
    align: "center",
    size: 12,
  });
  const labels = device ? roofs(painter, x, y, rows, device, text) : [];
  const parts = rows.map((row): Part => {
    const r = Math.max(2.5, largest * Math.sqrt(row.time_ns / most));
    const [cx, cy] = [x.at(row.flops_per_byte as number), y.at(row.flops_per_second as number)];
    const token =
      row.bound === "compute" ? "--c-kernel" : row.bound === "memory" ? "--bound-memory" : "--c-other";
    painter.circle(cx, cy, r, colour(token).replace("rgb(", "rgba(").replace(")", ", 0.45)"), colour(token));
    return {
      area: { kind: "circle", cx, cy, r },
      group: `${row.name}/${row.phase}`,
      lines: linesOf(row),
      open: () => open(pageAddress("operators", { open: row.name })),
    };
  });
  // Over the bubbles, which crowd where the roofs are.
  const halo = colour("--panel");
  for (const { at, label, ...style } of labels)
    painter.text(at[0], at[1], label, { fill: text, halo, bold: true, ...style });
  return parts;
}

interface RoofLabel {
  readonly at: readonly [number, number];
  readonly label: string;
  readonly align: "center" | "right";
  readonly turn?: number;
}

function linesOf(row: RooflineRow): string[] {
  const lines = [
    `${visible(row.name)}${row.phase === "backward" ? " (backward)" : ""}`,
    visible(shortenMiddle(shapesText(row.input_shapes), 120)),
    `${time(row.time_ns)} in ${count(row.calls)} calls`,
    `${si(row.flops_per_second, "FLOP/s")}, ${si(row.bytes_per_second, "B/s")}, ${si(row.flops_per_byte)} FLOP/B`,
  ];
  if (row.roof_share !== null)
    lines.push(
      `${percent(row.roof_share)} of its roof (${row.bound}${row.peak ? `, ${row.peak}` : ""}); ${time(row.lost_ns)} above it`,
    );
  return lines;
}

function roofs(
  painter: Painter,
  x: ReturnType<typeof logScale>,
  y: ReturnType<typeof logScale>,
  rows: readonly RooflineRow[],
  device: RoofDevice,
  text: string,
): readonly RoofLabel[] {
  const labels: RoofLabel[] = [];
  const memory = device.memory_per_second;
  const [left, right] = x.domain;
  const [bottom, top] = y.domain;
  const all = roofsOf(device);
  const used = all.filter((roof) => rows.some((r) => r.peak_flops_per_second === roof.flops));
  for (const roof of used.length > 0 ? used : all.slice(0, 1)) {
    const ridge = memory ? roof.flops / memory : left;
    if (roof.flops < bottom || roof.flops > top) continue;
    segment(
      painter,
      [x.at(Math.max(left, ridge)), y.at(roof.flops), x.at(right), y.at(roof.flops)],
      text,
      1.5,
    );
    labels.push({
      at: [x.at(right) - 4, y.at(roof.flops) - 9],
      label: `${roof.label}: ${si(roof.flops, "FLOP/s")}`,
      align: "right",
    });
  }
  if (!memory) return labels;
  const highest = Math.max(...(used.length > 0 ? used : all).map((r) => r.flops), 0) || top;
  const [x0, x1] = [Math.max(left, bottom / memory), Math.min(right, highest / memory)];
  if (x1 <= x0) return labels;
  segment(painter, [x.at(x0), y.at(x0 * memory), x.at(x1), y.at(x1 * memory)], text, 1.5);
  const at = x0 * (x1 / x0) ** 0.16; // near the left end, where few operators are
  const slope = Math.atan2(y.at(x1 * memory) - y.at(x0 * memory), x.at(x1) - x.at(x0));
  labels.push({
    at: [x.at(at) + 9 * Math.sin(slope), y.at(at * memory) - 9 * Math.cos(slope)],
    label: `memory: ${si(memory, "B/s")}`,
    align: "center",
    turn: slope,
  });
  return labels;
}
