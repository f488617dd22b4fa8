// SPDX-License-Identifier: Apache-2.0
// A list that is kept current by changes to it (docs/http-api.md).
interface Named {
  readonly id: string;
}

export interface Changes<T extends Named> {
  readonly changed: readonly { readonly after: string | null; readonly profile: T }[];
  readonly gone: readonly string[];
}

export function withChanges<T extends Named>(list: readonly T[], changes: Changes<T>): readonly T[] {
  const away = new Set([...changes.gone, ...changes.changed.map(({ profile }) => profile.id)]);
  const followers = new Map<string | null, T>(changes.changed.map(({ after, profile }) => [after, profile]));
  const result: T[] = [];
  const addBehind = (id: string | null): void => {
    for (let next = followers.get(id); next !== undefined; next = followers.get(next.id)) result.push(next);
  };
  addBehind(null);
  for (const item of list) {
    if (away.has(item.id)) continue;
    result.push(item);
    addBehind(item.id);
  }
  return result;
}
