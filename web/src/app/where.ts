// SPDX-License-Identifier: Apache-2.0
// Where one is: what the page shown is about, which page that is, and which others there are.
import { computed } from "@preact/signals";
import type { ProfileInfo } from "../api/types";
import { plural } from "../lib/text";
import * as open from "../state/profiles";
import { ofProfile, type Scope, type ScopeKind, scope, view } from "../state/route";
import { runCount, runNames, runPlugins } from "../state/run_events";
import { type PageEntry, pageOf, pagesOf, type Subject } from "./registry";

// An address that names nothing shows the workspace if there are runs and such a page, and the first profile otherwise.
export const where = computed<Scope>(() => {
  const named = scope.value;
  if (named.kind !== "workspace" || (runCount.value && pageOf("workspace", view.value) !== undefined))
    return named;
  return ofProfile(undecided.value ? "" : (open.profile.value?.id ?? ""));
});
// Until it is known whether there are runs.
export const undecided = computed(() => scope.value.kind === "workspace" && runCount.value === null);

export const profile = computed<ProfileInfo | null>(() =>
  where.value.kind === "profile" && !undecided.value ? open.profile.value : null,
);
// What the server says of it, once that is known.
export const subject = computed<Subject | null>(() => {
  if (where.value.kind === "profile") return profile.value;
  return runPlugins.value && { views: runPlugins.value, missing: {} };
});

// How it is called in the breadcrumb and in the window's title.
interface Called {
  readonly folder: string;
  readonly name: string;
}
export const shortName = ({ folder, name }: Called): string =>
  folder !== "" && name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name;

export const called = computed<Called | null>(() => {
  const at = where.value;
  if (at.kind === "profile") return profile.value;
  if (at.kind === "run") return { folder: "", name: runNames.value.get(at.id) ?? at.id };
  return at.kind === "runs" ? { folder: "", name: `${at.ids.length} ${plural(at.ids.length, "run")}` } : null;
});

export const pages = computed<readonly PageEntry[]>(() => pagesOf(where.value.kind));
export const page = computed<PageEntry | undefined>(() => pageOf(where.value.kind, view.value));
// The page of this name where one goes to another scope, if there is one.
export const viewIn = (kind: ScopeKind): string => pageOf(kind, view.value)?.name ?? "overview";
