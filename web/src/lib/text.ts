// SPDX-License-Identifier: Apache-2.0
// Text from files, made fit to show. It is always set as text, never as markup.

// Keeps both ends: kernels differ at their ends as often as at their beginnings.
export function shortenMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil((length - 1) * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (length - 1 - head))}`;
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
