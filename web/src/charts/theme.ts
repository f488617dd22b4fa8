// SPDX-License-Identifier: Apache-2.0
// The page's colours as a canvas needs them: custom properties resolved for the theme that is shown. `theme`
// changes whenever they do.
import { signal } from "@preact/signals";

export const theme = signal(0);

let probe: HTMLElement | null = null;
const known = new Map<string, string>();

function changed(): void {
  known.clear();
  theme.value++;
}

function start(): HTMLElement {
  const element = document.createElement("span");
  element.hidden = true;
  document.body.append(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return element;
}

// "--c-kernel" as rgb(…).
export function colour(property: string): string {
  probe ??= start();
  let value = known.get(property);
  if (value === undefined) {
    probe.style.color = `var(${property})`;
    value = getComputedStyle(probe).color;
    known.set(property, value);
  }
  return value;
}
