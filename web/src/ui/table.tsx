// SPDX-License-Identifier: Apache-2.0
// A table of any length. Only the rows in view are in the page. Order, filter, groups and columns are in the
// address, with the table's id before them; the arrow keys move, Enter opens, letters filter.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { clicked, parseSort, sortText } from "../lib/sort";
import { columnsThatFit, columnTracks, type Extent, leastWidth } from "../lib/table_layout";
import { flatLines, groupedLines, haystacks, type Line, matching, treeLines } from "../lib/table_model";
import { columnFormat } from "../lib/units";
import { params, set } from "../state/route";
import { ROW, TableBody } from "./table_body";
import { TableToolbar } from "./table_toolbar";
import type { Column, Shown, TableProps } from "./table_types";

export type { Column, TableProps } from "./table_types";

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Shown<Row> {
  if (column.quantity === "text") return { column, format: null, largest: 0 };
  // A share is one of the whole.
  let largest = column.quantity === "percent" ? 1 : 0;
  for (const row of rows) {
    const value = column.value(row);
    if (typeof value === "number" && Math.abs(value) > largest) largest = Math.abs(value);
  }
  return { column, format: columnFormat(column.quantity, largest), largest };
}

const extentOf = <Row,>({ column, format, largest }: Shown<Row>): Extent => ({
  title: column.title,
  unit: format?.unit ?? "",
  longest: format === null ? null : `${column.signed ? "+" : ""}${format.text(largest)}`,
  width: column.width ?? null,
  fixed: column.whole ?? column.cell !== undefined,
  spare: column.spare ?? 0,
  symbols: column.mono ?? false,
});

// A column without a single value is there for who asks for it.
const holdsAnything = <Row,>({ value }: Column<Row>, rows: readonly Row[]): boolean =>
  rows.length === 0 || rows.some((row) => (value(row) ?? null) !== null);

