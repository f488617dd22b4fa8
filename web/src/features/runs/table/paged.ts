// SPDX-License-Identifier: Apache-2.0
// A long list of runs, of which only the pages in view are asked for. Pages that came stay until they change; while a
// new order is on its way, the old rows stay where they are.
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf, type Query } from "../../../api/client";
import { askRuns, type Run, type RunList } from "../../../api/runs";
import { recoveries } from "../../../state/profiles";
import { runsRevision } from "../../../state/run_events";

const PAGE = 100;

export interface Paged {
  readonly head: Omit<RunList, "runs"> | null; // null: not there yet
  readonly problem: string | null;
  readonly at: (index: number) => Run | null; // null: not there yet
  readonly see: (first: number, last: number) => void; // rows in view
}

interface Held {
  readonly key: string;
  readonly pages: Map<number, readonly Run[]>;
}

export function usePagedRuns(query: Query): Paged {
  const key = JSON.stringify(query);
  const [head, setHead] = useState<Omit<RunList, "runs"> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [, redraw] = useState(0);
  const held = useRef<Held>({ key: "", pages: new Map() });
  const seen = useRef<readonly [number, number]>([0, PAGE - 1]);
  const asking = useRef(new Map<number, AbortController>());
  const version = `${key}#${runsRevision.value}#${recoveries.value}`;
  const current = useRef(version);
  const fresh = useRef(new Map<number, string>()); // page → version that it was asked for as

  const ask = (page: number): void => {
    const wanted = current.current;
    if (fresh.current.get(page) === wanted) return;
    fresh.current.set(page, wanted);
    asking.current.get(page)?.abort();
    const abort = new AbortController();
    asking.current.set(page, abort);
    askRuns({ ...query, offset: page * PAGE, limit: PAGE }, abort.signal).then(
      ({ runs, ...rest }) => {
        if (abort.signal.aborted) return;
        if (held.current.key !== key) held.current = { key, pages: new Map() };
        held.current.pages.set(page, runs);
        setHead(rest);
        setProblem(null);
        redraw((n) => n + 1);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        fresh.current.delete(page);
        setProblem(messageOf(error));
      },
    );
  };
  const askSeen = (): void => {
    const [first, last] = seen.current;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); ++page) ask(page);
  };
  useEffect(() => {
    current.current = version;
    askSeen();
  }, [version]);
  useEffect(
    () => () => {
      for (const abort of asking.current.values()) abort.abort();
    },
    [],
  );
  return {
    head,
    problem,
    at: (index) => held.current.pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null,
    see: (first, last) => {
      seen.current = [Math.max(0, first), Math.max(0, last)];
      askSeen();
    },
  };
}
