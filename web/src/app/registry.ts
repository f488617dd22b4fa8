// SPDX-License-Identifier: Apache-2.0
// Every page, in the order of the rail: one line each. A page is loaded when it is first opened. `needs` says, in
// the words of someone who made the capture, what a profile without data for the page lacks.
import type { ComponentType } from "preact";
import { type Captured, isRead, type ProfileInfo } from "../api/types";
import type { PageProps } from "../features/page_props";

export interface Page {
  readonly name: string; // the `view` parameter
  readonly title: string;
  readonly load: () => Promise<{ default: ComponentType<PageProps> }>;
  readonly needs: string;
  readonly always?: boolean; // has something to say about every profile
}

const needsTrace = "Needs a trace of torch.profiler (or Perfetto, Chrome JSON).";
const needsDevice = "Needs a trace with device activity: activities=[CPU, CUDA].";

export const pages: readonly Page[] = [
  {
    name: "overview",
    title: "Overview",
    load: () => import("../features/profile/overview/page"),
    needs: "",
    always: true,
  },
  {
    name: "timeline",
    title: "Timeline",
    load: () => import("../features/profile/timeline/page"),
    needs: needsTrace,
  },
  {
    name: "operators",
    title: "Operators",
    load: () => import("../features/profile/operators/page"),
    needs: needsTrace,
  },
  {
    name: "kernels",
    title: "Kernels",
    load: () => import("../features/profile/kernels/page"),
    needs: needsDevice,
  },
  { name: "steps", title: "Steps", load: () => import("../features/profile/steps/page"), needs: needsTrace },
  {
    name: "memory",
    title: "Memory",
    load: () => import("../features/profile/memory/page"),
    needs: "Needs profile_memory=True, or a memory snapshot.",
  },
  {
    name: "modules",
    title: "Modules",
    load: () => import("../features/profile/modules/page"),
    needs: "Needs with_stack=True.",
  },
  {
    name: "distributed",
    title: "Distributed",
    load: () => import("../features/profile/distributed/page"),
    needs: "Needs the traces of several ranks, in one folder.",
  },
  {
    name: "idle",
    title: "Idle and launches",
    load: () => import("../features/profile/idle/page"),
    needs: needsDevice,
  },
  {
    name: "critical_path",
    title: "Critical path",
    load: () => import("../features/profile/critical_path/page"),
    needs: needsTrace,
  },
  {
    name: "roofline",
    title: "Roofline",
    load: () => import("../features/profile/roofline/page"),
    needs: "Needs record_shapes=True, and device activity.",
  },
  {
    name: "functions",
    title: "Functions",
    load: () => import("../features/profile/functions/page"),
    needs: "Needs a .prof file, another profile of functions, or a trace with_stack=True.",
  },
  {
    name: "annotations",
    title: "Annotations",
    load: () => import("../features/profile/annotations/page"),
    needs: "Needs ranges of your own: with record_function(…).",
  },
  {
    name: "compare",
    title: "Compare",
    load: () => import("../features/profile/compare/page"),
    needs: "",
    always: true,
  },
  {
    name: "query",
    title: "Query",
    load: () => import("../features/profile/query/page"),
    needs: "",
    always: true,
  },
  {
    name: "diagnostics",
    title: "Diagnostics",
    load: () => import("../features/profile/diagnostics/page"),
    needs: "",
    always: true,
  },
];

// Several sections of a report may make up one page.
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  timeline: ["timeline", "steps", "events"],
  idle: ["idle", "launches"],
  kernels: ["kernels", "copies"],
};

// What a trace has to hold for a page to have something to show.
const NEEDS: Readonly<Record<string, Captured>> = {
  operators: "operators",
  kernels: "device_events",
  memory: "memory",
  modules: "modules",
  distributed: "communication",
  idle: "device_events",
  roofline: "shapes",
  annotations: "annotations",
};

function holds(profile: ProfileInfo, page: Page): boolean {
  const part = NEEDS[page.name];
  // Several ranks are compared with or without communication.
  if (
    part === undefined ||
    profile.kind !== "trace" ||
    (page.name === "distributed" && profile.ranks.length > 1)
  )
    return true;
  return profile.captured.includes(part);
}

// Why a page has nothing to show of this profile; null if it has.
export function missing(page: Page, profile: ProfileInfo | null): string | null {
  if (page.always || profile === null || !isRead(profile)) return null;
  if (!holds(profile, page)) return page.needs;
  const sections = SECTIONS[page.name] ?? [page.name];
  return sections.some((section) => profile.views.includes(section)) ? null : page.needs;
}
