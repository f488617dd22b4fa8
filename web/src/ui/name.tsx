// SPDX-License-Identifier: Apache-2.0
// A name from a file: one line, shortened in the middle by the room there is, in full on hover. Only ever text.
import { shortenMiddle, tailOf, visible } from "../lib/text";

const LONGEST = 600; // characters in the page: more than any screen shows, far less than a hostile file holds
const LONGEST_TITLE = 4000;

export interface NameProps {
  readonly text: string;
  readonly shown?: string; // a shorter form; the whole name is on hover
  readonly mono?: boolean;
  readonly atEnd?: boolean; // where there is no room its end goes: the name has little room beside others
}

export function Name({ text, shown: short = text, mono = false, atEnd = false }: NameProps) {
  const shown = visible(shortenMiddle(short, LONGEST));
  const title = visible(shortenMiddle(text, LONGEST_TITLE));
  const kind = mono ? "name mono" : "name";
  const tail = atEnd ? 0 : tailOf(shown);
  if (tail === 0) {
    return (
      <span class={kind} title={title}>
        <span class="name-head">{shown}</span>
      </span>
    );
  }
  return (
    <span class={kind} title={title}>
      <span class="name-head">{shown.slice(0, shown.length - tail)}</span>
      <span class="name-tail">{shown.slice(shown.length - tail)}</span>
    </span>
  );
}
