// SPDX-License-Identifier: Apache-2.0
// The address is the state: what the page is about, which page, and everything a page lets one choose, as parameters
// of the query string. The scope (`profile`, `run` or `runs`; none of them: the workspace) and `view` are the shell's;
// some restrict every page of a scope; all others belong to the page shown and are dropped when another one is opened.
import { computed, signal } from "@preact/signals";

export type Params = Readonly<Record<string, string>>;

// What a page is about.
export type Scope =
  | { readonly kind: "profile"; readonly id: string }
  | { readonly kind: "run"; readonly id: string }
  | { readonly kind: "runs"; readonly ids: readonly string[] } // a selection
  | { readonly kind: "workspace" }; // all that is open
export type ScopeKind = Scope["kind"];

// What restricts every page of a scope. Steps and ranks of one profile mean nothing to another.
const KEPT_WITHIN: Readonly<Record<ScopeKind, readonly string[]>> = {
  profile: ["steps", "rank", "inside"],
  run: [],
  runs: ["off", "only"],
  // An address that names nothing may show the first profile. Which runs are looked at is the same on every page.
  workspace: ["steps", "rank", "inside", "where", "off", "only"],
};

function parse(search: string): Params {
  return Object.fromEntries(new URLSearchParams(search));
}

export const params = signal<Params>(parse(location.search));
addEventListener("popstate", () => {
  params.value = parse(location.search);
});

export function scopeOf({ profile, run, runs }: Params): Scope {
  if (profile !== undefined) return { kind: "profile", id: profile };
  if (run !== undefined) return { kind: "run", id: run };
  if (runs !== undefined) return { kind: "runs", ids: runs.split(",") };
  return { kind: "workspace" };
}
export function scopeParams(scope: Scope): Params {
  if (scope.kind === "workspace") return {};
  return { [scope.kind]: scope.kind === "runs" ? scope.ids.join(",") : scope.id };
}
export const ofProfile = (id: string): Scope => ({ kind: "profile", id });
export const WORKSPACE: Scope = { kind: "workspace" };
export const ofRun = (id: string): Scope => ({ kind: "run", id });

export const scope = computed(() => scopeOf(params.value));
export const view = computed(() => params.value.view ?? "overview");

export function address(next: Params): string {
  const search = new URLSearchParams(next);
  search.sort();
  const text = search.toString();
  return text === "" ? location.pathname : `?${text}`;
}

// The parameters after a change; null takes one away.
export function changed(change: Readonly<Record<string, string | null>>): Params {
  const next: Record<string, string> = { ...params.value };
  for (const [key, value] of Object.entries(change)) {
    if (value === null || value === "") delete next[key];
    else next[key] = value;
  }
  return next;
}

// Where a link to a page leads.
export function pageParams(page: string, extra: Params = {}, to: Scope = scope.value): Params {
  const about = scopeParams(to);
  const stays = address(about) === address(scopeParams(scope.value));
  const next: Record<string, string> = { ...about };
  for (const key of ["theme", ...(stays ? KEPT_WITHIN[to.kind] : [])]) {
    const value = params.value[key];
    if (value !== undefined) next[key] = value;
  }
  next.view = page;
  return { ...next, ...extra };
}
export const pageAddress = (page: string, extra: Params = {}, to: Scope = scope.value): string =>
  address(pageParams(page, extra, to));

// A new entry of the history: Back returns.
export function go(next: Params): void {
  history.pushState(null, "", address(next));
  params.value = next;
}
// Follows one of our addresses from what is no link: a part of a picture, a row.
export function open(href: string | undefined | null): void {
  if (href) go(parse(href));
}
// The same entry: zooming and typing leave no trail.
export function set(change: Readonly<Record<string, string | null>>): void {
  const next = changed(change);
  history.replaceState(null, "", address(next));
  params.value = next;
}

// Links are plain <a href>; a click on one of ours changes the page without loading it anew.
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || url.pathname !== location.pathname) return;
  event.preventDefault();
  go(parse(url.search));
}
