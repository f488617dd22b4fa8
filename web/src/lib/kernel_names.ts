// SPDX-License-Identifier: Apache-2.0
// Names of kernels as they are shown: alone, and side by side in a table.
import { tellApart } from "./tell_apart";

// The place of the bracket that the last one closes; -1 where there is none.
function openingOfLast(text: string): number {
  let depth = 0;
  for (let i = text.length - 1; i >= 0; --i) {
    const c = text[i];
    if (c === ")") ++depth;
    else if (c === "(" && --depth === 0) return i;
  }
  return -1;
}

// "Memcpy HtoD (Pageable -> Device)" and "step(3)" end in no argument list: what follows a name without a space, and
// begins like a type, is one.
function withoutArguments(name: string): string {
  const text = name.replace(/ \[clone [^\]]*\]$/, "").replace(/\) const$/, ")");
  if (!text.endsWith(")")) return name;
  const open = openingOfLast(text);
  const head = text.slice(0, Math.max(0, open));
  if (!/(?:[\w>]|operator\(\))$/.test(head) || /\boperator$/.test(head)) return name;
  return /^\d/.test(text.slice(open + 1)) ? name : head;
}

// A kernel's name as it is shown: a C++ signature without what it returns, which is always nothing, and without its
// argument list, which the template's arguments mostly repeat. Keys, links, filters and downloads have the whole name.
export function kernelName(name: string): string {
  const text = withoutArguments(name).replace(/^(?:void |(?:typename )?std::enable_if<[^:]*>::type )/, "");
  return text === "" ? name : text;
}

// The same for kernels that stand side by side, in columns that never have room enough: without the mark of unnamed
// namespaces, too. Those that would look the same keep everything, or what tells them apart.
const NARROW = 44; // letters that a narrow column has room for
const WIDE = 72;
const inTable = (name: string): string => kernelName(name).replaceAll("(anonymous namespace)::", "") || name;

export function kernelNames(given: Iterable<string>): (name: string) => string {
  const names = [...given];
  const owner = new Map<string, string>(); // short → the only name it stands for; "" where there are several
  for (const name of names) {
    const short = inTable(name);
    const other = owner.get(short);
    if (other === undefined) owner.set(short, name);
    else if (other !== name) owner.set(short, "");
  }
  const shown = (name: string): string => {
    const short = inTable(name);
    return owner.get(short) === "" ? name.replace(/^void /, "") : short;
  };
  const apart = tellApart(names.map(shown), NARROW, WIDE);
  return (name) => apart(shown(name));
}
