// SPDX-License-Identifier: Apache-2.0
// The rows of the table of runs that are in view, and the keys that work on them.
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../../../api/runs";
import { columnKey, columnTitle, type RunColumn, sortName } from "../../../lib/runs/run_columns";
import { visible } from "../../../lib/text";
import { ofRun, open, pageAddress } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { Name } from "../../../ui/name";
import { CellEditor, type Field } from "../shared/cell_editor";
import { edit } from "../shared/edits";
import { StatusDot, Swatch } from "../shared/run_link";
import { cell, exactText, isNumeric } from "./cells";
import type { Paged } from "./paged";

export const ROW = 28; // px, as in table.css of this folder
const SPARE = 8;

const WIDTHS: Readonly<Record<string, string>> = {
  progress: "minmax(292px, 320px)",
  started: "190px",
  duration: "104px",
  tags: "minmax(110px, 160px)",
  note: "minmax(140px, 1fr)",
  path: "minmax(200px, 1fr)",
};
// A title takes two lines; its longest word has to fit.
const wordWidth = (title: string): number => {
  const longest = Math.max(...title.split(/[\s/_.-]+/).map((word) => word.length + 1));
  return Math.min(150, Math.max(84, Math.ceil(26 + 7.6 * longest)));
};
// It breaks behind what joins words.
const Breakable = ({ text }: { readonly text: string }) => (
  <span>
    {text.split(/(?<=[/_.-])(?=.)/).map((part, i) => (
      <Fragment key={i}>
        {i > 0 ? <wbr /> : null}
        {part}
      </Fragment>
    ))}
  </span>
);
const widthOf = (column: RunColumn): string =>
  column.kind === "fact"
    ? (WIDTHS[column.name] ?? "120px")
    : column.kind === "spark"
      ? "118px"
      : `minmax(${wordWidth(columnTitle(column))}px, 150px)`;
const leastOf = (width: string): number => Number(/(\d+)px/.exec(width)?.[1] ?? 100);

export interface GridProps {
  readonly columns: readonly RunColumn[];
  readonly paged: Paged;
  readonly sort: string;
  readonly group: RunColumn | null;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onSort: (sort: string) => void;
}

const groupText = (run: Run, by: RunColumn): string => String(run.config[by.name] ?? "–");

