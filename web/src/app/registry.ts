// SPDX-License-Identifier: Apache-2.0
// Every page, in the order of the rail: one line each. A page is loaded when it is first opened. Views that
// have none of their own have the default one.
import type { ComponentType } from "preact";
import { DEFAULT_PAGES } from "../api/generated";
import { isRead, type ProfileInfo } from "../api/types";
import type { PageProps } from "../features/page_props";

export interface Page {
  readonly name: string; // the `view` parameter
  readonly title: string;
  readonly load: () => Promise<{ default: ComponentType<PageProps> }>;
  readonly views?: readonly string[]; // that it is made of, if not the one of its name
  readonly always?: boolean; // has something to say about every profile
}

export const pages: readonly Page[] = [
  {
    name: "overview",
    title: "Overview",
    load: () => import("../features/profile/overview/page"),
    always: true,
  },
  { name: "causes", title: "Causes", load: () => import("../features/profile/causes/page") },
  {
    name: "timeline",
    title: "Timeline",
    load: () => import("../features/profile/timeline/page"),
    views: ["events"],
  },
  {
    name: "operators",
    title: "Operators",
    load: () => import("../features/profile/operators/page"),
  },
  {
    name: "kernels",
    title: "Kernels",
    load: () => import("../features/profile/kernels/page"),
    views: ["kernels", "copies"],
  },
  { name: "steps", title: "Steps", load: () => import("../features/profile/steps/page") },
  {
    name: "memory",
    title: "Memory",
    load: () => import("../features/profile/memory/page"),
  },
  {
    name: "modules",
    title: "Modules",
    load: () => import("../features/profile/modules/page"),
  },
  {
    name: "distributed",
    title: "Distributed",
    load: () => import("../features/profile/distributed/page"),
  },
  {
    name: "idle",
    title: "Idle and launches",
    load: () => import("../features/profile/idle/page"),
    views: ["idle", "launches"],
  },
  {
    name: "critical_path",
    title: "Critical path",
    load: () => import("../features/profile/critical_path/page"),
  },
  {
    name: "roofline",
    title: "Roofline",
    load: () => import("../features/profile/roofline/page"),
  },
  {
    name: "functions",
    title: "Functions",
    load: () => import("../features/profile/functions/page"),
  },
  {
    name: "annotations",
    title: "Annotations",
    load: () => import("../features/profile/annotations/page"),
  },
  ...DEFAULT_PAGES.map(({ name, title }) => ({
    name,
    title,
    load: () => import("../features/profile/any/page"),
  })),
  {
    name: "compare",
    title: "Compare",
    load: () => import("../features/profile/compare/page"),
    always: true,
  },
  {
    name: "query",
    title: "Query",
    load: () => import("../features/profile/query/page"),
    always: true,
  },
  {
    name: "diagnostics",
    title: "Diagnostics",
    load: () => import("../features/profile/diagnostics/page"),
    always: true,
  },
];

// Why a page has nothing to show of this profile; null if it has.
export function missing(page: Page, profile: ProfileInfo | null): string | null {
  if (page.always || profile === null || !isRead(profile)) return null;
  const views = page.views ?? [page.name];
  if (views.some((view) => profile.views.includes(view))) return null;
  return profile.missing[views[0] as string] ?? "This profile has nothing for this page.";
}
