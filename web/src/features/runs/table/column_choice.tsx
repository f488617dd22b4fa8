// SPDX-License-Identifier: Apache-2.0
// Which columns the table of runs has: found by name, since there may be hundreds of config values and metrics.
import { useState } from "preact/hooks";
import type { RunColumns } from "../../../api/runs";
import { rank } from "../../../lib/palette";
import { columnKey, columnTitle, type RunColumn } from "../../../lib/runs/run_columns";
import { Name } from "../../../ui/name";

const SHOWN = 60;

export interface ColumnChoiceProps {
  readonly chosen: readonly RunColumn[];
  readonly offered: RunColumns | null;
  readonly facts: readonly string[];
  readonly onChange: (columns: readonly RunColumn[] | null) => void; // null: those of the beginning
}

export function ColumnChoice({ chosen, offered, facts, onChange }: ColumnChoiceProps) {
  const [text, setText] = useState("");
  const keys = new Set(chosen.map(columnKey));
  const all: readonly RunColumn[] = [
    ...chosen,
    ...facts.map((name): RunColumn => ({ kind: "fact", name })),
    ...(offered?.config ?? []).map(({ name }): RunColumn => ({ kind: "config", name })),
    ...(offered?.metrics ?? []).flatMap(({ name }): readonly RunColumn[] =>
      (["last", "min", "max", "spark"] as const).map((kind) => ({ kind, name })),
    ),
  ];
  const seen = new Set<string>();
  const entries = all.flatMap((column) => {
    const key = columnKey(column);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ name: columnTitle(column), key, column }];
  });
  const found = rank(entries, text, SHOWN);
  const toggle = (column: RunColumn): void => {
    const key = columnKey(column);
    onChange(keys.has(key) ? chosen.filter((c) => columnKey(c) !== key) : [...chosen, column]);
  };
  return (
    <div class="runs-columns">
      <input
        type="search"
        autofocus
        placeholder="Config, metric, fact …"
        aria-label="Find a column"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <ul>
        {found.map(({ key, name, column }) => (
          <li key={key}>
            <label>
              <input type="checkbox" checked={keys.has(key)} onChange={() => toggle(column)} />
              <Name text={name} />
              <span class="muted">
                {column.kind === "fact" ? "" : column.kind === "config" ? "config" : "metric"}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => onChange(null)}>
        As at the beginning
      </button>
    </div>
  );
}
