// SPDX-License-Identifier: Apache-2.0
// What is open, kept current by what the server says of changes.
import { computed, signal } from "@preact/signals";
import { askAgain, messageOf } from "../api/client";
import {
  isRead,
  type ListChanges,
  type ListFacts,
  type ProfileInfo,
  type ProfileList,
  type Skipped,
} from "../api/types";
import { withChanges } from "../lib/list_changes";
import { followChanges } from "./changes";
import { scope } from "./route";
import { countRuns, logsEvent, takeRuns } from "./run_events";

export const profiles = signal<readonly ProfileInfo[]>([]);
export const listed = signal(false); // the first list has come
export const trouble = signal<string | null>(null); // why nothing new comes; null: it does
export const recoveries = signal(0); // how often trouble has ended: what failed may be asked for again
export const title = signal("Telltale");
export const version = signal("");

export const cut = signal(false); // the search stopped at a limit
export const skipped = signal<Skipped>({ count: 0, first: [] });
export const searching = signal(false);

// id → which content of its files the server answers from: another one, and everything is asked for again.
const versions = signal<ReadonlyMap<string, string>>(new Map());
export const versionOf = (id: string): string => versions.value.get(id) ?? "";

// The profile of the address; the first one where it names nothing.
export const profile = computed<ProfileInfo | null>(() => {
  const of = scope.value;
  if (of.kind === "profile") return profiles.value.find((p) => p.id === of.id) ?? null;
  return of.kind === "workspace" ? (profiles.value[0] ?? null) : null;
});

let lastList = "";
let known: { revision: number; list: readonly ProfileInfo[] } | null = null; // as the server has it

// What was shown stays in the list when its file is gone and the server has let it go: what came of it can still be
// read. Behind a server that was lost may be another one, whose list is all there is.
function withShown(list: readonly ProfileInfo[]): readonly ProfileInfo[] {
  const shown = profile.peek();
  if (shown === null || !isRead(shown) || trouble.peek() !== null || list.some((p) => p.id === shown.id))
    return list;
  return [...list, { ...shown, state: "gone" }];
}

function takeList(text: string): void {
  if (text === lastList) return;
  const list = JSON.parse(text) as ProfileList;
  lastList = text;
  show(list.profiles, list);
}

// False: what changed before is not known here.
function takeChanges(text: string): boolean {
  const changes = JSON.parse(text) as ListChanges;
  if (known === null || changes.since === null || changes.since > known.revision) return false;
  if (changes.revision <= known.revision) return true;
  lastList = "";
  show(withChanges(known.list, changes), changes);
  return true;
}

function show(all: readonly ProfileInfo[], list: ListFacts): void {
  known = { revision: list.revision, list: all };
  profiles.value = withShown(all);
  const old = versions.peek();
  const contents = new Map(profiles.peek().map((p) => [p.id, p.content ?? ""]));
  if (contents.size !== old.size || [...contents].some(([id, content]) => old.get(id) !== content))
    versions.value = contents;
  if (list.title) title.value = list.title;
  version.value = list.version;
  cut.value = list.cut ?? false;
  if (list.skipped !== undefined) skipped.value = list.skipped;
  searching.value = list.searching ?? false;
  listed.value = true;
  askAgain();
}

function takeProgress(text: string): void {
  lastList = ""; // the next list is news, even if it is the one before
  const progress = JSON.parse(text) as Pick<ProfileInfo, "id" | "loaded_bytes" | "total_bytes">;
  const read = (p: ProfileInfo): ProfileInfo => (p.id === progress.id ? { ...p, ...progress } : p);
  if (known !== null) known.list = known.list.map(read);
  profiles.value = profiles.value.map(read);
}

export function watchProfiles(): void {
  countRuns();
  followChanges({
    take: (event, data) => {
      if (event === "profiles") return takeChanges(data);
      if (event === "runs") takeRuns(data);
      else if (event === "logs") logsEvent.value = data;
      else takeProgress(data);
      return true;
    },
    takeList,
    trouble: (error) => {
      if (error === null && trouble.value !== null) {
        recoveries.value += 1;
        countRuns();
      }
      trouble.value = error === null ? null : messageOf(error);
    },
    isBusy: () => searching.value || profiles.value.some((p) => p.state === "loading"),
  });
}
