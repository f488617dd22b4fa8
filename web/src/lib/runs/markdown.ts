// SPDX-License-Identifier: Apache-2.0
// A part of Markdown as a tree of known kinds, for text that was logged: headings, paragraphs, lists, quotes, code,
// tables, emphasis, links. What is markup of another kind (HTML) stays text; a link goes to http or https or is text.

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "strike"; readonly inside: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly inside: readonly Inline[] };
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly inside: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly inside: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: "rule" };

const DEEPEST = 12; // nested further, it is text
const isSafe = (href: string): boolean => /^https?:\/\/[^\s]+$/i.test(href);

const MARKS =
  /(`+)([^`]|[^`].*?[^`])\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__|~~(?=\S)(.+?)(?<=\S)~~|\*(?=[^\s*])(.+?)(?<=[^\s*])\*|\b_(?=\S)(.+?)(?<=\S)_\b|!?\[([^\]]*)\]\(([^()\s]*)(?:\s+"[^"]*")?\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?])/;

export function inline(text: string, depth = 0): readonly Inline[] {
  const parts: Inline[] = [];
  const add = (piece: string): void => {
    if (piece !== "") parts.push({ kind: "text", text: piece.replace(/\\([\\`*_{}[\]()#+\-.!|~])/g, "$1") });
  };
  let rest = text;
  while (rest !== "") {
    const found = depth > DEEPEST ? null : MARKS.exec(rest);
    if (found === null) {
      add(rest);
      break;
    }
    const at = found.index;
    if (at > 0 && rest[at - 1] === "\\") {
      add(rest.slice(0, at + 1));
      rest = rest.slice(at + 1);
      continue;
    }
    add(rest.slice(0, at));
    const [whole, , code, strong, strong2, strike, em, em2, label, href, bare] = found;
    const inside = (of: string): readonly Inline[] => inline(of, depth + 1);
    if (code !== undefined) parts.push({ kind: "code", text: code.trim() });
    else if ((strong ?? strong2) !== undefined)
      parts.push({ kind: "strong", inside: inside((strong ?? strong2) as string) });
    else if (strike !== undefined) parts.push({ kind: "strike", inside: inside(strike) });
    else if ((em ?? em2) !== undefined) parts.push({ kind: "em", inside: inside((em ?? em2) as string) });
    else if (bare !== undefined)
      parts.push({ kind: "link", href: bare, inside: [{ kind: "text", text: bare }] });
    else if (href !== undefined && isSafe(href) && !whole.startsWith("!"))
      parts.push({ kind: "link", href, inside: inside(label ?? "") });
    else add(whole);
    rest = rest.slice(at + whole.length);
  }
  return parts;
}

const cellsOf = (line: string): readonly (readonly Inline[])[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell.trim().replaceAll("\\|", "|")));

const LIST = /^(\s{0,3})([-*+]|\d{1,9}[.)])\s+(.*)$/;

export function markdown(text: string, depth = 0): readonly Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as string;
    const fence = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (line.trim() === "") ++at;
    else if (fence !== undefined) {
      const code: string[] = [];
      for (++at; at < lines.length && !(lines[at] as string).trim().startsWith(fence); ++at)
        code.push(lines[at] as string);
      ++at;
      blocks.push({ kind: "code", text: code.join("\n") });
    } else if (/^( {4}|\t)/.test(line)) {
      const code: string[] = [];
      for (; at < lines.length && /^( {4}|\t|\s*$)/.test(lines[at] as string); ++at)
        code.push((lines[at] as string).replace(/^( {4}|\t)/, ""));
      blocks.push({ kind: "code", text: code.join("\n").trimEnd() });
    } else if (heading) {
      blocks.push({
        kind: "heading",
        level: (heading[1] as string).length,
        inside: inline(heading[2] as string),
      });
      ++at;
    } else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      blocks.push({ kind: "rule" });
      ++at;
    } else if (/^\s{0,3}>/.test(line) && depth < DEEPEST) {
      const quoted: string[] = [];
      for (; at < lines.length && /^\s{0,3}>/.test(lines[at] as string); ++at)
        quoted.push((lines[at] as string).replace(/^\s{0,3}> ?/, ""));
      blocks.push({ kind: "quote", blocks: markdown(quoted.join("\n"), depth + 1) });
    } else if (LIST.test(line) && depth < DEEPEST) {
      const ordered = /^\s*\d/.test(line);
      const items: string[][] = [];
      for (; at < lines.length; ++at) {
        const found = LIST.exec(lines[at] as string);
        if (found && /\d/.test((found[2] as string)[0] as string) === ordered)
          items.push([found[3] as string]);
        else if (/^\s{2,}\S/.test(lines[at] as string))
          items.at(-1)?.push((lines[at] as string).replace(/^\s{2,4}/, ""));
        else break;
      }
      blocks.push({
        kind: "list",
        ordered,
        items: items.map((item) => markdown(item.join("\n"), depth + 1)),
      });
    } else if (
      line.includes("|") &&
      /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[at + 1] ?? "") &&
      (lines[at + 1] ?? "").includes("-")
    ) {
      const head = cellsOf(line);
      const rows: (readonly (readonly Inline[])[])[] = [];
      for (at += 2; at < lines.length && (lines[at] as string).includes("|"); ++at)
        rows.push(cellsOf(lines[at] as string));
      blocks.push({ kind: "table", head, rows });
    } else {
      const words: string[] = [line];
      for (++at; at < lines.length; ++at) {
        const next = lines[at] as string;
        if (next.trim() === "" || /^\s{0,3}(#{1,6}\s|>|```|~~~)/.test(next) || LIST.test(next)) break;
        words.push(next);
      }
      blocks.push({ kind: "paragraph", inside: inline(words.map((word) => word.trim()).join("\n")) });
    }
  }
  return blocks;
}