export function RunGrid({ columns, paged, sort, group, selected, onSelect, onSort }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const [height, setHeight] = useState(600);
  const [active, setActive] = useState(-1);
  const [editing, setEditing] = useState<{ id: string; field: Field } | null>(null);
  const anchor = useRef(-1);
  const total = paged.head?.total ?? 0;

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => {
      setFirst(Math.floor(element.scrollTop / ROW));
      setHeight(element.clientHeight);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const from = Math.max(0, first - SPARE);
  const to = Math.min(total, first + Math.ceil(height / ROW) + SPARE);
  useEffect(() => paged.see(from, Math.max(from, to - 1)), [from, to]);

  const move = (next: number): void => {
    const index = Math.max(0, Math.min(total - 1, next));
    setActive(index);
    const element = scroller.current;
    if (element === null) return;
    const top = index * ROW;
    const room = element.clientHeight - ROW - 8;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW > element.scrollTop + room) element.scrollTop = top + ROW - room;
  };
  const toggle = (index: number, range: boolean): void => {
    const next = new Set(selected);
    const run = paged.at(index);
    if (run === null) return;
    if (range && anchor.current >= 0) {
      const [a, b] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      for (let i = a; i <= b; ++i) {
        const between = paged.at(i);
        if (between) next.add(between.id);
      }
    } else if (!next.delete(run.id)) next.add(run.id);
    anchor.current = index;
    onSelect(next);
  };
  const done = (): void => {
    setEditing(null);
    scroller.current?.focus();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const run = paged.at(active);
    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: total - 1,
    };
    const fields: Readonly<Record<string, Field>> = { e: "name", t: "tags", n: "note" };
    const next = moves[event.key];
    const field = fields[event.key];
    if (next !== undefined) move(next);
    else if (run === null) return;
    else if (event.key === "Enter") open(pageAddress("overview", {}, ofRun(run.id)));
    else if (event.key === " ") toggle(active, event.shiftKey);
    else if (field !== undefined) setEditing({ id: run.id, field });
    else if (event.key === "p") edit([run], { pinned: !run.pinned });
    else if (event.key === "h") edit([run], { hidden: !run.hidden });
    else if (event.key === "Delete") edit([run], { deleted: !run.deleted });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const shown = group === null ? columns : columns.filter((c) => columnKey(c) !== columnKey(group));
  const widths = [
    "34px",
    ...(group === null ? [] : ["120px"]),
    "minmax(220px, 1.4fr)",
    ...shown.map(widthOf),
  ];
  const known = [...Array(to - from).keys()].map((i) => paged.at(from + i)).filter((run) => run !== null);
  // A column of numbers is aligned as one, also where a run has none.
  const numbers = new Set(
    shown.filter(
      (c) =>
        isNumeric(c) || (c.kind === "config" && known.some((run) => typeof run.config[c.name] === "number")),
    ),
  );
  const heads: readonly {
    readonly key: string;
    readonly title: string;
    readonly sort: string | null;
    readonly num: boolean;
  }[] = [
    ...(group === null ? [] : [{ key: "group", title: columnTitle(group), sort: null, num: false }]),
    { key: "name", title: "Name", sort: "name", num: false },
    ...shown.map((c) => ({
      key: columnKey(c),
      title: columnTitle(c),
      sort: sortName(c),
      num: numbers.has(c),
    })),
  ];
  const allSelected = known.length > 0 && known.every((run) => selected.has(run.id));

  return (
    <div
      class="t-grid runs-grid"
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label="Runs"
      aria-rowcount={total + 1}
      aria-colcount={heads.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={active >= from && active < to ? `run-row-${active}` : undefined}
      style={{
        "--cols": widths.join(" "),
        "--name": group === null ? "34px" : "154px",
        "--least": `${widths.reduce((sum, width) => sum + leastOf(width), 0)}px`,
      }}
      onKeyDown={keys}
    >
      <div class="t-inner">
        <div role="rowgroup" class="t-head">
          <div role="row" class="t-row" aria-rowindex={1}>
            <div role="columnheader" class="t-cell runs-check">
              <input
                type="checkbox"
                aria-label={allSelected ? "Select none" : "Select all in view"}
                checked={allSelected}
                onChange={() =>
                  onSelect(allSelected ? new Set() : new Set([...selected, ...known.map((r) => r.id)]))
                }
              />
            </div>
            {heads.map((head) => {
              const order =
                sort === head.sort ? "ascending" : sort === `-${head.sort}` ? "descending" : "none";
              return (
                <div
                  role="columnheader"
                  key={head.key}
                  class={`t-cell${head.num ? " t-num" : ""}${head.key === "name" ? " runs-name" : ""}`}
                  data-column={head.key}
                  aria-sort={order}
                >
                  {head.sort === null ? (
                    <span class="runs-head" title={head.title}>
                      {head.title}
                    </span>
                  ) : (
                    <button
                      type="button"
                      title={head.title}
                      onClick={() => onSort(order === "ascending" ? `-${head.sort}` : (head.sort ?? ""))}
                    >
                      <Breakable text={head.title} />
                      {order === "none" ? null : (
                        <span class="t-sort">{order === "ascending" ? "↑" : "↓"}</span>
                      )}
                    </button>
                  )}
                </div>
              );
            })}
          </div>
        </div>
        <div role="rowgroup" class="t-body" style={{ height: `${total * ROW}px` }}>
          <div class="t-window" role="presentation" style={{ transform: `translateY(${from * ROW}px)` }}>
            {[...Array(to - from).keys()].map((i) => {
              const index = from + i;
              const run = paged.at(index);
              if (run === null)
                return (
                  <div role="row" key={index} class="t-row" aria-rowindex={index + 2} aria-busy="true">
                    <div role="gridcell" class="t-cell" />
                    <div role="gridcell" class="t-cell">
                      <span class="bone runs-bone" />
                    </div>
                  </div>
                );
              const before = index > 0 ? paged.at(index - 1) : null;
              const begins =
                group !== null && (before === null || groupText(before, group) !== groupText(run, group));
              const isSelected = selected.has(run.id);
              const editor = (field: Field) =>
                editing?.id === run.id && editing.field === field ? (
                  <CellEditor run={run} field={field} onDone={done} />
                ) : null;
              return (
                <div
                  role="row"
                  id={`run-row-${index}`}
                  key={run.id}
                  aria-rowindex={index + 2}
                  aria-selected={isSelected}
                  class={`t-row${index === active ? " t-active" : ""}${isSelected ? " t-selected" : ""}${run.hidden || run.deleted ? " runs-hidden" : ""}${begins && index > 0 ? " runs-begins" : ""}`}
                >
                  <div role="gridcell" class="t-cell runs-check">
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={`Select ${run.title}`}
                      checked={isSelected}
                      onClick={(event) => toggle(index, event.shiftKey)}
                    />
                  </div>
                  {group === null ? null : (
                    <div role="gridcell" class="t-cell runs-group">
                      {begins ? <Name text={groupText(run, group)} /> : null}
                    </div>
                  )}
                  <div
                    role="gridcell"
                    class="t-cell runs-name"
                    onDblClick={() => setEditing({ id: run.id, field: "name" })}
                  >
                    {editor("name") ?? (
                      <>
                        <StatusDot status={run.status} />
                        <Swatch run={run} />
                        <a href={pageAddress("overview", {}, ofRun(run.id))} tabIndex={-1}>
                          <Name text={run.title} />
                        </a>
                        {run.title === run.name ? null : (
                          <span class="muted runs-folder" title="Its folder">
                            {visible(run.name)}
                          </span>
                        )}
                        {run.pinned ? (
                          <span class="runs-pin" title="Pinned">
                            <Icon name="pin" />
                          </span>
                        ) : null}
                      </>
                    )}
                  </div>
                  {shown.map((column) => {
                    const field =
                      column.kind === "fact" && (column.name === "tags" || column.name === "note")
                        ? column.name
                        : null;
                    return (
                      <div
                        role="gridcell"
                        key={columnKey(column)}
                        class={numbers.has(column) ? "t-cell t-num" : "t-cell"}
                        title={exactText(run, column)}
                        onDblClick={field === null ? undefined : () => setEditing({ id: run.id, field })}
                      >
                        {(field === null ? null : editor(field)) ?? cell(run, column)}
                      </div>
                    );
                  })}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
