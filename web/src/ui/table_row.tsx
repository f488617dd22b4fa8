// SPDX-License-Identifier: Apache-2.0
// One line of a table: a row, or the head of a group. It is drawn anew only when something of its own changed, so
// that scrolling costs what comes into view.
import { Component, type ComponentChildren } from "preact";
import type { CellValue } from "../lib/csv";
import { type Line, sumOf } from "../lib/table_model";
import { exact } from "../lib/units";
import { Icon } from "./icon";
import { Name } from "./name";
import { adds, type Column, type Shown } from "./table_types";

export interface RowProps<Row> {
  readonly id: string;
  readonly line: Line;
  readonly index: number;
  readonly rows: readonly Row[];
  readonly shown: readonly Shown<Row>[];
  readonly active: boolean;
  readonly selected: boolean;
  readonly closed: boolean;
  readonly opens: boolean;
  readonly onPick: (index: number) => void;
  readonly onToggle: (index: number) => void;
}

interface CellProps<Row> {
  readonly of: Shown<Row>;
  readonly value: CellValue;
  readonly content: ComponentChildren;
  readonly matters?: boolean;
}

// Called, not made a component of: there are hundreds in view.
function cellOf<Row>({ of, value, content, matters = false }: CellProps<Row>) {
  const { column, format, largest } = of;
  if (format === null) {
    return (
      <div role="gridcell" class="t-cell" key={column.key}>
        {content}
      </div>
    );
  }
  const number = typeof value === "number" ? value : null;
  const change = matters && number !== null && number !== 0 ? (number > 0 ? " t-more" : " t-less") : "";
  const bar = column.bar && number !== null && number > 0 && largest > 0 ? number / largest : 0;
  return (
    <div
      role="gridcell"
      key={column.key}
      class={`t-cell t-num${bar > 0 ? " t-bar" : ""}${change}`}
      title={
        number === null || column.quantity === "text" ? "not in this capture" : exact(column.quantity, number)
      }
      style={bar > 0 ? { "--b": `${(bar * 100).toFixed(1)}%` } : undefined}
    >
      {content ??
        (column.signed && number !== null && number > 0 ? `+${format.text(number)}` : format.text(number))}
    </div>
  );
}

function textContent<Row>(column: Column<Row>, row: Row, value: CellValue): ComponentChildren {
  if (value === null || value === undefined) return <span class="muted">–</span>;
  const text = String(value);
  const name = <Name text={text} shown={column.shown?.(row) ?? text} mono={column.mono ?? false} />;
  const href = column.href?.(row);
  return href ? (
    <a class="t-link" href={href}>
      {name}
    </a>
  ) : (
    name
  );
}

export class TableRow<Row> extends Component<RowProps<Row>> {
  override shouldComponentUpdate(next: RowProps<Row>): boolean {
    const now = this.props;
    return (
      next.line !== now.line ||
      next.shown !== now.shown ||
      next.rows !== now.rows ||
      next.active !== now.active ||
      next.selected !== now.selected ||
      next.closed !== now.closed ||
      next.index !== now.index
    );
  }

  override render() {
    const { id, line, index, active, selected, onPick, opens } = this.props;
    const kind = `t-row${active ? " t-active" : ""}${selected ? " t-selected" : ""}${opens ? " t-opens" : ""}${line.kind === "group" ? " t-group" : ""}`;
    return (
      <div
        role="row"
        id={id}
        class={kind}
        aria-rowindex={index + 2}
        aria-selected={selected}
        onClick={(event) => {
          if ((event.target as Element).closest("a,button")) return;
          if (String(getSelection() ?? "") === "") onPick(index);
        }}
      >
        {line.kind === "group" ? this.group(line) : this.row(line)}
      </div>
    );
  }

  private twist(open: boolean) {
    const { index, onToggle } = this.props;
    return (
      <button
        type="button"
        class={open ? "twist twist-open" : "twist"}
        tabIndex={-1}
        aria-label={open ? "Close" : "Open"}
        onClick={() => onToggle(index)}
      >
        <Icon name="chevron" />
      </button>
    );
  }

  // As the column that it is grouped by shows it.
  private groupName(line: Line & { kind: "group" }): string {
    const { shown, rows } = this.props;
    const row = rows[line.positions[0] as number] as Row;
    const by = shown.find(({ column }) => column.shown && String(column.value(row)) === line.name);
    return by?.column.shown?.(row) ?? line.name;
  }

  private group(line: Line & { kind: "group" }) {
    const { shown, rows } = this.props;
    return shown.map((of, i) => {
      const { column } = of;
      if (i === 0) {
        return (
          <div role="gridcell" class="t-cell t-tree" key={column.key}>
            {this.twist(line.open)}
            <Name text={line.name} shown={this.groupName(line)} mono={column.mono ?? false} />
            <span class="muted t-count">{line.positions.length.toLocaleString("en-US")}</span>
          </div>
        );
      }
      const value = of.format !== null && adds(column) ? sumOf(rows, line.positions, column) : null;
      if (of.format === null || value === null)
        return <div role="gridcell" class="t-cell" key={column.key} />;
      return cellOf({ of: { ...of, largest: 0 }, value, content: null });
    });
  }

  private row(line: Line & { kind: "row" }) {
    const { shown, rows, closed } = this.props;
    const row = rows[line.position] as Row;
    return shown.map((of, i) => {
      const { column } = of;
      const value = column.value(row);
      const drawn = column.cell?.(row);
      let content = drawn ?? (of.format === null ? textContent(column, row, value) : null);
      if (i === 0 && (line.depth > 0 || line.children)) {
        content = (
          <span
            class="t-tree"
            style={{ paddingLeft: `${Math.min(line.depth, 40) * 14 + (line.children ? 0 : 18)}px` }}
          >
            {line.children ? this.twist(!closed) : null}
            {content}
          </span>
        );
      }
      return cellOf({ of, value, content, matters: column.signed?.(row) ?? false });
    });
  }
}
