// SPDX-License-Identifier: Apache-2.0
// Call trees drawn as an icicle (callers above), as a flame (callers below) and as a sunburst (callers inside).
import type { CallTree } from "../lib/calltree";
import type { Boxes } from "../lib/icicle";
import { shortenMiddle } from "../lib/text";
import type { Painter } from "./painter";
import type { Area, Part } from "./parts";

export const ROW = 21;
const GAP = 1;

export interface TreeLook {
  readonly fill: (fn: number) => string;
  readonly ink: (fn: number) => string; // text on it
  readonly label: (fn: number) => string;
  readonly value: (node: number) => string; // its time, or the range
  readonly dim: (fn: number) => boolean; // a search is on, and it is not found
  readonly ground: string;
  readonly rest: string; // blocks of what is too small
  readonly lines: (node: number) => readonly string[];
  readonly restLines: (merged: number) => readonly string[];
  readonly open?: (node: number) => void;
}

function part(tree: CallTree, boxes: Boxes, i: number, area: Area, look: TreeLook): Part {
  const node = boxes.node[i] as number;
  if (node < 0) return { area, lines: look.restLines(boxes.merged[i] as number) };
  const open = look.open;
  return {
    area,
    lines: look.lines(node),
    group: tree.fn[node] as number,
    ...(open === undefined ? {} : { open: () => open(node) }),
  };
}

// Text that fits, or nothing: no box gets a stump of a word.
export function fitted(painter: Painter, text: string, room: number): string {
  if (room < 26) return "";
  if (painter.measure(text) <= room) return text;
  let length = Math.floor(room / 5.6);
  while (length >= 4) {
    const shorter = shortenMiddle(text, length);
    if (painter.measure(shorter) <= room) return shorter;
    length--;
  }
  return "";
}

function label(painter: Painter, name: string, value: string, x: number, y: number, w: number, ink: string) {
  const room = w - 8;
  const text = fitted(painter, name, room);
  if (text === "") return;
  painter.text(x + 4, y, text, { fill: ink });
  const used = painter.measure(text) + 10;
  if (text === name && value !== "" && painter.measure(value) <= room - used)
    painter.text(x + w - 4, y, value, { fill: ink, align: "right" });
}

export function drawIcicle(
  painter: Painter,
  tree: CallTree,
  boxes: Boxes,
  look: TreeLook,
  place: { readonly x: number; readonly y: number; readonly width: number; readonly upward: boolean },
): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < boxes.count; i++) {
    const node = boxes.node[i] as number;
    const level = boxes.level[i] as number;
    const x = place.x + (boxes.x0[i] as number) * place.width;
    const w = ((boxes.x1[i] as number) - (boxes.x0[i] as number)) * place.width;
    const y = place.y + (place.upward ? boxes.levels - 1 - level : level) * ROW;
    const h = ROW - GAP;
    const drawn = Math.max(0.6, w - (w > 3 ? GAP : 0));
    if (node < 0) painter.rect(x, y, drawn, h, look.rest);
    else {
      const fn = tree.fn[node] as number;
      const sure = ((boxes.sure[i] as number) - (boxes.x0[i] as number)) * place.width;
      const uncertain = drawn - sure > 0.5;
      const fill = look.dim(fn) ? look.rest : look.fill(fn);
      if (sure > 0) painter.rect(x, y, Math.min(sure, drawn), h, fill);
      if (uncertain) {
        painter.rect(x + sure, y, drawn - sure, h, look.ground);
        painter.hatch(x + sure, y, drawn - sure, h, fill);
        painter.rect(x + sure, y, drawn - sure, h, "", fill);
      }
      if (w >= 34) {
        const name = look.label(fn);
        const value = look.value(node);
        if (sure < Math.min(60, w)) plate(painter, name, value, x, y, w, look, fill);
        else
          label(painter, name, value, x, y + h / 2 + 0.5, uncertain ? Math.max(sure, 34) : w, look.ink(fn));
      }
    }
    parts.push(part(tree, boxes, i, { kind: "rect", x, y, w: Math.max(1, w), h }, look));
  }
  return parts;
}

