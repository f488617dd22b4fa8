// SPDX-License-Identifier: Apache-2.0
// The call tree as icicle, flame or sunburst.
import type { ComponentChildren } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import { type CallTree, children, highOf } from "../lib/calltree";
import { layoutIcicle } from "../lib/icicle";
import { shortenMiddle, visible } from "../lib/text";
import { plainName, rangeText, valueIn } from "../lib/tree_text";
import { count, percent } from "../lib/units";
import { dark } from "../state/theme";
import { drawIcicle, drawSunburst, ROW } from "./draw_tree";
import type { Painter } from "./painter";
import type { Part } from "./parts";
import { Picture } from "./picture";
import { lookOf, type Painted } from "./tree_look";
import "./tree_view.css";

export interface TreeViewProps {
  readonly tree: CallTree;
  readonly painted: readonly Painted[];
  readonly root: number;
  readonly depth: number;
  readonly cutoff: number;
  readonly found: ReadonlySet<number> | null;
  readonly shape: "icicle" | "flame" | "sunburst";
  readonly whole: number; // the time of everything
  readonly onZoom: (node: number) => void;
  readonly deeper?: ComponentChildren; // what stands below a picture that goes no deeper
}

export function TreeView(props: TreeViewProps) {
  const { tree, painted, root, depth, cutoff, found, shape, whole, onZoom, deeper = null } = props;
  const shade = dark.value;
  const boxes = useMemo(
    () =>
      layoutIcicle(tree, { root, levels: depth, cutoff, narrowest: shape === "sunburst" ? 0.0006 : 0.00035 }),
    [tree, root, depth, cutoff, shape],
  );
  const draw = useCallback(
    (painter: Painter, width: number, height: number): readonly Part[] => {
      const look = lookOf(tree, painted, found, whole, onZoom);
      if (shape !== "sunburst")
        return drawIcicle(painter, tree, boxes, look, { x: 0, y: 0, width, upward: shape === "flame" });
      const radius = Math.min(width, height) / 2 - 2;
      const parts = drawSunburst(painter, tree, boxes, look, { cx: width / 2, cy: height / 2, radius });
      const text = valueIn(tree.unit, highOf(tree, root));
      painter.text(width / 2, height / 2, text, {
        fill: look.ink(-1),
        align: "center",
        size: 13,
        bold: true,
      });
      return parts;
    },
    [tree, painted, found, whole, boxes, shape, root, shade, onZoom],
  );
  const uncertain = useMemo(() => {
    let n = 0;
    for (let i = 0; i < boxes.count; i++) if ((boxes.x1[i] as number) - (boxes.sure[i] as number) > 1e-9) n++;
    return n;
  }, [boxes]);
  const rows = Math.max(1, boxes.levels);
  return (
    <Picture
      name={`functions_${shape}`}
      summary={summaryOf(tree, root, whole)}
      height={shape === "sunburst" ? (width) => Math.max(320, Math.min(640, width * 0.7)) : rows * ROW}
      draw={draw}
    >
      <p class="tree-note">
        {uncertain > 0 ? (
          <>
            <span class="tree-hatch" aria-hidden="true" /> Hatched: time that may belong to the call. A .prof
            keeps pairs of caller and callee, so where a function has several callers it does not say how its
            time divides over longer paths; the true value lies in the range shown.{" "}
          </>
        ) : null}
        {boxes.cut > 0
          ? `${count(boxes.cut)} calls below ${cutoff > 0 ? percent(cutoff) : "a pixel"} are drawn as grey blocks. `
          : null}
        {boxes.deeper ? deeper : null}
      </p>
    </Picture>
  );
}

function summaryOf(tree: CallTree, root: number, whole: number): string {
  const nameOf = (node: number): string =>
    visible(shortenMiddle(plainName(tree.functions[tree.fn[node] as number]?.name ?? ""), 60));
  const top = [...children(tree, root)].slice(0, 3);
  const list = top.map((node) => `${nameOf(node)} ${rangeText(tree, node)}`).join(", ");
  const of = root < 0 ? "everything" : nameOf(root);
  const share = percent(highOf(tree, root) / whole);
  return `Call tree below ${of}, ${valueIn(tree.unit, highOf(tree, root))}, ${share} of the profile. Largest calls: ${list || "none"}.`;
}

// The place of a found function with the most time.
export function largestPlace(tree: CallTree, found: ReadonlySet<number>): number {
  let best = -1;
  for (let i = 0; i < tree.fn.length; i++)
    if (
      found.has(tree.fn[i] as number) &&
      (best < 0 || (tree.high[i] as number) > (tree.high[best] as number))
    )
      best = i;
  return best;
}
