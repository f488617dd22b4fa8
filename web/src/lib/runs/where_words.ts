// SPDX-License-Identifier: Apache-2.0
// Words that fit where one types a filter of runs: names of columns, or values after a comparison.
import { rank } from "../palette";

export interface KnownColumns {
  readonly config: readonly { readonly name: string; readonly examples: readonly unknown[] }[];
  readonly metrics: readonly { readonly name: string }[];
  readonly experiments: readonly string[];
  readonly tags: readonly string[];
  readonly statuses: readonly string[];
}
export interface Word {
  readonly name: string; // what is searched
  readonly text: string; // what is put there
  readonly what: string;
}

const FIELDS = [
  "name",
  "status",
  "experiment",
  "group",
  "kind",
  "tags",
  "note",
  "start",
  "duration",
  "pinned",
  "hidden",
];
const SHOWN = 12;

// The word that ends at the caret, and where it begins.
export function wordAt(text: string, caret: number): { readonly word: string; readonly from: number } {
  const quoted = /(?<=^|[\s(<>=!~])["'`][^"'`]*$/.exec(text.slice(0, caret));
  const found = quoted ?? /[^\s<>=!~()]*$/.exec(text.slice(0, caret));
  const word = found?.[0] ?? "";
  return { word, from: caret - word.length };
}

// A value that is no plain word stands in quotes.
const value = (of: unknown): string =>
  typeof of === "string" && !/^[\w./-]+$/.test(of) ? `"${of.replaceAll('"', '\\"')}"` : String(of);

// A name with other letters than these stands between backquotes.
const named = (name: string): string => (/^[A-Za-z_][\w./-]*$/.test(name) ? name : `\`${name}\``);

export function completions(text: string, caret: number, columns: KnownColumns): readonly Word[] {
  const { word, from } = wordAt(text, caret);
  const left = text.slice(0, from);
  const compared = /(`[^`]+`|[^\s<>=!~()]+)\s*[<>=!~]+\s*$/.exec(left)?.[1]?.replaceAll("`", "");
  let words: Word[];
  if (compared !== undefined) {
    const examples: readonly unknown[] =
      compared === "status"
        ? columns.statuses
        : compared === "experiment"
          ? columns.experiments
          : compared === "tags"
            ? columns.tags
            : (columns.config.find((c) => c.name === compared)?.examples ?? []);
    words = examples.map((e) => ({ name: String(e), text: value(e), what: "value" }));
  } else if (/\S\s*$/.test(left) && !/(\band|\bor|\bnot|\()\s*$/i.test(left)) {
    // Behind a comparison comes the next one; behind a name, the comparison itself.
    words = /[<>=!~]/.test(left.split(/\b(?:and|or)\b/i).at(-1) ?? "")
      ? ["and", "or"].map((w) => ({ name: w, text: w, what: "" }))
      : [];
  } else {
    words = [
      ...columns.config.map((c) => ({ name: c.name, text: named(c.name), what: "config" })),
      ...columns.metrics.map((m) => ({ name: m.name, text: named(m.name), what: "metric" })),
      ...FIELDS.map((f) => ({ name: f, text: f, what: "run" })),
    ];
  }
  const bare = word.replace(/^["'`]/, "");
  const found = rank(words, bare, SHOWN);
  return found.length === 1 && found[0]?.text === word ? [] : found;
}

export function completed(
  text: string,
  caret: number,
  word: string,
): { readonly text: string; readonly caret: number } {
  const { from } = wordAt(text, caret);
  const after = text.slice(caret);
  const put = `${word}${after.startsWith(" ") ? "" : " "}`;
  return { text: text.slice(0, from) + put + after, caret: from + word.length + 1 };
}
