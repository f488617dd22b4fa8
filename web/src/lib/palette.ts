// SPDX-License-Identifier: Apache-2.0
// What of many names fits what was typed: every word has to occur; whole words, beginnings and short names first.

export function rank<T extends { readonly name: string }>(
  entries: readonly T[],
  text: string,
  limit: number,
): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries.slice(0, limit);
  const scored: { entry: T; score: number; order: number }[] = [];
  entries.forEach((entry, order) => {
    const name = entry.name.slice(0, 2000).toLowerCase();
    let score = 0;
    for (const word of words) {
      const at = name.indexOf(word);
      if (at < 0) return;
      if (at === 0) score += 3;
      else if (/[^a-z0-9]/.test(name[at - 1] ?? "")) score += 2;
      if (name.length === word.length) score += 4;
    }
    scored.push({ entry, score: score - Math.min(name.length, 400) / 400, order });
  });
  scored.sort((a, b) => b.score - a.score || a.order - b.order);
  return scored.slice(0, limit).map(({ entry }) => entry);
}
