// SPDX-License-Identifier: Apache-2.0
// Ask the profile in SQL. Every query that was run is an entry of the browser's history: Back returns to it.
import { useEffect, useRef, useState } from "preact/hooks";
import { postJson, RequestError } from "../../../api/client";
import { type ApiError, isRead } from "../../../api/types";
import { versionOf } from "../../../state/profiles";
import { useReport } from "../../../state/report";
import { changed, go, params } from "../../../state/route";
import { Page, Panel, Skeleton } from "../../../ui/page";
import type { PageProps } from "../../page_props";
import { examplesFor, firstQuery } from "./examples";
import "./query.css";
import { type Answer, Result } from "./result";
import { Schema } from "./schema";

type State =
  | { readonly state: "idle" | "running" }
  | { readonly state: "done"; readonly answer: Answer }
  | { readonly state: "wrong"; readonly sql: string; readonly error: ApiError };

const LIMIT = 10_000;

function useQuery(id: string, sql: string): State {
  const [result, setResult] = useState<{ key: string; state: State }>({ key: "", state: { state: "idle" } });
  const key = `${id} ${versionOf(id)} ${sql}`;
  useEffect(() => {
    if (sql.trim() === "") return;
    const abort = new AbortController();
    postJson<Answer>(`profiles/${id}/query`, { sql, limit: LIMIT }, abort.signal).then(
      (answer) => setResult({ key, state: { state: "done", answer } }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const detail =
          error instanceof RequestError ? error.detail : { code: "page", message: String(error) };
        setResult({ key, state: { state: "wrong", sql, error: detail } });
      },
    );
    return () => abort.abort();
  }, [key]);
  if (sql.trim() === "") return { state: "idle" };
  return result.key === key ? result.state : { state: "running" };
}

export default function Query({ profile }: PageProps) {
  const examples = examplesFor(profile.kind);
  // What it holds is known once it is read, which any request brings about.
  useReport(isRead(profile) ? null : profile, "diagnostics", {}, false);
  const asked = params.value.sql ?? (isRead(profile) ? firstQuery(examples, profile.captured) : "");
  const [text, setText] = useState(asked);
  const editor = useRef<HTMLTextAreaElement>(null);
  const state = useQuery(profile.id, asked);
  useEffect(() => setText(asked), [asked]);
  const run = (sql: string): void => {
    if (sql.trim() !== "") go(changed({ sql: sql.trim() }));
  };
  const insert = (word: string): void => {
    const area = editor.current;
    if (!area) return;
    area.setRangeText(word, area.selectionStart, area.selectionEnd, "end");
    setText(area.value);
    area.focus();
  };
  const sentence =
    state.state === "done"
      ? `${state.answer.rows.length.toLocaleString("en-US")} ${state.answer.rows.length === 1 ? "row" : "rows"}${state.answer.truncated ? ` (cut off there; the query has more)` : ""} in ${(state.answer.seconds * 1000).toFixed(0)} ms.`
      : state.state === "wrong"
        ? "The query could not be run."
        : state.state === "running"
          ? null
          : asked === "" && params.value.sql === undefined
            ? null
            : "Ask anything of this profile in SQL.";
  return (
    <Page title="Query" sentence={sentence}>
      <div class="query">
        <div class="query-main">
          <Panel>
            <textarea
              ref={editor}
              class="query-editor mono"
              aria-label="SQL"
              spellcheck={false}
              rows={Math.min(14, Math.max(4, text.split("\n").length + 1))}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                  event.preventDefault();
                  run(text);
                }
              }}
            />
            <div class="query-actions">
              <button type="button" class="primary" onClick={() => run(text)}>
                Run
              </button>
              <kbd>Ctrl Enter</kbd>
              <label class="query-examples">
                <span class="visually-hidden">Examples</span>
                <select
                  value=""
                  onChange={(event) => {
                    const example = examples[Number(event.currentTarget.value)];
                    if (event.currentTarget.value !== "" && example) run(example.sql);
                  }}
                >
                  <option value="">Examples</option>
                  {examples.map((example, i) => (
                    <option key={example.title} value={i}>
                      {example.title}
                    </option>
                  ))}
                </select>
              </label>
              <span class="muted">Nothing can be changed by a query. Times are nanoseconds.</span>
            </div>
          </Panel>
          {state.state === "running" ? <Skeleton height="240px" /> : null}
          {state.state === "wrong" ? <Wrong sql={state.sql} error={state.error} /> : null}
          {state.state === "done" ? <Result answer={state.answer} /> : null}
        </div>
        <Schema onInsert={insert} />
      </div>
    </Page>
  );
}

// The server counts bytes.
function characterAt(text: string, byte: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, byte)).length;
}

// The message, and the line it is about with the place marked.
function Wrong({ sql, error }: { readonly sql: string; readonly error: ApiError }) {
  const at = error.offset === undefined ? undefined : characterAt(sql, error.offset);
  const lineStart = at === undefined ? 0 : sql.lastIndexOf("\n", Math.max(0, at - 1)) + 1;
  const end = sql.indexOf("\n", at ?? 0);
  const line = sql.slice(lineStart, end < 0 ? undefined : end);
  const mark = at === undefined ? -1 : at - lineStart;
  const word = mark < 0 ? "" : (/^\w+|^./.exec(line.slice(mark))?.[0] ?? " ");
  return (
    <div class="failed" role="alert">
      <strong>{error.message}</strong>
      {mark < 0 ? null : (
        <pre class="query-wrong">
          {line.slice(0, mark)}
          <mark>{word}</mark>
          {line.slice(mark + word.length)}
        </pre>
      )}
    </div>
  );
}
