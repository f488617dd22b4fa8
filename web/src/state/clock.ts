// SPDX-License-Identifier: Apache-2.0
// Links into the timeline. Reports give times since 1970, the timeline counts from the profile's origin.
import { isRead, type ProfileInfo } from "../api/types";
import { type Resource, useJson } from "./resource";
import { type Params, pageAddress } from "./route";

interface Layout {
  readonly origin_ns: string;
}

// null until it is known; a profile without a timeline has none.
export function useOrigin(profile: ProfileInfo | null): number | null {
  const layout: Resource<Layout> = useJson<Layout>(
    profile === null || !isRead(profile) ? null : `profiles/${profile.id}/timeline`,
  );
  return layout.data && Number(layout.data.origin_ns);
}

// Where a span of time is in the timeline, with a little room around it.
export function timelineAddress(
  origin: number | null,
  startNs: number,
  durationNs: number,
  extra: Params = {},
): string | undefined {
  if (origin === null) return undefined;
  const room = Math.max(100, durationNs * 0.04);
  const start = Math.max(0, Math.round(startNs - origin - room));
  const end = Math.round(startNs - origin + durationNs + room);
  return pageAddress("timeline", { start: String(start), end: String(end), ...extra });
}
