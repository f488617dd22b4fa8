// SPDX-License-Identifier: Apache-2.0
// The points of a chart: asked for when it comes into view, kept for a while when it leaves, and added to when the
// server says that its runs went on. A few questions at a time: what is in view comes first.
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../api/client";
import { askPoints, type PointsRequest } from "../../../api/runs";
import { appended, type Line, lastX } from "../../../lib/runs/points";
import { recoveries } from "../../../state/profiles";
import { runsEvent } from "../../../state/run_events";

export interface LinesRequest {
  readonly key: string; // changes with what is asked for
  readonly body: PointsRequest;
}
export interface LinesState {
  readonly lines: readonly Line[] | null; // null: nothing came yet
  readonly current: boolean; // they are what was asked for last
  readonly problem: string | null;
}

const KEPT_BYTES = 32 << 20;
const kept = new Map<string, { readonly lines: readonly Line[]; readonly bytes: number }>();
let keptBytes = 0;

const bytesOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, line) => sum + line.x.length * (line.low === null ? 40 : 56), 0);

function keep(key: string, lines: readonly Line[]): void {
  drop(key);
  const bytes = bytesOf(lines);
  kept.set(key, { lines, bytes });
  keptBytes += bytes;
  for (const oldest of kept.keys()) {
    if (keptBytes <= KEPT_BYTES || oldest === key) break;
    drop(oldest);
  }
}
function drop(key: string): void {
  keptBytes -= kept.get(key)?.bytes ?? 0;
  kept.delete(key);
}

const AT_A_TIME = 3;
let running = 0;
const queue: (() => void)[] = [];
async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (running >= AT_A_TIME) await new Promise<void>((resolve) => queue.push(resolve));
  ++running;
  try {
    if (signal.aborted) throw new DOMException("aborted", "AbortError");
    return await work();
  } finally {
    --running;
    queue.shift()?.();
  }
}

const PAUSE_MS = 900; // between two looks at what was added
const GROWN = 1.5; // times what came first: then it is asked for anew, reduced to pixels

export function useLines(request: LinesRequest | null): LinesState {
  const [state, setState] = useState<LinesState & { readonly key: string }>({
    key: "",
    lines: null,
    current: false,
    problem: null,
  });
  const held = useRef<{ key: string; lines: readonly Line[]; first: number } | null>(null);
  const [round, setRound] = useState(0); // how often it was asked for anew
  const key = request?.key ?? "";

  useEffect(() => {
    if (request === null) return;
    const known = kept.get(key);
    if (known && round === 0) {
      kept.delete(key);
      kept.set(key, known);
      held.current = { key, lines: known.lines, first: known.bytes };
      setState({ key, lines: known.lines, current: true, problem: null });
      return;
    }
    const abort = new AbortController();
    inTurn(abort.signal, () => askPoints(request.body, abort.signal)).then(
      (lines) => {
        if (abort.signal.aborted) return;
        keep(key, lines);
        held.current = { key, lines, first: bytesOf(lines) };
        setState({ key, lines, current: true, problem: null });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState((old) => ({ ...old, key, problem: messageOf(error) }));
      },
    );
    return () => abort.abort();
  }, [key, round, recoveries.value]);

  // What the runs logged since: only that is asked for, where it can be put behind what is there.
  useEffect(() => {
    if (request === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let abort = new AbortController();
    const changed = new Set<string>();
    const look = async (): Promise<void> => {
      timer = undefined;
      const now = held.current;
      if (now === null || now.key !== key) return;
      const { body } = request;
      const ids = new Set(changed);
      changed.clear();
      if (body.group || body.x.startsWith("tag:") || bytesOf(now.lines) > now.first * GROWN + 65536) {
        setRound((n) => n + 1);
        return;
      }
      const charts = body.charts.map(({ tag, runs }) => ({ tag, runs: runs.filter((id) => ids.has(id)) }));
      let from = Number.POSITIVE_INFINITY;
      for (const line of now.lines) {
        const id = body.charts[line.chart]?.runs[line.run];
        if (id !== undefined && ids.has(id)) from = Math.min(from, lastX(line) ?? Number.NEGATIVE_INFINITY);
      }
      abort.abort();
      abort = new AbortController();
      const { signal } = abort;
      try {
        const more = await inTurn(signal, () =>
          askPoints({ ...body, charts, from: Number.isFinite(from) ? from : body.from }, signal),
        );
        if (signal.aborted || held.current !== now) return;
        const lines = [...now.lines];
        for (const line of more) {
          const id = charts[line.chart]?.runs[line.run];
          const run = body.charts[line.chart]?.runs.indexOf(id ?? "") ?? -1;
          const at = lines.findIndex((old) => old.chart === line.chart && old.run === run);
          if (at >= 0) lines[at] = appended(lines[at] as Line, line);
          else lines.push({ ...line, run });
        }
        held.current = { key, lines, first: now.first };
        keep(key, lines);
        setState({ key, lines, current: true, problem: null });
      } catch {
        // The next event, or the end of the trouble, brings it.
      }
    };
    const stop = runsEvent.subscribe((event) => {
      if (event === null) return;
      for (const { id, tags } of event.changed)
        if (request.body.charts.some((c) => c.runs.includes(id) && tags.some(({ tag }) => tag === c.tag)))
          changed.add(id);
      if (changed.size > 0 && timer === undefined) timer = setTimeout(look, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);

  return {
    lines: state.lines,
    current: state.key === key && state.current,
    problem: state.key === key ? state.problem : null,
  };
}
