// SPDX-License-Identifier: Apache-2.0
// A report of the profile shown, restricted as the top bar says (steps, rank, inside), for a page to show.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Query } from "../api/client";
import type { ProfileInfo } from "../api/types";
import { versionOf } from "./profiles";
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

export interface Diagnostic {
  readonly severity: "info" | "loss" | "error";
  readonly kind: string;
  readonly count: number;
  readonly first_offset: number | null;
  readonly message: string;
  readonly file?: number | string | null;
}

// What every report begins with.
export interface ReportHead {
  readonly telltale: string;
  readonly schema: number;
  readonly files: readonly FileInfo[];
  readonly diagnostics: readonly Diagnostic[];
  readonly answer?: string; // the sentence that opens the page
  readonly rows_total?: Readonly<Record<string, number>>; // rows of each table, sent or not
}

// Rows of each table of a profile, as far as reports of all of it came by: pages without any are dimmed in the rail.
const counted = signal<ReadonlyMap<string, Readonly<Record<string, number>>>>(new Map());
const contentOf = (id: string): string => `${id} ${versionOf(id)}`;
export const rowsOf = (profile: ProfileInfo | null): Readonly<Record<string, number>> =>
  (profile === null ? undefined : counted.value.get(contentOf(profile.id))) ?? {};

function learn(id: string, rows: Readonly<Record<string, number>> | undefined): void {
  const key = contentOf(id);
  const known = counted.peek().get(key) ?? {};
  if (rows === undefined || Object.entries(rows).every(([table, n]) => known[table] === n)) return;
  counted.value = new Map([...counted.peek(), [key, { ...known, ...rows }]]);
}

export function useReport<T>(
  profile: ProfileInfo | null,
  view: string | null,
  extra: Query = {},
  restrict = true,
): Resource<ReportHead & T> {
  const path = profile === null || view === null ? null : `profiles/${profile.id}/report`;
  const restricted = restrict ? scope() : {};
  const report = useJson<ReportHead & T>(path, { view, ...restricted, ...extra });
  const whole = Object.values(restricted).every((value) => value === undefined);
  const rows = report.state === "ready" && whole ? report.data.rows_total : undefined;
  useEffect(() => {
    if (profile !== null) learn(profile.id, rows);
  }, [profile?.id, rows]);
  return report;
}
