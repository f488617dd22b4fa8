// SPDX-License-Identifier: Apache-2.0
// The lines of a log that are in view. Any number of them: only what is seen is in the page, and above some height a
// pixel of the scroll bar stands for more than one of the list (lib/runs/log_window.ts).
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LogRow } from "../../../api/runs";
import { classOf, marked, pieces } from "../../../lib/runs/ansi";
import {
  drawn,
  endOf,
  heightOf,
  isScaled,
  isSeen,
  ROW,
  scrollOf,
  topAt,
  topFor,
} from "../../../lib/runs/log_window";
import { clock, msOf, utc } from "../../../lib/runs/moments";
import { bytes } from "../../../lib/units";
import type { HeldLog } from "./use_log";

export interface Jump {
  readonly line: number; // from 0; beyond the last: the end
  readonly number: number; // each jump has its own
}

interface LogListProps {
  readonly log: HeldLog;
  readonly lines: number;
  readonly timed: boolean;
  readonly selected: number | null; // from 0
  readonly jump: Jump;
  readonly follow: boolean;
  readonly hit: string; // text to mark in lines that match
  readonly onSelect: (line: number) => void;
  readonly onMoved: (line: number, byHand: boolean) => void;
}

export function LogList(props: LogListProps) {
  const { log, lines, timed, selected, jump, follow, hit, onSelect, onMoved } = props;
  const scroller = useRef<HTMLElement>(null);
  const [height, setHeight] = useState(600);
  const [, redraw] = useState(0);
  const top = useRef(0); // first line in view, with its fraction
  const expected = useRef(-1); // where we scrolled to ourselves
  const view = { lines, height };

  const place = (next: number): void => {
    const element = scroller.current;
    top.current = Math.max(0, Math.min(endOf(view), next));
    if (element !== null) {
      element.scrollTop = scrollOf(view, top.current);
      expected.current = element.scrollTop;
    }
    redraw((n) => n + 1);
  };
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Where somebody wants to be; again when it is known how much there is.
  const known = lines > 0;
  useLayoutEffect(() => {
    if (!known) return;
    place(
      jump.line >= lines
        ? endOf(view)
        : isSeen(view, top.current, jump.line)
          ? top.current
          : topFor(view, jump.line),
    );
  }, [jump.number, known, height]);
  // New lines push the view on, or leave it where it is.
  useLayoutEffect(() => {
    if (known) place(follow ? endOf(view) : top.current);
  }, [lines, follow]);

  const scrolled = (): void => {
    const element = scroller.current;
    if (element === null) return;
    if (Math.abs(element.scrollTop - expected.current) < 1) {
      expected.current = -1;
      return;
    }
    const before = top.current;
    top.current = topAt(view, element.scrollTop);
    redraw((n) => n + 1);
    onMoved(top.current, top.current < before);
  };
  // A wheel moves by lines where the scroll bar is too coarse for them.
  const wheel = (event: WheelEvent): void => {
    if (!isScaled(view) || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    event.preventDefault();
    const pixels =
      event.deltaMode === 1
        ? event.deltaY * ROW
        : event.deltaMode === 2
          ? event.deltaY * height
          : event.deltaY;
    place(top.current + pixels / ROW);
    onMoved(top.current, pixels < 0);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const moves: Readonly<Record<string, number>> = {
      PageDown: top.current + page,
      PageUp: top.current - page,
      Home: 0,
      End: endOf(view),
    };
    const next = moves[event.key];
    if (next !== undefined) {
      place(next);
      onMoved(top.current, next < endOf(view));
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const by = event.key === "ArrowDown" ? 1 : -1;
      const line =
        selected === null ? Math.ceil(top.current) : Math.max(0, Math.min(lines - 1, selected + by));
      onSelect(line);
      if (!isSeen(view, top.current, line)) place(by > 0 ? line + 1 - height / ROW : line);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // Not where somebody marked text to copy it.
  const clicked = (event: MouseEvent): void => {
    const row = (event.target as Element).closest("[data-line]");
    const line = Number(row?.getAttribute("data-line") ?? 0);
    if (line > 0 && getSelection()?.isCollapsed !== false) onSelect(line - 1);
  };

  const at = scroller.current?.scrollTop ?? 0;
  const { first, last, offset } = drawn(view, at, top.current);
  useEffect(() => log.see(first, last), [first, last, lines]);
  const digits = String(Math.max(lines, 100)).length;
  const rows: preact.ComponentChild[] = [];
  for (let line = first; line < last; ++line) {
    rows.push(
      <Line key={line} line={line} row={log.at(line)} timed={timed} selected={line === selected} hit={hit} />,
    );
  }
  return (
    <section
      class="log"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that keys move in
      tabIndex={0}
      aria-label={`Log, ${lines.toLocaleString("en-US")} lines`}
      data-lines={lines}
      data-first={Math.floor(top.current) + 1}
      style={{ "--digits": `${digits}ch`, "--row": `${ROW}px` }}
      onClick={clicked}
      onScroll={scrolled}
      onWheel={wheel}
      onKeyDown={keys}
    >
      <div class="log-space" style={{ height: `${heightOf(view)}px` }}>
        <div class="log-window" style={{ transform: `translateY(${offset}px)` }}>
          {rows}
        </div>
      </div>
    </section>
  );
}

interface LineProps {
  readonly line: number;
  readonly row: LogRow | null;
  readonly timed: boolean;
  readonly selected: boolean;
  readonly hit: string;
}

function Line({ line, row, timed, selected, hit }: LineProps) {
  const level = row?.level === undefined ? "" : ` log-${row.level}`;
  const look = `log-row${level}${row?.matches ? " log-match" : ""}${selected ? " log-selected" : ""}`;
  return (
    <div class={look} data-line={line + 1}>
      <span class="log-number">{line + 1}</span>
      {timed ? (
        <span class="log-time" title={row?.time_ns ? utc(msOf(row.time_ns)) : undefined}>
          {row?.time_ns ? clock(msOf(row.time_ns)) : ""}
        </span>
      ) : null}
      {row === null ? (
        <span class="bone log-bone" />
      ) : (
        <span class="log-text">
          <LogText text={row.text} hit={row.matches ? hit : ""} />
          {row.bytes === undefined ? null : <span class="muted"> … {bytes(row.bytes)} in all</span>}
        </span>
      )}
    </div>
  );
}

export function LogText({ text, hit = "" }: { readonly text: string; readonly hit?: string }) {
  return (
    <>
      {marked(pieces(text), hit).map((piece, i) => {
        const look = classOf(piece.style);
        if (piece.hit)
          return (
            <mark key={i} class={look === "" ? undefined : look}>
              {piece.text}
            </mark>
          );
        return look === "" ? (
          piece.text
        ) : (
          <span key={i} class={look}>
            {piece.text}
          </span>
        );
      })}
    </>
  );
}
