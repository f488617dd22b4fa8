// SPDX-License-Identifier: Apache-2.0
// What is open, kept current by the server's stream of changes.
import { computed, signal } from "@preact/signals";
import { apiUrl, askAgain, getJson } from "../api/client";
import type { ProfileInfo, ProfileList } from "../api/types";
import { profileId } from "./route";

export const profiles = signal<readonly ProfileInfo[]>([]);
export const listed = signal(false); // the first list has come
export const online = signal(true);
export const title = signal("Telltale");
export const version = signal("");

export const cut = signal(false); // the search stopped at a limit

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

function take(list: ProfileList): void {
  profiles.value = list.profiles;
  const old = versions.peek();
  if (list.profiles.length !== old.size || list.profiles.some((p) => old.get(p.id) !== contentOf(p)))
    versions.value = new Map(list.profiles.map((p) => [p.id, contentOf(p)]));
  if (list.title) title.value = list.title;
  version.value = list.version;
  cut.value = list.cut ?? false;
  listed.value = true;
  askAgain();
}

export function watchProfiles(): void {
  getJson<ProfileList>("profiles").then(take, () => {
    online.value = false;
  });
  const stream = new EventSource(apiUrl("changes"));
  stream.addEventListener("open", () => {
    online.value = true;
    if (!listed.value) getJson<ProfileList>("profiles").then(take, () => {});
  });
  stream.addEventListener("error", () => {
    online.value = false;
  });
  stream.addEventListener("profiles", (event) => take(JSON.parse(event.data) as ProfileList));
  stream.addEventListener("progress", (event) => {
    const progress = JSON.parse(event.data) as Pick<ProfileInfo, "id" | "loaded_bytes" | "total_bytes">;
    profiles.value = profiles.value.map((p) => (p.id === progress.id ? { ...p, ...progress } : p));
  });
}
