// SPDX-License-Identifier: Apache-2.0
// One function between its callers, above, and what it calls, below.

import { useCallback, useMemo } from "preact/hooks";
import type { FunctionRow } from "../../../api/generated";
import { drawIcicle, ROW, type TreeLook } from "../../../charts/draw_tree";
import type { Painter } from "../../../charts/painter";
import { type Part, rectPart } from "../../../charts/parts";
import { Picture } from "../../../charts/picture";
import { lookOf, paint } from "../../../charts/tree_look";
import { type CallTree, type FunctionPlace, functionKey, highOf } from "../../../lib/calltree";
import { layoutIcicle } from "../../../lib/icicle";
import { fullPlace } from "../../../lib/place";
import {
  type FunctionAnswer,
  findFunction,
  type PairRow,
  type Sandwich,
  sandwichOf,
  sandwichOfPairs,
} from "../../../lib/sandwich";
import { visible } from "../../../lib/text";
import { plainName, valueIn } from "../../../lib/tree_text";
import { percent } from "../../../lib/units";
import { scope, useReport } from "../../../state/report";
import { useJson } from "../../../state/resource";
import { set } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Failed, Load } from "../../../ui/page";
import type { PageProps } from "../../page_props";
import { type FunctionsReport, literally } from "./data";
import { FunctionLines } from "./function_lines";
import { threadQuery } from "./threads";

export interface SandwichProps extends PageProps {
  readonly tree: CallTree;
  readonly chosen: FunctionPlace;
  readonly whole: number;
}

export function SandwichView(props: SandwichProps) {
  const number = findFunction(props.tree, functionKey(props.chosen))?.number;
  return number === undefined ? <OfPairs {...props} /> : <OfServer {...props} number={number} />;
}

function OfServer({ profile, chosen, whole, number }: SandwichProps & { readonly number: number }) {
  const answer = useJson<FunctionAnswer>(`profiles/${profile.id}/functions/${number}`, {
    ...scope(),
    ...threadQuery(),
    min_share: 0.002,
    nodes: 4000,
  });
  const sandwich = useMemo(() => answer.data && sandwichOf(answer.data), [answer.data]);
  return (
    <Load of={answer} height="260px">
      {({ unit, source, lines = [] }) =>
        sandwich && (
          <>
            <Drawn
              sandwich={sandwich}
              chosen={chosen}
              unit={unit}
              whole={whole}
              levels={10}
              note={
                source === "pairs"
                  ? "Times of direct callers and callees are exact; further away a .prof gives ranges, hatched."
                  : ""
              }
            />
            <FunctionLines lines={lines} file={chosen.file} unit={unit} />
          </>
        )
      }
    </Load>
  );
}

// A function that is too small for the tree: its direct callers and callees from the report.
function OfPairs({ profile, tree, chosen, whole }: SandwichProps) {
  const pattern = literally(chosen.name);
  const report = useReport<FunctionsReport>(profile, "functions", {
    callers: pattern,
    callees: pattern,
    restrict: pattern,
    ...threadQuery(),
  });
  const sandwich = useMemo(() => {
    const key = functionKey(chosen);
    const row = report.data?.functions?.rows.find((r) => functionKey(placeOf(r)) === key);
    if (row === undefined) return null;
    const { callers, callees } = row;
    const total = row.total_ns ?? row.self_ns ?? 0;
    return sandwichOfPairs(total, (callers ?? []).map(placeOf), (callees ?? []).map(placeOf));
  }, [report.data, chosen]);
  return (
    <Load of={report} height="200px">
      {() =>
        sandwich === null ? (
          <Failed what="This function was not found." message={visible(chosen.name)} />
        ) : (
          <Drawn
            sandwich={sandwich}
            chosen={chosen}
            unit={tree.unit}
            whole={whole}
            levels={0}
            note="Direct callers and callees; click one to go on from there."
          />
        )
      }
    </Load>
  );
}

const placeOf = (r: FunctionRow): PairRow => ({ ...r, file: r.file ?? "" });

interface DrawnProps {
  readonly sandwich: Sandwich;
  readonly chosen: FunctionPlace;
  readonly unit: string;
  readonly whole: number;
  readonly levels: number;
  readonly note: string;
}

function Drawn({ sandwich, chosen, unit, whole, levels, note }: DrawnProps) {
  const shade = dark.value;
  const { callers, callees, total } = sandwich;
  const sides = useMemo(() => {
    const options = { root: -1, levels, cutoff: 0.002, narrowest: 0.001 };
    return { up: layoutIcicle(callers, options), down: layoutIcicle(callees, options) };
  }, [sandwich, levels]);
  const draw = useCallback(
    (painter: Painter, width: number): readonly Part[] => {
      const look = (tree: CallTree): TreeLook =>
        lookOf(tree, paint(tree.functions), null, whole, (node) => {
          const f = tree.functions[tree.fn[node] as number];
          if (f !== undefined) set({ fn: functionKey(f) });
        });
      // Callers share the function's whole width; recursion can make their times larger than that.
      const scaleUp = Math.min(1, highOf(callers, -1) / (total || 1));
      const scaleDown = Math.min(1, highOf(callees, -1) / (total || 1));
      const middle = sides.up.levels * ROW + 6;
      const own = look(callees);
      const parts: Part[] = [
        rectPart(0, middle, width, ROW + 5, [
          visible(plainName(chosen.name)),
          fullPlace(chosen.file, chosen.line),
          `${valueIn(unit, total)}: ${percent(total / whole)} of the profile`,
        ]),
      ];
      painter.rect(0, middle, width, ROW + 5, own.ink(-1));
      painter.text(8, middle + ROW / 2 + 3, `${visible(plainName(chosen.name))}   ${valueIn(unit, total)}`, {
        fill: own.ground,
        bold: true,
        size: 12,
      });
      parts.push(
        ...drawIcicle(painter, callers, sides.up, look(callers), {
          x: 0,
          y: 0,
          width: width * scaleUp,
          upward: true,
        }),
      );
      parts.push(
        ...drawIcicle(painter, callees, sides.down, own, {
          x: 0,
          y: middle + ROW + 11,
          width: width * scaleDown,
          upward: false,
        }),
      );
      return parts;
    },
    [sandwich, sides, shade, whole, chosen],
  );
  return (
    <Picture
      name="functions_sandwich"
      summary={`${plainName(chosen.name)} takes ${valueIn(unit, total)}; ${callers.roots.length} direct callers above, ${callees.roots.length} callees below.`}
      height={(sides.up.levels + sides.down.levels + 1) * ROW + 24}
      draw={draw}
    >
      <p class="tree-note">
        Above: callers, by the time of this function they caused. Below: what it calls; the rest of its width
        is its own time. {note}
      </p>
    </Picture>
  );
}
