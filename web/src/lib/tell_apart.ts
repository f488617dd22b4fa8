// SPDX-License-Identifier: Apache-2.0
// Names that stand side by side and would look the same when shortened in the middle: they keep their beginning, the
// words that tell them apart, and their end.
import { fileStems, shortenMiddle } from "./text";

const HEAD_SHARE = 0.25; // of the room, for the beginning
const TAIL = 8; // and of the end
const WORD = 6; // letters at most that are shown again so that a difference begins with its word
const LEAST = 10; // letters of a difference

function commonPrefix(names: readonly string[]): number {
  const [first = ""] = names;
  let length = first.length;
  for (const name of names) {
    let at = 0;
    while (at < length && name[at] === first[at]) ++at;
    length = at;
  }
  return length;
}

// Where the word begins that holds the place.
function wordAt(name: string, place: number): number {
  for (let at = place; at > Math.max(0, place - WORD); --at)
    if (/[^A-Za-z0-9]/.test(name[at - 1] ?? "")) return at;
  return place;
}

function grouped(names: Iterable<string>, keyOf: (name: string) => string): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const key = keyOf(name);
    const group = groups.get(key);
    if (group) group.push(name);
    else groups.set(key, [name]);
  }
  return groups;
}

// The beginning, a piece at each place, the end; what is left out is a point of omission.
function pieces(name: string, places: readonly number[], room: number): string {
  const head = Math.floor(room * HEAD_SHARE);
  const each = Math.max(LEAST, Math.floor((room - head - TAIL - 1) / places.length) - 1);
  let form = name.slice(0, head);
  let shown = head; // letters of the name so far
  const show = (from: number, to: number): void => {
    if (to <= shown) return;
    form += from > shown ? `…${name.slice(from, to)}` : name.slice(shown, to);
    shown = to;
  };
  for (const place of places) {
    const from = wordAt(name, place);
    show(from, Math.min(name.length, from + each));
  }
  show(name.length - TAIL, name.length);
  return form;
}

// For names of one list: themselves where they still differ when shortened to `least` letters, else a form of about
// `room` letters that does. The same name has the same form.
export function tellApart(
  names: Iterable<string>,
  least: number,
  room: number = least,
): (name: string) => string {
  const all = new Set(names);
  const forms = new Map<string, string>();
  // They differ at none of the places: one more is shown, and those alike still differ further behind.
  const part = (alike: readonly string[], places: readonly number[]): void => {
    const next = [...places, commonPrefix(alike)];
    const form = (name: string): string => pieces(name, next, room);
    for (const group of grouped(alike, (name) => shortenMiddle(form(name), least)).values()) {
      if (group.length > 1 && group.length < alike.length) part(group, next);
      // What is too far behind for the longer form is in view in the shorter one.
      else
        for (const name of group)
          forms.set(name, group.length === 1 ? form(name) : pieces(name, next, least));
    }
  };
  for (const group of grouped(all, (name) => shortenMiddle(name, least)).values())
    if (group.length > 1) part(group, []);
  const shown = (name: string): string => forms.get(name) ?? name;
  for (const group of grouped(all, shown).values())
    if (group.length > 1) for (const name of group) forms.delete(name);
  return shown;
}

const MANY = 4; // names from which on it is worth while to leave out what all begin with
const LONG = 8; // letters of it

// Names of files that stand below each other in a narrow list: without what all of them begin with.
export function listedFiles(names: readonly string[], room: number): (name: string) => string {
  const stem = fileStems(names);
  const stems = names.map(stem);
  const same =
    names.length < MANY
      ? 0
      : (/^.*[^A-Za-z0-9]/.exec(stems[0]?.slice(0, commonPrefix(stems)) ?? "")?.[0].length ?? 0);
  const rest = (name: string): string => (same < LONG ? stem(name) : `…${stem(name).slice(same)}`);
  const apart = tellApart(names.map(rest), room);
  return (name) => apart(rest(name));
}
