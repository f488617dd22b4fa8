// SPDX-License-Identifier: Apache-2.0
// Modules as they nest, by width of their time, and the layers that cost most, forward and backward.
import { useCallback, useMemo } from "preact/hooks";
import type { ModuleRow } from "../../../api/generated";
import type { BarRow } from "../../../charts/draw_bars";
import { drawIcicle, ROW, type TreeLook } from "../../../charts/draw_tree";
import type { Painter } from "../../../charts/painter";
import { Picture } from "../../../charts/picture";
import { StackedBars } from "../../../charts/stacked_bars";
import { colour } from "../../../charts/theme";
import { pathTo } from "../../../lib/calltree";
import { mix, textOn } from "../../../lib/colour";
import { layoutIcicle } from "../../../lib/icicle";
import { shortenMiddle, visible } from "../../../lib/text";
import { toneOf } from "../../../lib/tones";
import { count, percent, time } from "../../../lib/units";
import { address, changed, open, params } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Way } from "../../../ui/way";
import { moduleTree, type Side, selfOf, totalOf } from "./data";

interface Props {
  readonly rows: readonly ModuleRow[];
  readonly side: Side;
}

export function ModuleIcicle({ rows, side }: Props) {
  const shade = dark.value;
  const tree = useMemo(() => moduleTree(rows, side), [rows, side]);
  const asked = params.value.module;
  const root = asked === undefined ? -1 : rows.findIndex((row) => row.path === asked);
  const boxes = useMemo(
    () => layoutIcicle(tree, { root, levels: 24, cutoff: 0, narrowest: 0.0006 }),
    [tree, root],
  );
  const zoom = (node: number): string => {
    const target = node === root ? (tree.parent[node] as number) : node;
    return address(changed({ module: target < 0 ? null : (rows[target]?.path ?? null) }));
  };
  const draw = useCallback(
    (painter: Painter, width: number) => {
      const ground = colour("--panel");
      const fills = rows.map((row) =>
        row.class === null ? colour("--c-idle") : mix(toneOf(row.class), ground, 0.85),
      );
      const look: TreeLook = {
        fill: (i) => fills[i] ?? ground,
        ink: (i) => (i < 0 || rows[i]?.class === null ? colour("--text") : textOn(fills[i] ?? ground)),
        label: (i) => visible(rows[i]?.name ?? ""),
        value: (i) => time(tree.high[i]),
        dim: () => false,
        ground,
        rest: colour("--c-idle"),
        lines: (i) => linesOf(rows[i] as ModuleRow, side, tree.total),
        restLines: (n) => [`${count(n)} smaller modules`],
        open: (i) => open(zoom(i)),
      };
      return drawIcicle(painter, tree, boxes, look, { x: 0, y: 0, width, upward: false });
    },
    [rows, tree, boxes, side, root, shade],
  );
  return (
    <>
      <Way
        label="Modules around what is shown"
        whole="whole model"
        href={address(changed({ module: null }))}
        steps={pathTo(tree, root).map((i) => ({
          key: i,
          name: visible(rows[i]?.name ?? ""),
          href: address(changed({ module: rows[i]?.path ?? null })),
        }))}
      />
      <Picture
        name="modules"
        summary={`Modules as they nest, by ${side} time: ${tree.roots
          .slice(0, 3)
          .map((i) => `${rows[i]?.name} ${time(tree.high[i])}`)
          .join(", ")}.`}
        height={Math.max(1, boxes.levels) * ROW}
        draw={draw}
      >
        Width: {side} time, forward and backward. Colour: class. A click zooms.
      </Picture>
    </>
  );
}

function linesOf(row: ModuleRow, side: Side, whole: number): string[] {
  const total = totalOf(row, side);
  const again = row.recomputed_calls > 0 ? `, ${count(row.recomputed_calls)} recomputed` : "";
  return [
    visible(row.path ?? row.name),
    `${row.class ?? "outside of modules"}, ${count(row.calls)} calls${again}`,
    `${time(total)} on the ${side}: ${percent(total / whole)}`,
    `${time(row[`forward_${side}_total_ns`])} forward, ${time(row[`backward_${side}_total_ns`])} backward`,
    `${time(selfOf(row, side))} in it itself`,
  ];
}

const LAYERS = 20;

export function LayerBars({ rows, side }: Props) {
  const bars = useMemo<readonly BarRow[]>(
    () =>
      [...rows]
        .filter((row) => selfOf(row, side) > 0)
        .sort((a, b) => selfOf(b, side) - selfOf(a, side))
        .slice(0, LAYERS)
        .map((row) => ({
          label: shortenMiddle((row.path ?? row.name).split(".").slice(-2).join("."), 48),
          segments: [
            {
              key: "forward",
              title: "forward",
              color: "--phase-forward",
              value: row[`forward_${side}_self_ns`],
            },
            {
              key: "backward",
              title: "backward",
              color: "--phase-backward",
              value: row[`backward_${side}_self_ns`],
            },
          ].map((s) => ({ ...s, open: () => open(address(changed({ module: row.path }))) })),
        })),
    [rows, side],
  );
  return (
    <StackedBars
      name="layers"
      rows={bars}
      summary={`The ${bars.length} modules with the most ${side} time of their own; most: ${bars[0]?.label ?? "none"}.`}
    />
  );
}
