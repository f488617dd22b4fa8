// SPDX-License-Identifier: Apache-2.0
// How the functions of a tree look: a colour per module, full for own code and pale for libraries, and what their
// tips say. Where a profile does not determine a path's time the tip has the range and says why.

import { type CallTree, type FunctionPlace, highOf } from "../lib/calltree";
import { mix, textOn } from "../lib/colour";
import { fullPlace } from "../lib/place";
import { plural, shortenMiddle, visible } from "../lib/text";
import { toneOf } from "../lib/tones";
import { plainName, rangeText, valueIn } from "../lib/tree_text";
import { count, percent } from "../lib/units";
import type { TreeLook } from "./draw_tree";
import { colour } from "./theme";

export interface Painted {
  readonly module: string;
  readonly own: boolean;
  readonly fill: string;
  readonly ink: string;
}

export function paint(functions: readonly FunctionPlace[]): readonly Painted[] {
  const ground = colour("--panel");
  const text = colour("--text");
  return functions.map((f) => {
    const own = f.own !== false;
    const module = f.package || "no file";
    const tone = toneOf(module);
    const fill = own ? mix(tone, ground, 1) : mix(tone, ground, 0.45);
    return { module, own, fill, ink: own ? textOn(fill) : text };
  });
}

export function lookOf(
  tree: CallTree,
  painted: readonly Painted[],
  found: ReadonlySet<number> | null,
  whole: number, // the time of everything, for shares
  open?: (node: number) => void,
): TreeLook {
  const text = colour("--text");
  const labels = tree.functions.map((f) => visible(shortenMiddle(plainName(f.name), 120)));
  return {
    fill: (fn) => painted[fn]?.fill ?? "#888888",
    ink: (fn) => painted[fn]?.ink ?? text,
    label: (fn) => labels[fn] ?? "",
    value: (node) => rangeText(tree, node),
    dim: (fn) => found !== null && !found.has(fn),
    ground: colour("--panel"),
    rest: colour("--c-idle"),
    lines: (node) => tipLines(tree, node, whole),
    restLines: (merged) => [
      `${count(merged)} smaller ${plural(merged, "call")}`,
      "Below the cut-off or too narrow to draw.",
    ],
    ...(open === undefined ? {} : { open }),
  };
}

export function tipLines(tree: CallTree, node: number, whole: number): string[] {
  const f = tree.functions[tree.fn[node] as number];
  if (f === undefined) return [];
  const [low, high] = [tree.low[node] as number, tree.high[node] as number];
  const lines = [
    visible(shortenMiddle(plainName(f.name), 300)),
    visible(shortenMiddle(fullPlace(f.file, f.line), 300)),
  ];
  const parent = tree.parent[node] as number;
  if (low === high) {
    const ofCaller = parent >= 0 ? `, ${percent(high / highOf(tree, parent))} of its caller` : "";
    lines.push(`${valueIn(tree.unit, high)} in all: ${percent(high / whole)} of the profile${ofCaller}`);
  } else {
    lines.push(
      `between ${valueIn(tree.unit, low)} and ${valueIn(tree.unit, high)} (${percent(low / whole)} – ${percent(high / whole)} of the profile)`,
      "The file keeps pairs of caller and callee: how this time divides over longer paths is not in it.",
    );
  }
  const self = tree.self[node] as number;
  if (!Number.isNaN(self)) lines.push(`${valueIn(tree.unit, self)} in it itself`);
  const calls = tree.calls[node] as number;
  if (!Number.isNaN(calls)) lines.push(`${count(calls)} ${plural(calls, "call")}`);
  if (tree.recursive[node]) lines.push("Calls itself again: that time is within the outer call.");
  const hidden = tree.hidden[node] as number;
  if (hidden > 0) lines.push(`${count(hidden)} further ${plural(hidden, "call")} not shown`);
  return lines;
}
