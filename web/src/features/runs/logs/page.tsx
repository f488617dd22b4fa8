// SPDX-License-Identifier: Apache-2.0
// What a run printed: any log in its folder, searched on the server, followed while it grows, opened at a line or at a
// moment of the run.
import { useEffect, useRef, useState } from "preact/hooks";
import { apiUrl, getJson, messageOf } from "../../../api/client";
import type { LogFiles, LogLines, LogMatches, LogRow } from "../../../api/runs";
import { plainText } from "../../../lib/runs/ansi";
import { clock, momentOf, momentText, msOf, nsOf, typedMoment, utc } from "../../../lib/runs/moments";
import { plural, visible } from "../../../lib/text";
import { bytes } from "../../../lib/units";
import { ofRun, pageAddress, params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Icon } from "../../../ui/icon";
import { Empty, Failed, Page, Skeleton } from "../../../ui/page";
import type { PageProps } from "../../page_props";
import { useRuns, useTags } from "../shared/scope_runs";
import "../shared/runs.css";
import { type Jump, LogList, LogText } from "./log_list";
import "./logs.css";
import { useLog } from "./use_log";

const END = Number.MAX_SAFE_INTEGER;
const TYPING_MS = 350;

export default function LogsPage({ run: id }: PageProps<"run">) {
  const found = useRuns([id]);
  useTags({ run: id }, []);
  const files = useRunsJson<LogFiles>(`runs/${encodeURIComponent(id)}/logs`, {}, { stay: true });
  const run = found.data?.[0];
  const title = run === undefined ? "Logs" : `Logs of ${visible(run.title)}`;
  if (files.state === "failed")
    return (
      <Page title={title}>
        <Failed message={files.message} />
      </Page>
    );
  if (files.state === "loading" || found.state === "loading")
    return (
      <Page title={title} sentence={null}>
        <Skeleton lines={14} />
      </Page>
    );
  const { logs } = files.data;
  const path = logs.find((log) => log.path === params.value.path)?.path ?? logs[0]?.path;
  if (path === undefined)
    return (
      <Page title={title} sentence="This run has no log.">
        <Empty what="telltale run keeps what a program prints in logs/driver.log; of other runs, files named *.log, *.txt, *.out and *.err in their folder are read." />
      </Page>
    );
  return (
    <Log
      key={path}
      run={id}
      title={title}
      path={path}
      files={files.data}
      running={run?.status === "Running"}
    />
  );
}

interface LogProps {
  readonly run: string;
  readonly title: string;
  readonly path: string;
  readonly files: LogFiles;
  readonly running: boolean;
}

