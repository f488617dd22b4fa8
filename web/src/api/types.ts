// SPDX-License-Identifier: Apache-2.0
// What the server's documents hold (docs/http-api.md), as far as every page uses it. Documents of one page are
// typed beside the page.

export type Captured =
  | "operators"
  | "device_events"
  | "steps" // marked ones
  | "shapes"
  | "stacks" // at operators
  | "python" // frames
  | "modules"
  | "memory"
  | "communication"
  | "annotations"; // beside steps

export type ProfileState = "found" | "loading" | "ready" | "changed" | "failed" | "gone";

export interface ProfileInfo {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  readonly paths: readonly string[];
  readonly kind: "trace" | "functions" | "memory" | "mixed" | null;
  readonly state: ProfileState;
  readonly growing?: boolean;
  readonly generation?: number; // how often it was read
  readonly content?: string | null; // which content of its files answers are made from; null: never read
  readonly bytes: number;
  readonly loaded_bytes: number;
  readonly total_bytes: number;
  readonly modified: string;
  readonly ranks: readonly number[];
  readonly events: number | null;
  readonly captured: readonly Captured[]; // what its traces hold, once read
  readonly views: readonly string[];
  readonly missing: Readonly<Record<string, string>>; // by view: why it is not among them
  readonly first_view?: string | null; // the one with its answer, once read
  readonly error: string | null;
}

// Whether it was read, so that `captured` and `views` say something. It stays so while a changed file is read again,
// and when the file is gone.
export const isRead = (profile: ProfileInfo): boolean => profile.views.length > 0;

// Files that may be profiles by their names but are none, and folders that cannot be looked into.
export interface Skipped {
  readonly count: number;
  readonly first: readonly { readonly path: string; readonly why: string }[];
}

export interface ProfileList extends ListFacts {
  readonly profiles: readonly ProfileInfo[];
}

// How the list changed: of who knows it as of `since` (null: of nobody, it is to be read again).
export interface ListChanges extends ListFacts {
  readonly since: number | null;
  readonly changed: readonly { readonly after: string | null; readonly profile: ProfileInfo }[];
  readonly gone: readonly string[];
}

export interface ListFacts {
  readonly revision: number;
  readonly version: string;
  readonly title: string;
  readonly searching?: boolean; // more may be found
  readonly cut?: boolean; // the search stopped at a limit: there may be more
  readonly skipped?: Skipped;
}

export interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly offset?: number;
}
