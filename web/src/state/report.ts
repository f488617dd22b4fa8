// SPDX-License-Identifier: Apache-2.0
// A report of the profile shown, restricted as the top bar says (steps, rank, inside), for a page to show.
import type { Query } from "../api/client";
import type { DiagnosticRow } from "../api/generated";
import type { Recommendation } from "../api/report";
import type { ProfileInfo } from "../api/types";
import { type Resource, useJson } from "./resource";
import { params } from "./route";

// What restricts every page. Reading it makes the component follow the address.
export function scope(): Query {
  const { steps, rank, inside } = params.value;
  return { steps, rank, inside };
}

export interface FileInfo {
  readonly path: string;
  readonly format: string;
  readonly compression: string;
  readonly bytes: number;
  readonly decoded_bytes: number;
  readonly events: number;
  readonly worker: string | null;
  readonly rank: number | null;
  readonly span: number | null;
  readonly start_ns: number | null;
  readonly end_ns: number | null;
}

// What every report begins with.
export interface ReportHead {
  readonly telltale: string;
  readonly schema: number;
  readonly files: readonly FileInfo[];
  readonly diagnostics: readonly DiagnosticRow[];
  readonly sentence: string; // that opens the page
  readonly recommendations?: readonly Recommendation[]; // what to try, of the view asked for
  readonly rows_total?: Readonly<Record<string, number>>; // rows of each table, sent or not
}

export function useReport<T>(
  profile: ProfileInfo | null,
  view: string | null,
  extra: Query = {},
  restrict = true,
): Resource<ReportHead & T> {
  const path = profile === null || view === null ? null : `profiles/${profile.id}/report`;
  return useJson<ReportHead & T>(path, { view, ...(restrict ? scope() : {}), ...extra });
}

// The answer of a page: null until it is there, nothing where it could not be had.
export const sentenceOf = (report: Resource<ReportHead>): string | null | undefined =>
  report.state === "failed" ? undefined : (report.data?.sentence ?? null);

// The sentence of a page whose box says what to do where there is nothing to show.
export function answerUnlessEmpty(
  report: Resource<ReportHead>,
  rows: readonly unknown[] | null,
  empty: string,
): string | null {
  return report.state !== "ready" || rows === null ? null : rows.length === 0 ? empty : report.data.sentence;
}
