// SPDX-License-Identifier: Apache-2.0
// The section causes of a report (docs/analyses/causes.md).
import type { CauseRow, PATH_REGION_TITLES } from "../../../api/generated";
import type { Recommendation } from "../../../api/report";

export interface Causes {
  readonly region: keyof typeof PATH_REGION_TITLES;
  readonly average_ns: number;
  readonly rows: readonly CauseRow[];
}

export interface CausesReport {
  readonly causes: Causes | null;
}

export const isAbout =
  (found: Recommendation) =>
  ({ rule, what }: CauseRow): boolean =>
    found.rule === rule && found.what === what;
