// SPDX-License-Identifier: Apache-2.0
// The address is the state: which profile, which page, and everything a page lets one choose, as parameters of
// the query string. `profile` and `view` are the shell's; steps, rank and inside restrict every page; all others
// belong to the page shown and are dropped when another page is opened.
import { computed, signal } from "@preact/signals";

export type Params = Readonly<Record<string, string>>;

const KEPT_ACROSS_PAGES = ["profile", "steps", "rank", "inside", "theme"];
// Steps and ranks of one profile mean nothing to another.
const OF_THE_PROFILE = new Set(["steps", "rank", "inside"]);

function parse(search: string): Params {
  return Object.fromEntries(new URLSearchParams(search));
}

export const params = signal<Params>(parse(location.search));
addEventListener("popstate", () => {
  params.value = parse(location.search);
});

export const profileId = computed(() => params.value.profile ?? null);
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
export function pageParams(
  page: string,
  extra: Params = {},
  profile: string | null = profileId.value,
): Params {
  const next: Record<string, string> = {};
  for (const key of KEPT_ACROSS_PAGES) {
    const value = params.value[key];
    if (value !== undefined && (profile === profileId.value || !OF_THE_PROFILE.has(key))) next[key] = value;
  }
  if (profile !== null) next.profile = profile;
  next.view = page;
  return { ...next, ...extra };
}
export const pageAddress = (
  page: string,
  extra: Params = {},
  profile: string | null = profileId.value,
): string => address(pageParams(page, extra, profile));

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
