// SPDX-License-Identifier: Apache-2.0
// What every page gets, by its scope.
import type { ProfileInfo } from "../api/types";
import type { ScopeKind } from "../state/route";

interface PropsOf {
  readonly profile: { readonly profile: ProfileInfo };
  readonly run: { readonly run: string }; // ids
  readonly runs: { readonly runs: readonly string[] };
  readonly workspace: object;
}
export type PageProps<K extends ScopeKind = "profile"> = PropsOf[K];

// What a page gets that is there for a run, for several and for all.
export interface RunsProps {
  readonly run?: string;
  readonly runs?: readonly string[];
}