function Log({ run, title, path, files, running }: LogProps) {
  const { q = "", regex, line, t, follow } = params.value;
  const log = useLog({ run, path, q, regex: regex === "1" });
  const head = log.head;
  const selected = line === undefined || !/^[1-9]\d{0,14}$/.test(line) ? null : Number(line) - 1;
  const moment = momentOf(t);
  // Without a place a run that is under way is followed.
  const follows = follow === "1" || (follow === undefined && running && selected === null && moment === null);
  const [jump, setJump] = useState<Jump>({ line: selected ?? END, number: 0 });
  const [problem, setProblem] = useState<string | null>(null);
  const go = (to: number): void => setJump((old) => ({ line: to, number: old.number + 1 }));
  const base = `runs/${encodeURIComponent(run)}`;

  // A moment is a line: the first that is not earlier.
  useEffect(() => {
    if (moment === null) return;
    const abort = new AbortController();
    getJson<LogLines>(`${base}/log`, { path, at: nsOf(moment), limit: 1 }, abort.signal).then(
      (answer) => {
        const at = answer.at_line ?? answer.lines;
        set({ line: String(at) });
        go(at - 1);
        setProblem(
          answer.timed_lines === 0
            ? "The lines of this log have no times: it is shown at its end."
            : answer.at_line === null
              ? `Nothing was printed after ${clock(moment)}; this is the last line.`
              : null,
        );
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setProblem(messageOf(error));
      },
    );
    return () => abort.abort();
  }, [path, t]);

  const [topLine, setTopLine] = useState(0);
  return (
    <Page title={title} sentence={head?.sentence ?? null} wide>
      <section class="panel panel-flush log-panel">
        <div class="log-bar">
          {files.logs.length < 2 ? (
            <span class="log-file" title={path}>
              {visible(path)}
            </span>
          ) : (
            <label>
              <span class="visually-hidden">Log</span>
              <select
                value={path}
                onChange={(event) =>
                  set({ path: event.currentTarget.value, line: null, t: null, follow: null })
                }
              >
                {files.logs.map((one) => (
                  <option key={one.path} value={one.path}>
                    {one.rank === null ? "" : `Rank ${one.rank}: `}
                    {visible(one.path)} ({bytes(one.bytes)})
                  </option>
                ))}
              </select>
            </label>
          )}
          <Search
            run={run}
            path={path}
            from={selected ?? Math.floor(topLine)}
            chosen={selected === null ? null : selected + 1}
            lines={head?.lines ?? 0}
            onFound={(at) => {
              set({ line: String(at + 1), t: null, follow: "0" });
              go(at);
            }}
          />
          <TimeBox head={head} onProblem={setProblem} />
          <div class="actions">
            <button
              type="button"
              aria-pressed={follows}
              title="Show new lines as they come"
              onClick={() => {
                set({ follow: follows ? "0" : "1", line: null, t: null });
                if (!follows) go(END);
              }}
            >
              Follow
            </button>
            <a
              class="button"
              href={`${apiUrl(`${base}/file`, { path })}&limit=0`}
              download={path.split("/").at(-1)}
              aria-label="Download the log"
            >
              <Icon name="download" /> Download
            </a>
          </div>
        </div>
        {problem === null ? null : (
          <p class="log-note" role="status">
            {problem}
          </p>
        )}
        {log.problem !== null && head === null ? <Failed message={log.problem} /> : null}
        {head === null && log.problem === null ? <Skeleton lines={14} /> : null}
        {head === null ? null : (
          <LogList
            log={log}
            lines={head.lines}
            timed={head.timed_lines > 0}
            selected={selected}
            jump={jump}
            follow={follows}
            hit={regex === "1" ? "" : q}
            onSelect={(at) => set({ line: String(at + 1), t: null, follow: "0" })}
            onMoved={(at, back) => {
              setTopLine(at);
              if (back && follows) set({ follow: "0" });
            }}
          />
        )}
        {selected === null || head === null || selected >= head.lines ? null : (
          <Chosen key={selected} run={run} path={path} line={selected} known={log.at(selected)} />
        )}
      </section>
    </Page>
  );
}

