// SPDX-License-Identifier: Apache-2.0
// Every page by its scope, in the order of the rail: one line each. A page is loaded when it is first opened. A scope
// opens on its page `overview`. Views of a profile that have no page of their own have the default one.
import type { ComponentType, FunctionComponent } from "preact";
import { DEFAULT_PAGES } from "../api/generated";
import type { PageProps, RunsProps } from "../features/page_props";
import type { ScopeKind } from "../state/route";

export interface PageEntry {
  readonly name: string; // the `view` parameter
  readonly title: string;
  readonly key?: string; // the letter that opens it, after `g`
  readonly views?: readonly string[]; // that it is made of, if not the one of its name
  readonly always?: boolean; // has something to say whatever there is
}
export interface Page<K extends ScopeKind> extends PageEntry {
  readonly load: () => Promise<{ default: ComponentType<PageProps<K>> }>;
}

const page = <K extends ScopeKind>(
  name: string,
  title: string,
  load: Page<K>["load"],
  more: Omit<PageEntry, "name" | "title"> = {},
): Page<K> => ({ name, title, load, ...more });

const ALWAYS = { always: true };
// biome-ignore format: one line each
const OF_A_PROFILE: readonly Page<"profile">[] = [
  page("overview", "Overview", () => import("../features/profile/overview/page"), { key: "o", ...ALWAYS }),
  page("causes", "Causes", () => import("../features/profile/causes/page")),
  page("timeline", "Timeline", () => import("../features/profile/timeline/page"), { key: "t", views: ["events"] }),
  page("operators", "Operators", () => import("../features/profile/operators/page"), { key: "p" }),
  page("kernels", "Kernels", () => import("../features/profile/kernels/page"), { key: "k", views: ["kernels", "copies"] }),
  page("steps", "Steps", () => import("../features/profile/steps/page")),
  page("memory", "Memory", () => import("../features/profile/memory/page"), { key: "m" }),
  page("modules", "Modules", () => import("../features/profile/modules/page")),
  page("distributed", "Distributed", () => import("../features/profile/distributed/page")),
  page("idle", "Idle and launches", () => import("../features/profile/idle/page"), { views: ["idle", "launches"] }),
  page("critical_path", "Critical path", () => import("../features/profile/critical_path/page")),
  page("roofline", "Roofline", () => import("../features/profile/roofline/page")),
  page("functions", "Functions", () => import("../features/profile/functions/page"), { key: "f" }),
  page("annotations", "Annotations", () => import("../features/profile/annotations/page")),
  ...DEFAULT_PAGES.map(({ name, title }) => page<"profile">(name, title, () => import("../features/profile/any/page"))),
  page("compare", "Compare", () => import("../features/profile/compare/page"), { key: "c", ...ALWAYS }),
  page("query", "Query", () => import("../features/profile/query/page"), { key: "q", ...ALWAYS }),
  page("diagnostics", "Diagnostics", () => import("../features/profile/diagnostics/page"), { key: "d", ...ALWAYS }),
];

// Pages of runs: what is shown of one run is shown of several and of all.
interface RunsPage extends Omit<PageEntry, "load"> {
  readonly load: () => Promise<{ default: FunctionComponent<RunsProps> }>;
}
const OF_RUNS: readonly RunsPage[] = [
  {
    name: "curves",
    title: "Curves",
    load: () => import("../features/runs/curves/page"),
    key: "c",
    views: ["scalars"],
  },
  {
    name: "distributions",
    title: "Distributions",
    load: () => import("../features/runs/distributions/page"),
    key: "d",
    views: ["histograms"],
  },
  {
    name: "media",
    title: "Media",
    load: () => import("../features/runs/media/page"),
    key: "m",
    views: ["images", "audio", "video", "text", "table", "html", "object"],
  },
  {
    name: "hparams",
    title: "HParams",
    load: () => import("../features/runs/hparams/page"),
    key: "h",
    always: true,
  },
  {
    name: "graph",
    title: "Graph",
    load: () => import("../features/runs/graph/page"),
    views: ["graphs", "meta_graphs", "graph_keras_model"],
  },
  { name: "pr_curves", title: "PR curves", load: () => import("../features/runs/pr_curves/page") },
  { name: "mesh", title: "Mesh", load: () => import("../features/runs/mesh/page") },
  {
    name: "embeddings",
    title: "Embeddings",
    load: () => import("../features/runs/embeddings/page"),
  },
  {
    name: "custom_scalars",
    title: "Custom scalars",
    load: () => import("../features/runs/custom_scalars/page"),
  },
];

const PAGES: { readonly [K in ScopeKind]: readonly Page<K>[] } = {
  profile: OF_A_PROFILE,
  run: [
    {
      name: "overview",
      title: "Run",
      load: () => import("../features/runs/run/page"),
      key: "o",
      always: true,
    },
    ...OF_RUNS,
    {
      name: "hardware",
      title: "Hardware",
      load: () => import("../features/runs/hardware/page"),
      key: "w",
      always: true, // it says what would measure
    },
    {
      name: "logs",
      title: "Logs",
      load: () => import("../features/runs/logs/page"),
      key: "l",
      always: true, // they are files beside the series
    },
    {
      name: "files",
      title: "Files",
      load: () => import("../features/runs/files/page"),
      key: "f",
      always: true,
    },
  ],
  runs: [
    {
      name: "overview",
      title: "Compare runs",
      load: () => import("../features/runs/compare/page"),
      key: "o",
      always: true,
    },
    ...OF_RUNS,
  ],
  workspace: [
    {
      name: "overview",
      title: "Runs",
      load: () => import("../features/runs/table/page"),
      key: "o",
      always: true,
    },
    ...OF_RUNS,
  ],
};

export const pagesOf = <K extends ScopeKind>(kind: K): readonly Page<K>[] => PAGES[kind];
export const pageOf = <K extends ScopeKind>(kind: K, name: string): Page<K> | undefined =>
  pagesOf(kind).find((page) => page.name === name);

// What the server says that there is of a profile, a run …
export interface Subject {
  readonly views: readonly string[]; // none: it is not read yet
  readonly missing: Readonly<Record<string, string>>; // by view: why it is not among them
}

// Why a page has nothing to show of a subject; null if it has.
export function missing(page: PageEntry, subject: Subject | null): string | null {
  if (page.always || subject === null || subject.views.length === 0) return null;
  const views = page.views ?? [page.name];
  if (views.some((view) => subject.views.includes(view))) return null;
  return subject.missing[views[0] as string] ?? "There is nothing for this page.";
}
