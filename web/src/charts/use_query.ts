// SPDX-License-Identifier: Apache-2.0
// A question in SQL as a page sees it: not answered yet, answered, or failed. And what the top bar restricts, as
// a condition on a table that has steps and ranks.
import { useEffect, useState } from "preact/hooks";
import { postJson } from "../api/client";
import type { ProfileInfo } from "../api/types";
import { versionOf } from "../state/profiles";
import { failed, LOADING, type Resource } from "../state/resource";

export interface QueryAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly truncated: boolean;
}

export function useQuery(profile: ProfileInfo, sql: string | null): Resource<QueryAnswer> {
  const key = `${profile.id}#${versionOf(profile.id)}#${sql}`;
  const [answer, setAnswer] = useState<{ key: string; resource: Resource<QueryAnswer> }>({
    key: "",
    resource: LOADING,
  });
  useEffect(() => {
    if (sql === null) return;
    const abort = new AbortController();
    postJson<QueryAnswer>(`profiles/${profile.id}/query`, { sql, limit: 1000 }, abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setAnswer({ key, resource: { state: "ready", data } });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setAnswer({ key, resource: failed(error) });
      },
    );
    return () => abort.abort();
  }, [key]);
  return answer.key === key ? answer.resource : LOADING;
}

// Only digits get into SQL.
export function scopeSql(steps: string | undefined, rank: string | undefined): string {
  const parts: string[] = [];
  if (rank !== undefined && /^\d+$/.test(rank)) parts.push(`rank = ${rank}`);
  const range = /^(\d*)(\.\.)?(\d*)$/.exec(steps ?? "");
  if (steps && range) {
    const [, from = "", dots = "", to = ""] = range;
    const last = dots === "" ? from : to;
    if (from !== "") parts.push(`CAST(step AS INTEGER) >= ${from}`);
    if (last !== "") parts.push(`CAST(step AS INTEGER) <= ${last}`);
  }
  return parts.length === 0 ? "" : ` AND ${parts.join(" AND ")}`;
}
