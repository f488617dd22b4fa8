// SPDX-License-Identifier: Apache-2.0
// What the server says of a timeline (docs/http-api.md, Timeline), and the order of its tracks on the screen: a
// heading per group, its tracks below, pinned tracks in an area of their own that does not scroll.

export type TrackKind =
  | "steps"
  | "thread"
  | "python"
  | "stream"
  | "annotations"
  | "critical_path"
  | "memory"
  | "counter";

export interface Group {
  readonly id: number;
  readonly name: string;
  readonly file: number;
  readonly clock_offset_ns: number;
  readonly clock_error_ns?: number | null;
  readonly clock?: string; // how it was aligned
  readonly series_left_out?: number;
}
export interface Track {
  readonly id: number;
  readonly group: number;
  readonly kind: TrackKind;
  readonly name: string;
  readonly depth: number;
  readonly spans: number | null; // null: counted when they are asked for
  readonly first_ns: number;
  readonly last_ns: number;
  readonly unit?: string | null;
}
export interface Layout {
  readonly origin_ns: string;
  readonly duration_ns: number;
  readonly clock_error_ns: number | null;
  readonly spans_outside?: number; // events days away from all others
  readonly groups: readonly Group[];
  readonly tracks: readonly Track[];
  readonly categories: readonly string[];
  readonly search_keys?: readonly { readonly key: string; readonly what: string }[];
}

export interface Arrangement {
  readonly collapsed: ReadonlySet<string>; // g<group> and t<track>
  readonly hidden: ReadonlySet<number>;
  readonly pinned: ReadonlySet<number>;
  readonly group: number | null; // only this one
}

export interface Item {
  readonly kind: "group" | "track";
  readonly group: number;
  readonly track: Track | null; // of a collapsed group: the track drawn in its heading
  readonly y: number; // from the top of its area
  readonly height: number;
  readonly rowHeight: number;
  readonly rows: number; // rows of boxes that are drawn
  readonly collapsed: boolean;
}
export interface Arranged {
  readonly pinned: readonly Item[];
  readonly pinnedHeight: number;
  readonly items: readonly Item[];
  readonly height: number;
}

export const isCurve = (track: Track): boolean => track.kind === "memory" || track.kind === "counter";

const GROUP_HEIGHT = 26;
const TRACK_GAP = 5;
const ROW_HEIGHT = 18;
const CURVE_HEIGHT = 46;
const CURVE_COLLAPSED = 18;

export function arrange(layout: Layout, how: Arrangement): Arranged {
  const items: Item[] = [];
  const pinned: Item[] = [];
  let y = 0;
  let pinnedY = 0;
  const headings = layout.groups.length > 1;
  for (const group of layout.groups) {
    if (how.group !== null && group.id !== how.group) continue;
    const tracks = layout.tracks.filter((t) => t.group === group.id && !how.hidden.has(t.id));
    const closed = headings && how.collapsed.has(`g${group.id}`);
    if (headings) {
      items.push({
        kind: "group",
        group: group.id,
        track: closed ? busiest(tracks) : null,
        y,
        height: GROUP_HEIGHT,
        rowHeight: ROW_HEIGHT - 2,
        rows: 1,
        collapsed: closed,
      });
      y += GROUP_HEIGHT;
    }
    for (const track of tracks) {
      const isPinned = how.pinned.has(track.id);
      if (closed && !isPinned) continue;
      const item = trackItem(track, how.collapsed.has(`t${track.id}`), isPinned ? pinnedY : y);
      if (isPinned) {
        pinned.push(item);
        pinnedY += item.height;
      } else {
        items.push(item);
        y += item.height;
      }
    }
  }
  return { pinned, pinnedHeight: pinnedY, items, height: y };
}

function trackItem(track: Track, collapsed: boolean, y: number): Item {
  const rows = isCurve(track) ? 1 : collapsed ? 1 : Math.max(track.depth, 1);
  const rowHeight = isCurve(track) ? (collapsed ? CURVE_COLLAPSED : CURVE_HEIGHT) : ROW_HEIGHT;
  const height = rows * rowHeight + TRACK_GAP;
  return { kind: "track", group: track.group, track, y, height, rowHeight, rows, collapsed };
}

// The track that says most of a group in one row: its device's fullest stream, else its steps, else any.
export function busiest(tracks: readonly Track[]): Track | null {
  const rank = (track: Track): number =>
    track.kind === "stream" ? 3 : track.kind === "thread" ? 2 : isCurve(track) ? 0 : 1;
  let best: Track | null = null;
  for (const track of tracks) {
    if (isCurve(track)) continue;
    if (
      best === null ||
      rank(track) > rank(best) ||
      (rank(track) === rank(best) && (track.spans ?? 0) > (best.spans ?? 0))
    ) {
      best = track;
    }
  }
  return best;
}

// What is closed before anyone chose: deep Python stacks, and all ranks but the first few.
export function initiallyCollapsed(layout: Layout): Set<string> {
  const closed = new Set<string>();
  for (const track of layout.tracks) {
    if (track.kind === "python" && track.depth > 6) closed.add(`t${track.id}`);
  }
  if (layout.groups.length > 2) {
    for (const group of layout.groups.slice(1)) closed.add(`g${group.id}`);
  }
  return closed;
}

// The item at height y; -1 for none.
export function itemAt(items: readonly Item[], y: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle] as Item;
    if (item.y + item.height <= y) low = middle + 1;
    else high = middle;
  }
  const item = items[low];
  return item && y >= item.y ? low : -1;
}

export function itemOf(arranged: Arranged, track: number): { item: Item; pinned: boolean } | null {
  const pinned = arranged.pinned.find((i) => i.track?.id === track);
  if (pinned) return { item: pinned, pinned: true };
  const item = arranged.items.find((i) => i.track?.id === track);
  return item ? { item, pinned: false } : null;
}
