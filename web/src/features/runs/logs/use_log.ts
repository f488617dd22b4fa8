// SPDX-License-Identifier: Apache-2.0
// The lines of a log that are in view, asked for in pages and kept for a while; what is appended comes when the stream
// says so. A log that is still being read for the first time is asked for again until all of it is there.
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson, messageOf } from "../../../api/client";
import type { LogLines, LogRow } from "../../../api/runs";
import { recoveries } from "../../../state/profiles";
import { logsEvent } from "../../../state/run_events";

const PAGE = 200;
const KEPT = 60; // pages

export interface LogSource {
  readonly run: string;
  readonly path: string;
  readonly q: string;
  readonly regex: boolean;
}
export interface HeldLog {
  readonly head: LogLines | null; // null: not there yet
  readonly problem: string | null;
  readonly at: (line: number) => LogRow | null; // from 0; null: not there yet
  readonly see: (first: number, last: number) => void;
}

interface Pages {
  readonly key: string;
  generation: number;
  readonly rows: Map<number, readonly LogRow[]>;
  readonly asked: Map<number, AbortController>;
}

interface LogsEvent {
  readonly logs: readonly { readonly id: string; readonly path: string; readonly bytes: number | null }[];
}

export function useLog({ run, path, q, regex }: LogSource): HeldLog {
  const key = JSON.stringify([run, path, q, regex]);
  const [head, setHead] = useState<{ key: string; head: LogLines } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [, redraw] = useState(0);
  const pages = useRef<Pages>({ key: "", generation: 0, rows: new Map(), asked: new Map() });
  const seen = useRef<readonly [number, number]>([0, 0]);
  const alive = useRef(true);
  const lines = useRef(0);

  const ask = (page: number | null): void => {
    const held = pages.current;
    const number = page ?? -1;
    if (held.asked.has(number)) return;
    const abort = new AbortController();
    held.asked.set(number, abort);
    getJson<LogLines>(
      `runs/${encodeURIComponent(run)}/log`,
      {
        path,
        q,
        regex: q !== "" && regex,
        limit: page === null ? 1 : PAGE,
        from: page === null ? null : page * PAGE + 1,
      },
      abort.signal,
    ).then(
      (answer) => {
        held.asked.delete(number);
        if (abort.signal.aborted || pages.current !== held) return;
        if (answer.generation !== held.generation) {
          held.generation = answer.generation;
          held.rows.clear();
        }
        lines.current = answer.lines;
        if (page !== null) {
          held.rows.delete(page);
          held.rows.set(page, answer.rows);
          const oldest = held.rows.keys().next();
          if (held.rows.size > KEPT && !oldest.done) held.rows.delete(oldest.value);
        }
        setHead({ key, head: answer });
        setProblem(null);
        redraw((n) => n + 1);
        if (answer.indexed_bytes < answer.bytes && page === null) ask(null);
        else askSeen();
      },
      (error: unknown) => {
        held.asked.delete(number);
        if (!abort.signal.aborted && alive.current) setProblem(messageOf(error));
      },
    );
  };
  const askSeen = (): void => {
    const [first, last] = seen.current;
    const end = Math.min(last, lines.current - 1);
    for (let page = Math.floor(first / PAGE); page <= Math.floor(end / PAGE); ++page) {
      const rows = pages.current.rows.get(page);
      // A page that has grown is asked for anew; its old rows stay until then.
      const whole = Math.min(PAGE, lines.current - page * PAGE);
      if (rows === undefined || (rows.length < whole && page * PAGE + rows.length <= end)) ask(page);
    }
  };

  useEffect(() => {
    for (const abort of pages.current.asked.values()) abort.abort();
    pages.current = { key, generation: 0, rows: new Map(), asked: new Map() };
    ask(null);
  }, [key, recoveries.value]);
  useEffect(
    () => () => {
      alive.current = false;
      for (const abort of pages.current.asked.values()) abort.abort();
    },
    [],
  );
  // What the stream says of this log: the last page is asked for again, and how long it is by now.
  useEffect(() => {
    const stop = logsEvent.subscribe((text) => {
      if (text === "" || pages.current.key !== key) return;
      const { logs } = JSON.parse(text) as LogsEvent;
      if (!logs.some((log) => log.id === run && log.path === path)) return;
      const last = Math.floor(Math.max(0, lines.current - 1) / PAGE);
      const rows = pages.current.rows.get(last);
      // An unfinished line may have become longer.
      if (rows !== undefined) pages.current.rows.set(last, rows.slice(0, -1));
      ask(null);
    });
    return stop;
  }, [key]);

  return {
    head: head?.key === key ? head.head : null,
    problem,
    at: (line) =>
      pages.current.key === key
        ? (pages.current.rows.get(Math.floor(line / PAGE))?.[line % PAGE] ?? null)
        : null,
    see: (first, last) => {
      seen.current = [Math.max(0, first), Math.max(0, last)];
      if (pages.current.key === key) askSeen();
    },
  };
}
