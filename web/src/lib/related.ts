// SPDX-License-Identifier: Apache-2.0
// Which profiles are likely meant to be compared with one: those of the same series. Nothing is compared unasked.

interface Profile {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  readonly kind: string | null;
  readonly state: string;
  readonly bytes: number;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
// Worker, rank, time and number of a recording are digits; what is left tells the series.
const pattern = (name: string): string => name.replace(/\d+/g, "#");

export const comparable = (a: Pick<Profile, "kind">, b: Pick<Profile, "kind">): boolean =>
  a.kind === null || b.kind === null || a.kind === b.kind;

// The same name in another folder, or the same but for its numbers in this one; the nearest in size first.
export function related<P extends Profile>(list: readonly P[], of: P): readonly P[] {
  const name = fileName(of.name);
  const apart = (p: P): number => Math.abs(Math.log((p.bytes + 1) / (of.bytes + 1)));
  return list
    .filter((p) => p.id !== of.id && p.state !== "failed" && comparable(p, of))
    .filter((p) =>
      p.folder === of.folder ? pattern(fileName(p.name)) === pattern(name) : fileName(p.name) === name,
    )
    .toSorted((a, b) => apart(a) - apart(b));
}
