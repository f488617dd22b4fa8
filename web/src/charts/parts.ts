// SPDX-License-Identifier: Apache-2.0
// The parts of a picture that can be pointed at.

export type Area =
  | { readonly kind: "rect"; readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  | { readonly kind: "circle"; readonly cx: number; readonly cy: number; readonly r: number }
  | {
      readonly kind: "ring";
      readonly cx: number;
      readonly cy: number;
      readonly r0: number;
      readonly r1: number;
      readonly a0: number; // radians, clockwise from the top
      readonly a1: number;
    };

export interface Part {
  readonly area: Area;
  readonly lines: readonly string[]; // what it is: a title, then facts
  readonly group?: string | number; // parts that are lit together
  readonly open?: () => void;
}

export const rectPart = (
  x: number,
  y: number,
  w: number,
  h: number,
  lines: readonly string[],
  more: Omit<Part, "area" | "lines"> = {},
): Part => ({ area: { kind: "rect", x, y, w, h }, lines, ...more });

export function contains(part: Part, x: number, y: number): boolean {
  const a = part.area;
  if (a.kind === "rect") return x >= a.x && x < a.x + a.w && y >= a.y && y < a.y + a.h;
  const [dx, dy] = [x - a.cx, y - a.cy];
  const radius = Math.hypot(dx, dy);
  if (a.kind === "circle") return radius <= a.r + 2;
  const angle = (Math.atan2(dx, -dy) + 2 * Math.PI) % (2 * Math.PI);
  return radius >= a.r0 && radius < a.r1 && angle >= a.a0 && angle < a.a1;
}

// Its middle.
export function hitArea(part: Part): [number, number] {
  const a = part.area;
  if (a.kind === "rect") return [a.x + a.w / 2, a.y + a.h / 2];
  if (a.kind === "circle") return [a.cx, a.cy];
  const [r, t] = [(a.r0 + a.r1) / 2, (a.a0 + a.a1) / 2];
  return [a.cx + r * Math.sin(t), a.cy - r * Math.cos(t)];
}

const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

// The nearest part in that direction; from nowhere, the first part. null: the key means nothing, or there is none.
export function nextPart(parts: readonly Part[], from: Part | null, key: string): Part | null {
  const way = WAYS[key];
  if (way === undefined || parts.length === 0) return null;
  if (from === null) return parts[0] ?? null;
  const [x, y] = hitArea(from);
  let best: Part | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if (part === from) continue;
    const [px, py] = hitArea(part);
    const along = (px - x) * way[0] + (py - y) * way[1];
    if (along < 1) continue;
    const aside = Math.abs((px - x) * way[1]) + Math.abs((py - y) * way[0]);
    const far = along + 3 * aside;
    if (far < least) {
      least = far;
      best = part;
    }
  }
  return best;
}
