// SPDX-License-Identifier: Apache-2.0
// A name from a file: one line, shortened in the middle by the room there is, in full on hover. Only ever text.
import { shortenMiddle, visible } from "../lib/text";

const LONGEST = 600; // characters in the page: more than any screen shows, far less than a hostile file holds
const LONGEST_TITLE = 4000;
const TAIL = 14;
const NO_SHORTER_THAN = 28;

export interface NameProps {
  readonly text: string;
  readonly mono?: boolean;
}

export function Name({ text, mono = false }: NameProps) {
  const shown = visible(shortenMiddle(text, LONGEST));
  const title = visible(shortenMiddle(text, LONGEST_TITLE));
  const kind = mono ? "name mono" : "name";
  if (shown.length < NO_SHORTER_THAN) {
    return (
      <span class={kind} title={title}>
        <span class="name-head">{shown}</span>
      </span>
    );
  }
  return (
    <span class={kind} title={title}>
      <span class="name-head">{shown.slice(0, -TAIL)}</span>
      <span class="name-tail">{shown.slice(-TAIL)}</span>
    </span>
  );
}
