// SPDX-License-Identifier: Apache-2.0
// The timeline in words: the sentence above it, and what a screen reader says in place of the picture.
import { plural } from "./text";
import type { Layout, Track, TrackKind } from "./timeline_layout";
import { count, time } from "./units";

const NAMES: readonly (readonly [TrackKind, string, string])[] = [
  ["thread", "host thread", "host threads"],
  ["python", "Python stack", "Python stacks"],
  ["stream", "device stream", "device streams"],
  ["memory", "memory curve", "memory curves"],
  ["counter", "counter", "counters"],
];

export function tracksInWords(tracks: readonly Track[]): string {
  const parts: string[] = [];
  for (const [kind, one, many] of NAMES) {
    const number = tracks.filter((track) => track.kind === kind).length;
    if (number > 0) parts.push(`${number} ${plural(number, one, many)}`);
  }
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}

export function stepsIn(layout: Layout): number {
  return layout.tracks.find((track) => track.kind === "steps")?.spans ?? 0;
}

export function eventsIn(layout: Layout): number {
  // Steps and the critical path show time that is on other tracks, too.
  const own = layout.tracks.filter((track) => track.kind !== "steps" && track.kind !== "critical_path");
  return own.reduce((sum, track) => sum + (track.spans ?? 0), 0);
}

// "12 steps in 2.130 s: 1,000,000 events on 2 ranks, on 4 host threads and 3 device streams."
export function sentence(layout: Layout): string {
  const steps = stepsIn(layout);
  const ranks = layout.groups.length;
  const lead =
    steps > 0
      ? `${count(steps)} ${plural(steps, "step")} in ${time(layout.duration_ns)}`
      : time(layout.duration_ns);
  const where = ranks > 1 ? `${ranks} ranks, ` : "";
  return `${lead}: ${count(eventsIn(layout))} events on ${where}${tracksInWords(layout.tracks)}.`;
}

export function clockNote(layout: Layout): string {
  if (layout.groups.length < 2) return "";
  if (layout.clock_error_ns === null) {
    return "The ranks' clocks could not be aligned: times of different ranks may be off by any amount.";
  }
  return `All ranks on one clock, exact to ±${time(layout.clock_error_ns)}.`;
}

// What is not in the picture, and why.
export function omissions(layout: Layout): string {
  const parts: string[] = [];
  const outside = layout.spans_outside ?? 0;
  if (outside > 0) {
    parts.push(`${count(outside)} ${plural(outside, "event")} days away from all others: not shown.`);
  }
  const series = layout.groups.reduce((sum, group) => sum + (group.series_left_out ?? 0), 0);
  if (series > 0) parts.push(`${count(series)} ${plural(series, "counter")} of too many left out.`);
  return parts.join(" ");
}

export function spoken(
  name: string,
  category: string,
  start: number,
  duration: number,
  merged: number,
): string {
  const what = merged > 1 ? `${count(merged)} events, the longest ${name}` : name;
  return `${what}, ${category}, ${time(duration)}, starts at ${time(start)}`;
}
