// SPDX-License-Identifier: Apache-2.0
// What is open, kept current by what the server says of changes.
import { computed, signal } from "@preact/signals";
import { askAgain, messageOf } from "../api/client";
import type { ProfileInfo, ProfileList } from "../api/types";
import { followChanges } from "./changes";
import { profileId } from "./route";

export const profiles = signal<readonly ProfileInfo[]>([]);
export const listed = signal(false); // the first list has come
export const trouble = signal<string | null>(null); // why nothing new comes; null: it does
export const recoveries = signal(0); // how often trouble has ended: what failed may be asked for again
export const title = signal("Telltale");
export const version = signal("");

export const cut = signal(false); // the search stopped at a limit
const searching = signal(false);

// id → which content of its file. A changed file is asked for again, and once more when it was read. Progress leaves
// it as it is.
const contentOf = (p: ProfileInfo): string => `${p.modified} ${p.bytes} ${p.generation ?? 0}`;
const versions = signal<ReadonlyMap<string, string>>(new Map());
export const versionOf = (id: string): string => versions.value.get(id) ?? "";

export const profile = computed<ProfileInfo | null>(
  () =>
    profiles.value.find((p) => p.id === profileId.value) ??
    (profileId.value === null ? (profiles.value[0] ?? null) : null),
);

let lastList = "";

function takeList(text: string): void {
  if (text === lastList) return;
  const list = JSON.parse(text) as ProfileList;
  lastList = text;
  profiles.value = list.profiles;
  const old = versions.peek();
  if (list.profiles.length !== old.size || list.profiles.some((p) => old.get(p.id) !== contentOf(p)))
    versions.value = new Map(list.profiles.map((p) => [p.id, contentOf(p)]));
  if (list.title) title.value = list.title;
  version.value = list.version;
  cut.value = list.cut ?? false;
  searching.value = list.searching ?? false;
  listed.value = true;
  askAgain();
}

function takeProgress(text: string): void {
  lastList = ""; // the next list is news, even if it is the one before
  const progress = JSON.parse(text) as Pick<ProfileInfo, "id" | "loaded_bytes" | "total_bytes">;
  profiles.value = profiles.value.map((p) => (p.id === progress.id ? { ...p, ...progress } : p));
}

export function watchProfiles(): void {
  followChanges({
    take: (event, data) => {
      if (event === "profiles") takeList(data);
      else takeProgress(data);
    },
    trouble: (error) => {
      if (error === null && trouble.value !== null) recoveries.value += 1;
      trouble.value = error === null ? null : messageOf(error);
    },
    isBusy: () => searching.value || profiles.value.some((p) => p.state === "loading"),
  });
}