// Looks on the server; Enter goes on, with Shift back.
function Search({
  run,
  path,
  from,
  chosen,
  lines,
  onFound,
}: {
  readonly run: string;
  readonly path: string;
  readonly from: number; // line, from 0
  readonly chosen: number | null; // line, from 1
  readonly lines: number;
  readonly onFound: (line: number) => void;
}) {
  const { q = "", regex } = params.value;
  const [text, setText] = useState(q);
  const [found, setFound] = useState<LogMatches | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const asked = useRef<AbortController | null>(null);
  const look = (place: { readonly from: number; readonly before: boolean }, goes: boolean): void => {
    asked.current?.abort();
    const abort = new AbortController();
    asked.current = abort;
    getJson<LogMatches>(
      `runs/${encodeURIComponent(run)}/log/search`,
      { path, q, regex: regex === "1", from: Math.max(1, place.from), before: place.before },
      abort.signal,
    ).then(
      (answer) => {
        setFound(answer);
        setProblem(null);
        if (goes && answer.line !== null) onFound(answer.line - 1);
      },
      (error: unknown) => {
        if (!abort.signal.aborted) {
          setFound(null);
          setProblem(messageOf(error));
        }
      },
    );
  };
  // What is typed is looked for when the hand rests; a shared address only counts.
  useEffect(() => {
    if (text === q) return;
    const timer = setTimeout(() => set({ q: text || null }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const first = useRef(true);
  useEffect(() => {
    const typed = !first.current;
    first.current = false;
    if (q === "") {
      setFound(null);
      setProblem(null);
      return;
    }
    look({ from: from + 1, before: false }, typed);
  }, [q, regex]);
  // More of a log that grows may match.
  useEffect(() => {
    if (q !== "" && found !== null && lines !== found.lines)
      look({ from: found.line ?? 1, before: false }, false);
  }, [lines]);
  useEffect(() => () => asked.current?.abort(), []);
  useEffect(() => {
    const slash = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement | null;
      if (event.key !== "/" || target?.closest("input, textarea, select")) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    addEventListener("keydown", slash);
    return () => removeEventListener("keydown", slash);
  }, []);
  const next = (before: boolean): void => look({ from: before ? from + 1 : from + 2, before }, true);
  const count =
    problem !== null
      ? problem
      : q === "" || found === null
        ? ""
        : found.total === 0
          ? "no line matches"
          : `${found.line === chosen ? `${found.place?.toLocaleString("en-US")} of ` : ""}${found.total.toLocaleString("en-US")}${found.cut ? " or more" : ""} ${plural(found.total, "line")}`;
  return (
    <search class="log-search">
      <input
        ref={box}
        type="search"
        value={text}
        placeholder="Search the log"
        aria-label="Search the log"
        aria-invalid={problem !== null}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (text !== q) set({ q: text || null });
          else if (q !== "") next(event.shiftKey);
        }}
      />
      <button
        type="button"
        aria-pressed={regex === "1"}
        title="As a regular expression (RE2)"
        onClick={() => set({ regex: regex === "1" ? null : "1" })}
      >
        .*
      </button>
      <button type="button" disabled={q === ""} aria-label="Previous match" onClick={() => next(true)}>
        ↑
      </button>
      <button type="button" disabled={q === ""} aria-label="Next match" onClick={() => next(false)}>
        ↓
      </button>
      <span class={problem === null ? "muted log-count" : "log-count log-wrong"} aria-live="polite">
        {count}
      </span>
    </search>
  );
}

function TimeBox({
  head,
  onProblem,
}: {
  readonly head: LogLines | null;
  readonly onProblem: (problem: string | null) => void;
}) {
  const [text, setText] = useState("");
  if (head === null || head.first_ns === null || head.last_ns === null) return null;
  const [from, to] = [msOf(head.first_ns), msOf(head.last_ns)];
  return (
    <input
      class="log-at"
      type="text"
      value={text}
      placeholder={clock(from, 0)}
      aria-label="Go to a time"
      title={`Go to a time, from ${clock(from, 0)} (${utc(from)}) to ${clock(to, 0)}`}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        const at = typedMoment(text, from, to);
        if (at === null)
          onProblem(`"${visible(text)}" is no time: 20:45, 20:45:01.5 or 2026-11-15 20:45:01 is.`);
        else set({ t: momentText(at), line: null, follow: "0" });
      }}
    />
  );
}

// The line as a whole, with the way to that moment of the run.
function Chosen({
  run,
  path,
  line,
  known,
}: {
  readonly run: string;
  readonly path: string;
  readonly line: number;
  readonly known: LogRow | null;
}) {
  const [whole, setWhole] = useState<LogRow | null>(null);
  const cut = known === null || known.bytes !== undefined;
  useEffect(() => {
    if (!cut) return;
    const abort = new AbortController();
    getJson<LogLines>(
      `runs/${encodeURIComponent(run)}/log`,
      { path, from: line + 1, limit: 1, width: 500_000 },
      abort.signal,
    ).then(
      (answer) => setWhole(answer.rows[0] ?? null),
      () => undefined, // the list says what is wrong
    );
    return () => abort.abort();
  }, [run, path, line, cut]);
  const row = whole ?? known;
  if (row === null) return null;
  const ms = row.time_ns === null ? null : msOf(row.time_ns);
  return (
    <aside class="log-chosen" aria-label={`Line ${line + 1}`}>
      <header>
        <strong>Line {(line + 1).toLocaleString("en-US")}</strong>
        {ms === null ? null : (
          <>
            <time dateTime={new Date(ms).toISOString()} title={utc(ms)}>
              {clock(ms)}
            </time>
            <a href={pageAddress("overview", { t: momentText(ms) }, ofRun(run))}>This moment of the run</a>
          </>
        )}
        {row.bytes === undefined ? null : (
          <span class="muted">the first part of {bytes(row.bytes)}; the file has all of it</span>
        )}
        <div class="actions">
          <button type="button" onClick={() => navigator.clipboard?.writeText(plainText(row.text))}>
            Copy
          </button>
          <button type="button" aria-label="Close the line" onClick={() => set({ line: null, t: null })}>
            ×
          </button>
        </div>
      </header>
      <pre>
        <LogText text={row.text} />
      </pre>
    </aside>
  );
}
