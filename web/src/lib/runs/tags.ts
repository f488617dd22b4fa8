// SPDX-License-Identifier: Apache-2.0
// Names of what was logged: natural order, groups by what stands before the first slash, and lists that someone wrote.

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
export const naturally = (a: string, b: string): number =>
  collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);

// null: none stands before a slash.
const prefixOf = (tag: string): string | null => {
  const at = tag.indexOf("/");
  return at <= 0 ? null : tag.slice(0, at);
};

export interface Section<T> {
  readonly name: string;
  readonly members: readonly T[];
}

const WITHOUT_PREFIX = "Without a prefix";

// In the order in which groups come first. Tags without a prefix are one group, not one each.
export function byPrefix<T>(items: readonly T[], tagOf: (item: T) => string): readonly Section<T>[] {
  const groups = new Map<string | null, T[]>();
  for (const item of items) {
    const name = prefixOf(tagOf(item));
    const members = groups.get(name);
    if (members) members.push(item);
    else groups.set(name, [item]);
  }
  return [...groups].map(([name, members]) => ({
    name: name ?? (members.length === 1 ? tagOf(members[0] as T) : WITHOUT_PREFIX),
    members,
  }));
}

export interface Search {
  readonly matches: (text: string) => boolean;
  readonly error: string | null; // why the expression is none
}

// A regular expression, case ignored. One that is not valid (yet) is looked for as it stands.
export function search(expression: string): Search {
  if (expression === "") return { matches: () => true, error: null };
  try {
    const regex = new RegExp(expression, "i");
    return { matches: (text) => regex.test(text), error: null };
  } catch (error) {
    const text = expression.toLowerCase();
    return {
      matches: (name) => name.toLowerCase().includes(text),
      error: error instanceof Error ? error.message : String(error),
    };
  }
}

export interface Named {
  readonly tags: readonly string[];
  readonly unknown: readonly string[]; // parts that fit nothing
}

// "train/loss, val/*, /acc$/": names, names with *, expressions between slashes.
export function tagsNamed(text: string, all: readonly string[]): Named {
  const tags: string[] = [];
  const unknown: string[] = [];
  const parts = all.includes(text.trim()) ? [text.trim()] : text.split(",").map((part) => part.trim());
  for (const part of parts) {
    if (part === "") continue;
    let found: readonly string[] = [];
    if (all.includes(part)) found = [part];
    else if (part.length > 2 && part.startsWith("/") && part.endsWith("/")) {
      const { matches, error } = search(part.slice(1, -1));
      found = error === null ? all.filter(matches) : [];
    } else if (part.includes("*")) {
      const pieces = part.split("*").map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      const regex = new RegExp(`^${pieces.join(".*")}$`);
      found = all.filter((tag) => regex.test(tag));
    }
    if (found.length === 0) unknown.push(part);
    for (const tag of found) if (!tags.includes(tag)) tags.push(tag);
  }
  return { tags, unknown };
}

// Charts of several tags in the address: tags of a chart are joined by "+", charts by ",".
export const chartKey = (tags: readonly string[]): string =>
  tags
    .map((tag) => encodeURIComponent(tag).replace(/[+,~!]/g, (c) => `%${c.charCodeAt(0).toString(16)}`))
    .join("+");
export function chartTags(key: string): readonly string[] {
  try {
    return key.split("+").map(decodeURIComponent);
  } catch {
    return [key];
  }
}
export const chartList = (param: string | undefined): readonly string[] =>
  param === undefined || param === "" ? [] : param.split(",");

const AMOUNTS = [
  /(^|[^a-z])(times?|duration|latency|elapsed|wait|runtime|throughput|fps|seconds?|secs?|[mµun]?s)$/,
  /(^|[^a-z])(time|duration|latency|elapsed|wait|throughput)[^a-z]/,
  /per[_ ]?(s|secs?|seconds?)$/,
];
// Whether a tag's name says that it is a duration or a throughput: its chart begins at zero.
export function isAmount(tag: string): boolean {
  const name = tag.toLowerCase();
  return AMOUNTS.some((pattern) => pattern.test(name));
}
