// SPDX-License-Identifier: Apache-2.0
// Small line icons, 16 × 16, in the colour of the text around them.
import { signal } from "@preact/signals";

const PATHS: Record<string, string> = {
  overview: "M2 13V8M6 13V3M10 13V6M14 13v-3",
  causes: "M2 2v12M2 3.5h12M7 8h7M2 12.5h5",
  timeline: "M2 4h7M5 8h9M3 12h5M11 12h3",
  operators: "M2 3h12v10H2zM2 6.5h12M6 6.5V13",
  kernels: "M4 4h8v8H4zM6 1.5V4M10 1.5V4M6 12v2.5M10 12v2.5M1.5 6H4M1.5 10H4M12 6h2.5M12 10h2.5",
  memory: "M2 13l3-5 3 2 3-6 3 4v5z",
  modules: "M8 1.5l5.5 3v7L8 14.5l-5.5-3v-7zM2.5 4.5L8 7.5l5.5-3M8 7.5v7",
  distributed: "M8 5.5v5M4 10.5h8M6 2h4v3.5H6zM2 10.5h4V14H2zM10 10.5h4V14h-4z",
  idle: "M8 2a6 6 0 100 12A6 6 0 008 2zM8 5v3.2l2.2 1.6",
  critical_path: "M2 12h3l2-8h3l2 5h2",
  roofline: "M2 2v12h12M3 12l5-6h6",
  functions: "M2 2.5h12v3H2zM2 5.5h8v3H2zM2 8.5h5v3H2z",
  annotations: "M2 3h12v8H8l-3 3v-3H2z",
  steps: "M2 12h3V9h3V6h3V3h3",
  compare: "M5 2v12M11 2v12M2 5h6M8 11h6",
  query: "M3 4l4 4-4 4M8 12h5",
  diagnostics: "M8 2l6.5 11.5h-13zM8 6.5v3M8 11.4v.4",
  folder: "M1.5 4h5l1.5 1.5h6.5V13h-13z",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  menu: "M2 4h12M2 8h12M2 12h12",
  search: "M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.3 10.3L14 14",
  share: "M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 014.5 4.4L11.5 9M9 11.5l-1.2 1.2a3 3 0 01-4.5-4.4L4.5 7",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
  columns: "M2 3h12v10H2zM6 3v10M10 3v10",
  group: "M2 3h8M4 6.5h10M4 10h10M2 13.5h8",
  light:
    "M8 5a3 3 0 100 6 3 3 0 000-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  dark: "M13.5 9.5A6 6 0 016.5 2.5 6 6 0 1013.5 9.5z",
  system: "M1.5 3h13v8h-13zM5 14h6M8 11v3",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5l3.2 3L13 4.5",
  help: "M6 6a2 2 0 114 0c0 1.5-2 1.6-2 3.2M8 11.8v.4",
};

// Those of pages that come later; whoever shows some of them before looks at the count.
export const iconsAdded = signal(0);
export const addIcons = (more: Readonly<Record<string, string>>): void => {
  Object.assign(PATHS, more);
  iconsAdded.value += 1;
};

export function Icon({ name }: { readonly name: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name] ?? PATHS.chevron} />
    </svg>
  );
}