// On hatching, text needs a plate behind it.
function plate(
  painter: Painter,
  name: string,
  value: string,
  x: number,
  y: number,
  w: number,
  look: TreeLook,
  frame: string,
): void {
  const whole = value === "" ? name : `${name}  ${value}`;
  const text = painter.measure(whole) <= w - 14 ? whole : fitted(painter, name, w - 14);
  if (text === "") return;
  painter.rect(x + 3, y + 2, painter.measure(text) + 8, ROW - GAP - 4, look.ground);
  painter.text(x + 7, y + (ROW - GAP) / 2 + 0.5, text, { fill: look.ink(-1) });
  painter.rect(x, y, 2, ROW - GAP, frame);
}

export interface SunburstPlace {
  readonly cx: number;
  readonly cy: number;
  readonly radius: number;
}

export function drawSunburst(
  painter: Painter,
  tree: CallTree,
  boxes: Boxes,
  look: TreeLook,
  place: SunburstPlace,
): Part[] {
  const { cx, cy, radius } = place;
  const levels = Math.max(1, boxes.levels);
  const inner = Math.min(46, radius / 4);
  const ring = (radius - inner) / levels;
  const parts: Part[] = [];
  for (let i = 0; i < boxes.count; i++) {
    const node = boxes.node[i] as number;
    const level = boxes.level[i] as number;
    const [a0, a1] = [(boxes.x0[i] as number) * 2 * Math.PI, (boxes.x1[i] as number) * 2 * Math.PI];
    const r0 = inner + level * ring;
    const r1 = r0 + ring - 0.5;
    if (a1 - a0 < 0.002) continue;
    const fn = node < 0 ? -1 : (tree.fn[node] as number);
    const fill = node < 0 || look.dim(fn) ? look.rest : look.fill(fn);
    const sure = (boxes.sure[i] as number) * 2 * Math.PI;
    if (sure > a0) painter.ring({ cx, cy, r0, r1, a0, a1: Math.min(sure, a1) }, fill, look.ground);
    if (sure < a1 - 1e-6) {
      // Pale with a frame: what may belong to it.
      painter.ring({ cx, cy, r0, r1, a0: Math.max(a0, sure), a1 }, look.ground, fill);
      const stripes = Math.max(1, Math.floor(((a1 - sure) * r0) / 7));
      for (let s = 0; s < stripes; s++) {
        const t = sure + ((s + 0.5) / stripes) * (a1 - sure);
        const tip = Math.min(a1, t + 5 / Math.max(r0, 20));
        painter.line([polar(cx, cy, r0, t), polar(cx, cy, r1, tip)], fill, 1.2);
      }
    }
    const arc = (a1 - a0) * (r0 + ring / 2);
    if (node >= 0 && arc > 14 && ring > 26)
      ringLabel(painter, look, fn, cx, cy, r0, ring, a0, a1, sure < a1 - 1e-6);
    parts.push(part(tree, boxes, i, { kind: "ring", cx, cy, r0, r1, a0, a1 }, look));
  }
  return parts;
}

const polar = (cx: number, cy: number, r: number, a: number): readonly [number, number] => [
  cx + r * Math.sin(a),
  cy - r * Math.cos(a),
];

function ringLabel(
  painter: Painter,
  look: TreeLook,
  fn: number,
  cx: number,
  cy: number,
  r0: number,
  ring: number,
  a0: number,
  a1: number,
  uncertain: boolean,
): void {
  const text = fitted(painter, look.label(fn), ring - 8);
  if (text === "") return;
  const whole = a1 - a0 > 2 * Math.PI - 0.01;
  const middle = whole ? 0 : (a0 + a1) / 2;
  const [x, y] = polar(cx, cy, r0 + ring / 2, middle);
  const flip = middle > Math.PI;
  const turn = whole ? 0 : middle - Math.PI / 2 + (flip ? Math.PI : 0);
  painter.text(x, y, text, { fill: uncertain ? look.ink(-1) : look.ink(fn), align: "center", turn });
}
