// SPDX-License-Identifier: Apache-2.0
// Text from files, made fit to show. It is always set as text, never as markup.

// Keeps both ends: kernels differ at their ends as often as at their beginnings.
export function shortenMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil((length - 1) * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (length - 1 - head))}`;
}

const TAIL = 14;
const LEAST_TAIL = 6;
const SHORT_NAME = 20; // letters below which a name is cut at its end
const LONG_NAME = 28; // from which on it is cut in the middle, come what may

// Letters at the end of a name that stay where its middle gives way: from where a word begins, if one does near
// there, so that "worker0.pt.trace.json.gz" ends in "trace.json.gz" and not in ".trace.json.gz". 0: it is the end
// that gives way.
export function tailOf(name: string): number {
  if (name.length < SHORT_NAME) return 0;
  for (let length = TAIL; length >= LEAST_TAIL; --length) {
    const at = name.length - length;
    if (/[\s._/:,<-]/.test(name[at - 1] ?? "") && /[^\s._/:,-]/.test(name[at] ?? "")) return length;
  }
  return name.length < LONG_NAME ? 0 : TAIL;
}

// Names of files that stand side by side, without what traces' names end in where they still differ without it.
export function fileStems(names: readonly string[]): (name: string) => string {
  const stem = (name: string): string => name.replace(/(?<=.)(\.pt)?\.trace(\.json)?(\.(gz|zst))?$/, "");
  const all = new Set(names);
  const differ = new Set([...all].map(stem)).size === all.size;
  return differ ? stem : (name) => name;
}

// Control characters and marks that reorder text become visible; the rest stays.
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return n === 1 ? one : many;
}

// A name as it stands in an address. One that is too long for that is told by its beginning and a number made from
// all of it.
const LONGEST_KEY = 1500;
export function keyOf(name: string): string {
  if (name.length <= LONGEST_KEY) return name;
  let hash = 5381;
  for (let i = 0; i < name.length; ++i) hash = ((hash * 33) ^ name.charCodeAt(i)) >>> 0;
  return `${name.slice(0, 200)}…${name.length}.${hash.toString(36)}`;
}
