// SPDX-License-Identifier: Apache-2.0
// The calls of one thread in the order of time, callers above. A click on a box shows its time alone; what is too
// narrow to tell apart is a pale block.
import { useCallback, useMemo } from "preact/hooks";
import { fitted, ROW } from "../../../charts/draw_tree";
import { type Painter, segment } from "../../../charts/painter";
import { type Part, rectPart } from "../../../charts/parts";
import { Picture } from "../../../charts/picture";
import { colour } from "../../../charts/theme";
import { type Painted, paint } from "../../../charts/tree_look";
import { type FunctionPlace, findFunctions } from "../../../lib/calltree";
import { fullPlace } from "../../../lib/place";
import { linearScale } from "../../../lib/scale";
import { plural, shortenMiddle, visible } from "../../../lib/text";
import { plainName, valueIn } from "../../../lib/tree_text";
import { count, percent } from "../../../lib/units";
import { scope } from "../../../state/report";
import { useJson } from "../../../state/resource";
import { address, changed, go, params } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Empty, Load } from "../../../ui/page";
import { Way } from "../../../ui/way";
import type { PageProps } from "../../page_props";
import { Controls, choice, Deeper } from "./controls";
import { threadQuery } from "./threads";

const WIDTH = 1600; // pixels asked for: as wide as the picture gets on most screens
const AXIS = 20;

interface OrderAnswer {
  readonly unit: string;
  readonly thread: string;
  readonly start: number;
  readonly end: number;
  readonly whole: number;
  readonly levels: number;
  readonly boxes: Readonly<Record<"depth" | "start" | "length" | "merged" | "function", readonly number[]>>;
  readonly functions: readonly {
    readonly name: string;
    readonly file: string | null;
    readonly line: number | null;
    readonly own_code: boolean;
    readonly package: string;
  }[];
}

export function TimeOrder({ profile }: PageProps) {
  const { from, to, thread } = params.value;
  const { depth } = choice();
  const summed = thread === "all";
  const order = useJson<OrderAnswer>(summed ? null : `profiles/${profile.id}/callorder`, {
    ...scope(),
    ...threadQuery(),
    start: from,
    end: to,
    width: WIDTH,
    levels: depth,
  });
  if (summed)
    return <Empty what="Threads run side by side: choose one to see its calls in the order of time." />;
  if (order.state === "failed") return <Empty what={`${order.message}.`} />;
  return (
    <Load of={order} height="440px">
      {(answer) => <Drawn order={answer} depth={depth} />}
    </Load>
  );
}

function Drawn({ order, depth }: { readonly order: OrderAnswer; readonly depth: number }) {
  const shade = dark.value;
  const functions = useMemo(
    () => order.functions.map((f): FunctionPlace => ({ ...f, file: f.file ?? "", own: f.own_code })),
    [order],
  );
  const painted = useMemo(() => paint(functions), [functions, shade]);
  const { query } = choice();
  const found = useMemo(() => findFunctions(functions, query), [functions, query]);
  const rows = Math.max(1, Math.min(order.levels, depth));
  const draw = useCallback(
    (painter: Painter, width: number): readonly Part[] =>
      drawOrder(painter, width, order, functions, painted, found),
    [order, functions, painted, found],
  );
  const whole = order.start === 0 && order.end === order.whole;
  const shown = `${valueIn(order.unit, order.start)} to ${valueIn(order.unit, order.end)}`;
  return (
    <>
      <Controls
        deepest={order.levels}
        found={found === null ? "" : `${count(found.size)} ${plural(found.size, "function")}`}
        onEnter={() => {}}
        pictures
        cutoffs={false}
      />
      <Way
        label="The time that is shown"
        whole={`all of ${visible(order.thread)}`}
        href={address(changed({ from: null, to: null }))}
        steps={whole ? [] : [{ key: shown, name: shown, href: address(changed({})) }]}
      />
      <Picture
        name="functions_time_order"
        summary={`Calls of ${visible(order.thread)} in the order of time, ${shown}, ${count(order.boxes.start.length)} boxes.`}
        height={AXIS + rows * ROW}
        draw={draw}
      >
        <p class="tree-note">
          {valueIn(order.unit, order.end - order.start)} from left to right; what stays on the stack is one
          box, also over several calls right behind each other.{" "}
          {order.levels > depth ? <Deeper than={depth} /> : null}
        </p>
      </Picture>
    </>
  );
}

function drawOrder(
  painter: Painter,
  width: number,
  order: OrderAnswer,
  functions: readonly FunctionPlace[],
  painted: readonly Painted[],
  found: ReadonlySet<number> | null,
): readonly Part[] {
  const { boxes, unit } = order;
  const scale = linearScale([order.start, order.end], [0, width], Math.max(2, Math.floor(width / 140)));
  const muted = colour("--muted");
  const border = colour("--border");
  for (const tick of scale.ticks) {
    const x = Math.round(scale.at(tick)) + 0.5;
    segment(painter, [x, AXIS - 4, x, AXIS], border);
    if (x < width - 60) painter.text(x + 3, AXIS / 2, valueIn(unit, tick), { fill: muted });
  }
  const pale = colour("--c-idle");
  const parts: Part[] = [];
  for (let i = 0; i < boxes.start.length; i++) {
    const [start, length, merged] = [boxes.start[i], boxes.length[i], boxes.merged[i]] as [
      number,
      number,
      number,
    ];
    const fn = boxes.function[i] as number;
    const x = scale.at(start);
    const w = Math.max(1, scale.at(start + length) - x);
    const y = AXIS + (boxes.depth[i] as number) * ROW;
    const paint = painted[fn];
    const dim = (found !== null && !found.has(fn)) || paint === undefined;
    painter.rect(x, y, w > 3 ? w - 1 : w, ROW - 1, dim || merged > 1 ? pale : paint.fill);
    const text = merged > 1 || dim ? "" : fitted(painter, label(functions[fn]), w - 8);
    if (text !== "" && paint) painter.text(x + 4, y + ROW / 2, text, { fill: paint.ink });
    parts.push(
      rectPart(x, y, w, ROW - 1, linesOf(order, functions[fn], start, length, merged), {
        ...(merged > 1 ? {} : { group: fn }),
        open: () => go(changed({ from: String(start), to: String(start + length) })),
      }),
    );
  }
  return parts;
}

const label = (f: FunctionPlace | undefined): string => visible(shortenMiddle(plainName(f?.name ?? ""), 120));

function linesOf(
  order: OrderAnswer,
  f: FunctionPlace | undefined,
  start: number,
  length: number,
  merged: number,
): string[] {
  const { unit, whole } = order;
  const took = `${valueIn(unit, length)} from ${valueIn(unit, start)}: ${percent(length / Math.max(1, whole))} of the thread`;
  const place = f ? visible(shortenMiddle(fullPlace(f.file, f.line), 300)) : "";
  if (merged === 1) return [label(f), place, took];
  return [
    `${count(merged)} calls too short to tell apart here`,
    `the longest: ${label(f)}`,
    took,
    "Click to see them.",
  ];
}
