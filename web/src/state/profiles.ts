// SPDX-License-Identifier: Apache-2.0
// What is open, kept current by the server's stream of changes.
import { computed, signal } from "@preact/signals";
import { apiUrl, getJson } from "../api/client";
import type { ProfileInfo, ProfileList } from "../api/types";
import { profileId } from "./route";

export const profiles = signal<readonly ProfileInfo[]>([]);
export const listed = signal(false); // the first list has come
export const online = signal(true);
export const title = signal("Telltale");
export const version = signal("");

// id → when its file changed. Progress leaves it as it is, so that what is asked for is not asked for again.
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
  if (
    list.profiles.length !== old.size ||
    list.profiles.some((p) => old.get(p.id) !== `${p.modified} ${p.bytes}`)
  )
    versions.value = new Map(list.profiles.map((p) => [p.id, `${p.modified} ${p.bytes}`]));
  if (list.title) title.value = list.title;
  version.value = list.version;
  listed.value = true;
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
