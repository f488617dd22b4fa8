// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a call tree stand, in shares of the width: x from 0 to 1, one level a row. Icicle, flame and
// sunburst are the same boxes drawn otherwise. A box is its least time, then, hatched, what may belong to it: of
// the room that the parent has left each child gets hatch in proportion, so boxes never leave their parent and
// nothing that is not known is drawn as known.
import { type CallTree, children, highOf } from "./calltree";

export interface Boxes {
  readonly count: number;
  readonly node: Int32Array; // -1: a block of children too small to draw
  readonly level: Int32Array;
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  readonly sure: Float64Array; // to here the time is certain
  readonly merged: Int32Array; // children in a block
  readonly levels: number;
  readonly cut: number; // nodes below the cut-off or too narrow, the levels below them not counted
  readonly deeper: boolean; // something lies below the last level
}

export interface IcicleOptions {
  readonly root: number; // -1: all roots
  readonly levels: number; // below the root
  readonly cutoff: number; // share of the root's time below which a child is left to a block
  readonly narrowest: number; // share of the width below which a box is not drawn
}

export function layoutIcicle(tree: CallTree, options: IcicleOptions): Boxes {
  const node: number[] = [];
  const level: number[] = [];
  const x0: number[] = [];
  const x1: number[] = [];
  const sure: number[] = [];
  const merged: number[] = [];
  const whole = highOf(tree, options.root) || 1;
  let levels = 0;
  let cut = 0;
  let deeper = false;
  const add = (n: number, l: number, from: number, to: number, certain: number, many: number): void => {
    node.push(n);
    level.push(l);
    x0.push(from);
    x1.push(to);
    sure.push(certain);
    merged.push(many);
    if (l + 1 > levels) levels = l + 1;
  };
  const visit = (n: number, l: number, from: number, width: number): void => {
    const kids = [...children(tree, n)];
    if (kids.length === 0) return;
    if (l > options.levels) {
      deeper = true;
      return;
    }
    const { fixed, hatch } = divide(tree, kids, width * whole);
    let x = from;
    let restFrom = -1;
    let restTo = -1;
    let restCount = 0;
    kids.forEach((kid, i) => {
      const certain = (fixed[i] as number) / whole;
      const wide = certain + (hatch[i] as number) / whole;
      const small = (tree.high[kid] as number) < options.cutoff * whole || wide < options.narrowest;
      if (small) {
        cut++;
        if (restFrom < 0) restFrom = x;
        restTo = x + wide;
        restCount++;
      } else {
        add(kid, l, x, x + wide, x + certain, 1);
        visit(kid, l + 1, x, wide);
      }
      x += wide;
    });
    if (restCount > 0 && restTo - restFrom >= options.narrowest)
      add(-1, l, restFrom, restTo, restTo, restCount);
  };
  if (options.root >= 0) {
    add(options.root, 0, 0, 1, (tree.low[options.root] as number) / whole, 1);
    visit(options.root, 1, 0, 1);
  } else {
    visit(-1, 0, 0, 1);
  }
  return {
    count: node.length,
    node: Int32Array.from(node),
    level: Int32Array.from(level),
    x0: Float64Array.from(x0),
    x1: Float64Array.from(x1),
    sure: Float64Array.from(sure),
    merged: Int32Array.from(merged),
    levels,
    cut,
    deeper,
  };
}

// How the room of a parent is given to its children: the least times, scaled only if even they do not fit (the
// parent itself was drawn narrower than it may be), then hatch.
export function divide(
  tree: CallTree,
  kids: readonly number[],
  room: number,
): { readonly fixed: readonly number[]; readonly hatch: readonly number[] } {
  let least = 0;
  let open = 0;
  for (const kid of kids) {
    least += tree.low[kid] as number;
    open += (tree.high[kid] as number) - (tree.low[kid] as number);
  }
  const fit = least > room && least > 0 ? room / least : 1;
  const left = Math.max(0, room - least * fit);
  const share = open > left ? left / open : 1;
  return {
    fixed: kids.map((kid) => (tree.low[kid] as number) * fit),
    hatch: kids.map((kid) => ((tree.high[kid] as number) - (tree.low[kid] as number)) * share),
  };
}
