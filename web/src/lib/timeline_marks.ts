// SPDX-License-Identifier: Apache-2.0
// Moments that someone marked, each with a label or none, and how they are written in the address: "123,456:warm up",
// with what separates them escaped in labels.

export interface Mark {
  readonly time: number; // ns from the origin
  readonly label: string;
}

const MOST_LETTERS = 80;
const inOrder = (marks: readonly Mark[]): readonly Mark[] => [...marks].sort((a, b) => a.time - b.time);

function unescaped(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    return label; // typed by hand
  }
}

export function readMarks(text: string | undefined): readonly Mark[] {
  const marks = new Map<number, Mark>();
  for (const part of (text ?? "").split(",")) {
    const [moment = "", ...label] = part.split(":");
    const time = Number(moment);
    if (moment.trim() === "" || !Number.isFinite(time)) continue;
    marks.set(time, { time, label: unescaped(label.join(":")).slice(0, MOST_LETTERS) });
  }
  return inOrder([...marks.values()]);
}

const escaped = (label: string): string => label.replace(/[%,:]/g, encodeURIComponent);
export const writeMarks = (marks: readonly Mark[]): string =>
  marks.map(({ time, label }) => `${Math.round(time)}${label === "" ? "" : `:${escaped(label)}`}`).join(",");

// One more, or, if there are some within `near` ns, those less.
export function toggled(marks: readonly Mark[], time: number, near: number): readonly Mark[] {
  const others = marks.filter((mark) => Math.abs(mark.time - time) > near);
  return others.length < marks.length ? others : inOrder([...others, { time: Math.round(time), label: "" }]);
}

export const labelled = (marks: readonly Mark[], time: number, label: string): readonly Mark[] =>
  marks.map((mark) => (mark.time === time ? { time, label: label.slice(0, MOST_LETTERS) } : mark));
