// SPDX-License-Identifier: Apache-2.0
// Light, dark or as the system: the address decides (a shared view looks the same), then what was chosen last.
import { computed, effect, signal } from "@preact/signals";
import { params, set } from "./route";

export type Theme = "light" | "dark" | "system";
const KEY = "telltale.theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // Storage may be forbidden.
  }
}

const chosen = signal<Theme>(stored());

export const theme = computed<Theme>(() => {
  const asked = params.value.theme;
  return asked === "light" || asked === "dark" ? asked : chosen.value;
});

const systemDark = signal(matchMedia("(prefers-color-scheme: dark)").matches);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
  systemDark.value = event.matches;
});

// What is seen in the end; canvases draw anew when it changes.
export const dark = computed(() => (theme.value === "system" ? systemDark.value : theme.value === "dark"));

export function setTheme(next: Theme): void {
  chosen.value = next;
  try {
    if (next === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // Storage may be forbidden: the choice lasts as long as the page.
  }
  set({ theme: next === "system" ? null : next });
}

effect(() => {
  const value = theme.value;
  if (value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
});

// Paper is light, and canvases cannot be drawn anew for it in time: print.css turns them over.
effect(() => {
  document.documentElement.toggleAttribute("data-dark", dark.value);
});
