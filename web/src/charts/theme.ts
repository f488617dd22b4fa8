// SPDX-License-Identifier: Apache-2.0
// The page's colours as a canvas needs them: custom properties resolved for the theme that is shown.
import { dark } from "../state/theme";

let probe: HTMLElement | null = null;
let shade = false; // that the known ones are of
const known = new Map<string, string>();

function start(): HTMLElement {
  const element = document.createElement("span");
  element.hidden = true;
  document.body.append(element);
  return element;
}

// "--c-kernel" as rgb(…).
export function colour(property: string): string {
  probe ??= start();
  if (shade !== dark.peek()) {
    shade = dark.peek();
    known.clear();
  }
  let value = known.get(property);
  if (value === undefined) {
    probe.style.color = `var(${property})`;
    value = getComputedStyle(probe).color;
    known.set(property, value);
  }
  return value;
}
