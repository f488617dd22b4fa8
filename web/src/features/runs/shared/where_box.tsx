// SPDX-License-Identifier: Apache-2.0
// The filter of runs: the language of `telltale runs --where`, with names completed as they are typed and the server's
// word on a mistake below it, at the place where it is.
import "./icons";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { getJson, RequestError } from "../../../api/client";
import type { RunColumns, RunList } from "../../../api/runs";
import { completed, completions } from "../../../lib/runs/where_words";
import { params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Icon } from "../../../ui/icon";
import { Name } from "../../../ui/name";

const PAUSE_MS = 200;

export function WhereBox() {
  const id = useId();
  const where = params.value.where ?? "";
  const [text, setText] = useState(where);
  const [problem, setProblem] = useState<{ message: string; offset: number | null } | null>(null);
  const [at, setAt] = useState(-1);
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const columns = useRunsJson<RunColumns>("runs/columns");
  // Back, or a link: what is in the address is what is in the box.
  const sent = useRef(where);
  useEffect(() => {
    if (where !== sent.current) {
      sent.current = where;
      setText(where);
      setProblem(null);
    }
  }, [where]);
  // What is wrong stays in the box and out of the address.
  useEffect(() => {
    if (text === where) {
      setProblem(null);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      getJson<RunList>("runs", { where: text, limit: 1 }, abort.signal).then(
        () => {
          sent.current = text;
          setProblem(null);
          set({ where: text });
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          const offset = error instanceof RequestError ? (error.detail.offset ?? null) : null;
          setProblem({ message: error instanceof Error ? error.message : String(error), offset });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, where]);

  const caret = input.current?.selectionStart ?? text.length;
  const found = open && columns.state === "ready" ? completions(text, caret, columns.data) : [];
  const take = (index: number): void => {
    const word = found[index];
    if (word === undefined) return;
    const next = completed(text, caret, word.text);
    setText(next.text);
    setAt(-1);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(next.caret, next.caret);
    });
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" && found.length > 0) setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === "ArrowUp" && at >= 0) setAt(at - 1);
    else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) take(at);
    else if (event.key === "Escape" && open && found.length > 0) setOpen(false);
    else if (event.key === "Escape" && text !== "") setText("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="where">
      <label class="where-field">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-label="Filter runs"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={at >= 0 && at < found.length ? `${id}-${at}` : undefined}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-problem`}
          placeholder="Filter runs: lr > 0.1 and val/loss < 2"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(-1);
            setOpen(true);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={keys}
        />
        {text === "" ? null : (
          <button type="button" class="plain small" aria-label="Show all runs" onClick={() => setText("")}>
            <Icon name="close" />
          </button>
        )}
      </label>
      <div class="where-list" id={`${id}-list`} role="listbox" aria-label="Names" hidden={found.length === 0}>
        {found.map((word, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          <div
            key={word.text}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(i)}
          >
            <Name text={word.text} mono />
            <span class="muted">{word.what}</span>
          </div>
        ))}
      </div>
      <div class="where-problem" id={`${id}-problem`} role="status">
        {problem === null ? null : (
          <>
            {problem.offset === null ? null : (
              <code>
                {text.slice(Math.max(0, problem.offset - 24), problem.offset)}
                <mark>{text.slice(problem.offset, problem.offset + 24) || "␣"}</mark>
              </code>
            )}{" "}
            {problem.message}
          </>
        )}
      </div>
    </div>
  );
}