export function Table<Row>(props: TableProps<Row>) {
  const { id, columns, rows, maxRows = 16, fill = false, what = ["row", "rows"], depth, onOpen } = props;
  const address = params.value;
  const sortParam = address[`${id}.sort`] ?? props.sort ?? "";
  const filter = address[`${id}.q`] ?? "";
  const group = depth ? null : (address[`${id}.group`] ?? null);
  const columnsParam = address[`${id}.cols`];

  const [twisted, setTwisted] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(-1);
  const scroller = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);

  const sort = useMemo(() => parseSort(sortParam), [sortParam]);
  const wanted = useMemo(() => {
    const asked = columnsParam?.split(",");
    // What groups stands at the head of each group.
    const list = columns.filter(
      (c, i) =>
        i === 0 || ((asked ? asked.includes(c.key) : !c.hidden && holdsAnything(c, rows)) && c.key !== group),
    );
    return list.map((c) => {
      const like = columns.find((other) => other.key === c.like);
      return like ? { ...measured(like, rows), column: c } : measured(c, rows);
    });
  }, [columns, columnsParam, rows, group]);
  // Columns that someone chose, or sorts by, are there however narrow the window is.
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  const spares = columns.some((c) => c.spare !== undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !spares) return;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    setRoom(element.clientWidth);
    return () => observer.disconnect();
  }, [spares]);
  const fits = useMemo(
    () =>
      columnsParam !== undefined
        ? ""
        : columnsThatFit(
            wanted.map((s) => ({
              ...extentOf(s),
              ...(sort.some(({ key }) => key === s.column.key) ? { spare: 0 } : {}),
            })),
            room,
          )
            .map((fit) => (fit ? "1" : "0"))
            .join(""),
    [wanted, columnsParam, sort, room],
  );
  const shown = useMemo(() => wanted.filter((_, i) => fits[i] !== "0"), [wanted, fits]);
  const chosen = useMemo(() => {
    const keys = shown.map((s) => s.column.key);
    return group === null || keys.includes(group) ? keys : [...keys, group];
  }, [shown, group]);
  const columnsStyle = useMemo(() => {
    const extents = shown.map(extentOf);
    return { "--cols": columnTracks(extents), "--least": `${leastWidth(extents)}px` };
  }, [shown]);
  const haystack = useMemo(() => haystacks(rows, columns), [rows, columns]);
  const found = useMemo(() => matching(rows.length, filter, haystack), [rows, filter, haystack]);

  const openDepth = props.openDepth ?? Number.POSITIVE_INFINITY;
  const isClosed = (position: number, level: number): boolean =>
    filter === "" && twisted.has(String(position)) !== level >= openDepth;
  const lines = useMemo<readonly Line[]>(() => {
    const by = columns.find((c) => c.key === group);
    if (depth) return treeLines(rows, columns, found, sort, depth, isClosed);
    if (by) return groupedLines(rows, columns, found, sort, by, twisted);
    return flatLines(rows, columns, found, sort);
  }, [rows, columns, found, sort, group, twisted, depth]);

  // Whatever changes what is shown begins at the top.
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0;
    setActive(-1);
  }, [filter, sortParam, group, rows]);

  const toggle = (index: number): void => {
    const line = lines[index];
    if (!line) return;
    const key = line.kind === "group" ? line.name : String(line.position);
    const next = new Set(twisted);
    if (!next.delete(key)) next.add(key);
    setTwisted(next);
  };
  const pick = (index: number): void => {
    setActive(index);
    const line = lines[index];
    if (!line) return;
    if (line.kind === "group") toggle(index);
    else if (onOpen) onOpen(rows[line.position] as Row);
    else if (line.children) toggle(index);
  };
  // Rows keep the functions they were drawn with: these lead to the newest ones.
  const actions = useRef({ pick, toggle });
  actions.current = { pick, toggle };
  const picked = useCallback((index: number) => actions.current.pick(index), []);
  const toggled = useCallback((index: number) => actions.current.toggle(index), []);

  const move = (to: number): void => {
    const index = Math.max(0, Math.min(lines.length - 1, to));
    setActive(index);
    const element = scroller.current;
    if (!element) return;
    const top = index * ROW;
    const head = element.querySelector<HTMLElement>(".t-head")?.offsetHeight ?? ROW;
    const room = element.clientHeight - head;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW > element.scrollTop + room) element.scrollTop = top + ROW - room;
  };

  const keys = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW) - 2);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: lines.length - 1,
    };
    const next = moves[event.key];
    const line = lines[active];
    if (event.ctrlKey || event.metaKey) return;
    if (next !== undefined) move(next);
    else if (event.key === "Enter") pick(active);
    else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && line) {
      const open = line.kind === "group" ? line.open : line.children && !isClosed(line.position, line.depth);
      if (open !== (event.key === "ArrowRight")) toggle(active);
    } else if (event.key.length === 1 && event.key !== " " && event.key !== "?" && input.current) {
      input.current.focus();
      set({ [`${id}.q`]: filter + event.key });
    } else return;
    event.preventDefault();
  };

  const content = () =>
    lines.flatMap((line) =>
      (line.kind === "row" ? [line.position] : line.open ? [] : line.positions).map((p) =>
        columns.map((c) => c.value(rows[p] as Row)),
      ),
    );
  const activeId = active >= 0 && active < lines.length ? `${id}-row-${active}` : undefined;

  return (
    <div class="t">
      {props.toolbar === false ? null : (
        <TableToolbar
          name={id}
          columns={columns}
          chosen={chosen}
          leftOut={wanted.length - shown.length}
          group={group}
          filter={filter}
          input={input}
          total={rows.length}
          matching={found.length}
          what={what}
          tree={depth !== undefined}
          note={props.note}
          extra={props.extra}
          content={content}
          onFilter={(text) => set({ [`${id}.q`]: text })}
          onGroup={(key) => set({ [`${id}.group`]: key })}
          onColumns={(list) => set({ [`${id}.cols`]: list.join(",") })}
          onGrid={() => {
            scroller.current?.focus();
            move(0);
          }}
        />
      )}
      <div
        class="t-grid"
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={lines.length + 1}
        aria-colcount={shown.length}
        aria-activedescendant={activeId}
        style={{
          maxHeight: fill ? "max(300px, calc(100vh - 250px))" : `${(Math.max(1, maxRows) + 1) * ROW + 14}px`,
          ...columnsStyle,
        }}
        onKeyDown={keys}
      >
        <div class="t-inner">
          <Head id={id} shown={shown} sort={sort} />
          {lines.length === 0 ? (
            <p class="t-none muted">
              {rows.length === 0 ? `No ${what[1]}.` : `No ${what[0]} matches “${filter}”.`}
            </p>
          ) : null}
          <TableBody
            id={id}
            scroller={scroller}
            lines={lines}
            rows={rows}
            shown={shown}
            active={active}
            isClosed={isClosed}
            {...(props.isOpen === undefined ? {} : { isOpen: props.isOpen })}
            opens={onOpen !== undefined}
            onPick={picked}
            onToggle={toggled}
          />
        </div>
      </div>
    </div>
  );
}

interface HeadProps<Row> {
  readonly id: string;
  readonly shown: readonly Shown<Row>[];
  readonly sort: ReturnType<typeof parseSort>;
}

function Head<Row>({ id, shown, sort }: HeadProps<Row>) {
  return (
    <div role="rowgroup" class="t-head">
      <div role="row" class="t-row" aria-rowindex={1} tabIndex={-1}>
        {shown.map(({ column, format }) => {
          const at = sort.findIndex((s) => s.key === column.key);
          const key = sort[at];
          const order = key ? (key.descending ? "descending" : "ascending") : "none";
          return (
            <div
              key={column.key}
              role="columnheader"
              data-column={column.key}
              tabIndex={-1}
              aria-sort={order}
              class={format === null ? "t-cell" : "t-cell t-num"}
              title={column.help}
            >
              <button
                type="button"
                onClick={(event) =>
                  set({
                    [`${id}.sort`]: sortText(clicked(sort, column.key, format !== null, event.shiftKey)),
                  })
                }
              >
                {column.title}
                {format !== null && format.unit !== "" ? <span class="t-unit"> {format.unit}</span> : null}
                {key ? (
                  <span class="t-sort">
                    {key.descending ? "▾" : "▴"}
                    {at > 0 ? at + 1 : ""}
                  </span>
                ) : null}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
