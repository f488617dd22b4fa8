// SPDX-License-Identifier: Apache-2.0
// What stands beside the tracks: names without what all of them have, and the values of counters.
import type { Track } from "./timeline_layout";
import { bytes, percent } from "./units";

// The process of a thread stands before it, the interpreter's name behind it; what tells threads apart is its number
// or a name of its own.
const short = (name: string): string =>
  name.replace(/^.*?, (?=thread )/, "").replace(/ \(python[\d.]*\)(?=,|$)/, "");

// By id. Tracks of a group that would look the same keep their whole names.
export function trackLabels(tracks: readonly Track[]): ReadonlyMap<number, string> {
  const seen = new Map<string, number>();
  const keyOf = (track: Track): string => `${track.group} ${short(track.name)}`;
  for (const track of tracks) seen.set(keyOf(track), (seen.get(keyOf(track)) ?? 0) + 1);
  return new Map(
    tracks.map((track) => [track.id, seen.get(keyOf(track)) === 1 ? short(track.name) : track.name]),
  );
}

// Whole numbers as they are, others with four digits.
export function inUnitOf(unit: string | null | undefined, value: number): string {
  if (unit === "bytes" || unit === "B") return bytes(value);
  if (unit === "share") return percent(value);
  const digits = Math.abs(value) < 1 ? 1 : Math.floor(Math.log10(Math.abs(value))) + 1;
  const text = value.toLocaleString("en-US", { maximumFractionDigits: Math.max(0, 4 - digits) });
  return `${text}${unit ? ` ${unit}` : ""}`;
}
