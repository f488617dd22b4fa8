// SPDX-License-Identifier: Apache-2.0
// Going along the arrows of an event: from a call to what it launched and back, from a forward operator to its
// backward one, and along whatever other flows a file draws.

interface Point {
  readonly file: number;
  readonly row: number;
  readonly start_ns: number;
}
interface Flow<P extends Point> {
  readonly kind: string;
  readonly from: P;
  readonly to: P;
}
export interface Flowing<P extends Point> extends Point {
  readonly parents: readonly P[];
  readonly arrows: readonly Flow<P>[];
}

export type FlowKind = "launch" | "other";

const same = (a: Point, b: Point): boolean => a.file === b.file && a.row === b.row;

// Where an arrow of that kind leads to (or, backwards, comes from): the first in time of several. An arrow to what
// encloses the event comes to the event, too; all others leave it, or something inside it.
export function alongFlow<P extends Point>(event: Flowing<P>, kind: FlowKind, forward: boolean): P | null {
  let best: P | null = null;
  for (const arrow of event.arrows) {
    if ((arrow.kind === "launch") !== (kind === "launch")) continue;
    const arrives = same(arrow.to, event) || event.parents.some((parent) => same(parent, arrow.to));
    if (arrives === forward) continue;
    const end = forward ? arrow.to : arrow.from;
    if (best === null || end.start_ns < best.start_ns) best = end;
  }
  return best;
}
