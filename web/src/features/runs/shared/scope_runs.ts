// SPDX-License-Identifier: Apache-2.0
// The runs that a page is about: one, a selection, or all that the filter leaves and nobody hid. Those that were
// switched off in a legend are listed, and not drawn.

import { useEffect, useState } from "preact/hooks";
import { getJson, messageOf, RequestError } from "../../../api/client";
import type { Run, RunList, RunWhole, TagInfo, TagList } from "../../../api/runs";
import { offOf, switchedText } from "../../../lib/runs/switched";
import { recoveries } from "../../../state/profiles";
import type { Resource } from "../../../state/resource";
import { params, set } from "../../../state/route";
import { runNames, runPlugins, runsRevision } from "../../../state/run_events";
import { useRunsJson } from "../../../state/runs";

import "./icons";
import type { RunsProps as ScopeProps } from "../../page_props";

export type { ScopeProps };

export const MOST_RUNS = 1000; // drawn at once

export interface ScopeRuns {
  readonly runs: readonly Run[]; // hidden ones left out
  readonly shown: readonly Run[]; // not switched off
  readonly total: number; // that match, listed or not
  readonly hidden: number;
}

const idsOf = ({ run, runs }: ScopeProps): readonly string[] | null =>
  run !== undefined ? [run] : (runs ?? null);

export const switchedOff = (runs: readonly Run[]): ReadonlySet<string> =>
  offOf(
    runs.map(({ id }) => id),
    params.value,
  );

export function setOff(runs: readonly Run[], off: ReadonlySet<string>): void {
  set({
    ...switchedText(
      runs.map(({ id }) => id),
      off,
    ),
  });
}

// Runs by name, whole; one that is gone is left out.
export function useRuns(ids: readonly string[] | null): Resource<readonly RunWhole[]> {
  const key = ids?.join() ?? "";
  const [answer, setAnswer] = useState<{ key: string; resource: Resource<readonly RunWhole[]> } | null>(null);
  useEffect(() => {
    if (ids === null) return;
    const abort = new AbortController();
    const one = (id: string): Promise<readonly RunWhole[]> =>
      getJson<RunWhole>(`runs/${encodeURIComponent(id)}`, {}, abort.signal).then(
        (run) => [run],
        (error: unknown) => {
          if (error instanceof RequestError && error.status === 404) return [];
          throw error;
        },
      );
    Promise.all(ids.map(one)).then(
      (runs) => {
        if (abort.signal.aborted) return;
        runNames.value = new Map(runs.flat().map(({ id, title }) => [id, title]));
        setAnswer({ key, resource: { state: "ready", data: runs.flat() } });
      },
      (error: unknown) => {
        if (!abort.signal.aborted)
          setAnswer({ key, resource: { state: "failed", data: null, message: messageOf(error) } });
      },
    );
    return () => abort.abort();
  }, [key, runsRevision.value, recoveries.value]);
  return answer?.key === key ? answer.resource : { state: "loading", data: null };
}

export function useScopeRuns(props: ScopeProps, metrics: readonly string[] = []): Resource<ScopeRuns> {
  const ids = idsOf(props);
  const named = useRuns(ids);
  const list = useRunsJson<RunList>(
    ids === null ? "runs" : null,
    { where: params.value.where, limit: MOST_RUNS, metrics: metrics.join(",") },
    { stay: true },
  );
  const switched = (runs: readonly Run[]): readonly Run[] => {
    const off = switchedOff(runs);
    return off.size === 0 ? runs : runs.filter((run) => !off.has(run.id));
  };
  if (ids !== null) {
    if (named.state !== "ready") return named;
    const runs = named.data;
    return { state: "ready", data: { runs, shown: switched(runs), total: runs.length, hidden: 0 } };
  }
  if (list.state !== "ready") return list;
  const runs = list.data.runs.filter((run) => !run.hidden);
  return {
    state: "ready",
    data: {
      runs,
      shown: switched(runs),
      total: list.data.total,
      hidden: list.data.runs.length - runs.length,
    },
  };
}

// What was logged by them, of some kinds.
export function useTags(props: ScopeProps, plugins: readonly string[]): Resource<readonly TagInfo[]> {
  const ids = idsOf(props);
  const list = useRunsJson<TagList>(
    "series/tags",
    ids === null ? { where: params.value.where } : { runs: ids.join(",") },
    { stay: true },
  );
  const all = list.data?.tags;
  const embeddings = list.data?.embeddings === true;
  // The rail says which pages have something.
  useEffect(() => {
    if (all)
      runPlugins.value = [...new Set(all.map(({ plugin }) => plugin)), ...(embeddings ? ["embeddings"] : [])];
  }, [all, embeddings]);
  useEffect(
    () => () => {
      runPlugins.value = null;
    },
    [ids?.join()],
  );
  if (list.state !== "ready") return list;
  return { state: "ready", data: list.data.tags.filter((tag) => plugins.includes(tag.plugin)) };
}
