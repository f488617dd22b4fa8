// SPDX-License-Identifier: Apache-2.0
// The rows of a table that are in view. Scrolling draws this part alone, and rows that leave the view on one side
// come back, with other content, on the other.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Line } from "../lib/table_model";
import { printing } from "../state/printing";
import { TableRow } from "./table_row";
import type { Shown } from "./table_types";

export const ROW = 26; // px, as in table.css
const SPARE = 6; // rows drawn above and below what is seen
const MOST_PRINTED = 1000; // about 25 pages of paper

export interface TableBodyProps<Row> {
  readonly id: string;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly lines: readonly Line[];
  readonly rows: readonly Row[];
  readonly shown: readonly Shown<Row>[];
  readonly active: number;
  readonly isClosed: (position: number, depth: number) => boolean;
  readonly isOpen?: (row: Row) => boolean;
  readonly opens: boolean;
  readonly onPick: (index: number) => void;
  readonly onToggle: (index: number) => void;
}

export function TableBody<Row>(props: TableBodyProps<Row>) {
  const { id, scroller, lines, rows, shown, active } = props;
  const [first, setFirst] = useState(0);
  const [height, setHeight] = useState(400);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const scrolled = (): void => setFirst(Math.floor(element.scrollTop / ROW));
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => element.removeEventListener("scroll", scrolled);
  }, []);

  const whole = printing.value;
  const seen = whole ? MOST_PRINTED : Math.ceil(height / ROW);
  const from = whole ? 0 : Math.max(0, Math.min(first, lines.length - seen) - SPARE);
  const to = Math.min(lines.length, whole ? MOST_PRINTED : Math.max(0, first) + seen + SPARE);
  const slots = seen + 2 * SPARE + 1;
  return (
    <div role="rowgroup" class="t-body" style={{ height: `${lines.length * ROW}px` }}>
      <div class="t-window" role="presentation" style={{ transform: `translateY(${from * ROW}px)` }}>
        {lines.slice(from, to).map((line, i) => {
          const index = from + i;
          const row = line.kind === "row" ? (rows[line.position] as Row) : null;
          return (
            <TableRow
              key={index % slots}
              id={`${id}-row-${index}`}
              line={line}
              index={index}
              rows={rows}
              shown={shown}
              active={index === active}
              selected={row !== null && (props.isOpen?.(row) ?? false)}
              closed={line.kind === "row" && line.children && props.isClosed(line.position, line.depth)}
              opens={props.opens}
              onPick={props.onPick}
              onToggle={props.onToggle}
            />
          );
        })}
      </div>
      {whole && to < lines.length ? (
        <p class="muted">
          The first {to.toLocaleString("en-US")} of {lines.length.toLocaleString("en-US")} rows.
        </p>
      ) : null}
    </div>
  );
}
