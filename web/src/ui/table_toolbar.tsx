// SPDX-License-Identifier: Apache-2.0
// Above a table: the filter, how many rows are shown of how many, grouping, columns, copy and download.
import type { ComponentChildren, RefObject } from "preact";
import { type CellValue, toCsv, toJson, toTsv } from "../lib/csv";
import { plural } from "../lib/text";
import { Icon } from "./icon";
import { IconButton, useCopied } from "./icon_button";
import { Menu } from "./menu";
import { Download } from "./page";
import type { Column } from "./table_types";

export interface ToolbarProps<Row> {
  readonly name: string; // of files
  readonly columns: readonly Column<Row>[];
  readonly chosen: readonly string[]; // keys of the columns shown
  readonly leftOut: number; // columns that there is no room for
  readonly group: string | null;
  readonly filter: string;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly total: number;
  readonly matching: number;
  readonly what: readonly [string, string];
  readonly tree: boolean;
  readonly note?: ComponentChildren;
  readonly extra?: ComponentChildren;
  readonly content: () => readonly (readonly CellValue[])[]; // of all columns, rows as shown
  readonly onFilter: (text: string) => void;
  readonly onGroup: (key: string | null) => void;
  readonly onColumns: (keys: readonly string[]) => void;
  readonly onGrid: () => void;
}

export function TableToolbar<Row>(props: ToolbarProps<Row>) {
  const { columns, chosen, group, filter, total, matching, what, name } = props;
  const [copied, copy] = useCopied();
  const keys = columns.map((c) => c.key);
  const groupable = columns.filter((c) => c.quantity === "text");
  const toggle = (key: string): void =>
    props.onColumns(
      chosen.includes(key)
        ? chosen.filter((k) => k !== key)
        : keys.filter((k) => k === key || chosen.includes(k)),
    );
  const many = plural(total, what[0], what[1]);
  return (
    <div class="t-toolbar">
      <label class="t-filter">
        <Icon name="search" />
        <input
          type="search"
          placeholder={`Filter ${what[1]}`}
          aria-label={`Filter ${what[1]}`}
          value={filter}
          ref={props.input}
          onInput={(event) => props.onFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && filter !== "") {
              props.onFilter("");
              event.stopPropagation();
            } else if (event.key === "ArrowDown" || event.key === "Enter") {
              event.preventDefault();
              props.onGrid();
            }
          }}
        />
      </label>
      <span class="muted t-rows" aria-live="polite">
        {matching === total
          ? `${total.toLocaleString("en-US")} ${many}`
          : `${matching.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} ${many}`}
        {props.leftOut === 0 ? null : (
          <span class="t-note" title="The window is too narrow for them; choose them under Columns">
            {props.leftOut} more {plural(props.leftOut, "column")}
          </span>
        )}
        {props.note === undefined ? null : <span class="t-note">{props.note}</span>}
      </span>
      <div class="actions">
        {props.extra}
        {props.tree || groupable.length < 2 ? null : (
          <Menu
            label="Group"
            title="Group"
            icon="group"
            items={[
              { label: "No groups", checked: group === null, action: () => props.onGroup(null) },
              ...groupable.map((c) => ({
                label: `By ${c.title.toLowerCase()}`,
                checked: group === c.key,
                action: () => props.onGroup(c.key),
              })),
            ]}
          />
        )}
        <Menu
          label="Columns"
          title="Columns"
          icon="columns"
          items={columns.slice(1).map((c) => ({
            label: c.title,
            checked: chosen.includes(c.key),
            keepOpen: true,
            action: () => toggle(c.key),
          }))}
        />
        <IconButton
          icon={copied ? "check" : "copy"}
          class=""
          label="Copy"
          title="Copy the rows shown as tab-separated text"
          onClick={() => copy(toTsv(keys, props.content()))}
        >
          <span class="button-label">{copied ? "Copied" : "Copy"}</span>
        </IconButton>
        <Download
          items={[
            { label: "CSV", file: `${name}.csv`, type: "text/csv", make: () => toCsv(keys, props.content()) },
            {
              label: "JSON",
              file: `${name}.json`,
              type: "application/json",
              make: () => toJson(keys, props.content()),
            },
          ]}
        />
      </div>
    </div>
  );
}
