// SPDX-License-Identifier: Apache-2.0
// The five first of a long table, each leading to its place there.

import { kernelNames } from "../../../lib/kernel_names";
import { keyOf } from "../../../lib/text";
import { percent, time } from "../../../lib/units";
import { pageAddress } from "../../../state/route";
import { Name } from "../../../ui/name";

export interface TopListProps<Row> {
  readonly page: string;
  readonly rows: readonly Row[];
  readonly value: (row: Row) => number;
}

export function TopList<Row extends { readonly name: string }>({ page, rows, value }: TopListProps<Row>) {
  const total = rows.reduce((sum, row) => sum + value(row), 0);
  const top = rows
    .toSorted((a, b) => value(b) - value(a))
    .slice(0, 5)
    .filter((row) => value(row) > 0);
  const shown = kernelNames(top.map((row) => row.name));
  const largest = top[0] === undefined ? 1 : value(top[0]);
  if (top.length === 0) return <p class="muted">None in this capture.</p>;
  return (
    <ol class="top-list">
      {top.map((row) => (
        <li key={row.name}>
          <a href={pageAddress(page, { open: keyOf(row.name) })}>
            <Name
              text={row.name}
              mono={page === "kernels"}
              shown={page === "kernels" ? shown(row.name) : row.name}
            />
            <span class="num">{percent(total > 0 ? value(row) / total : 0)}</span>
            <span class="num muted">{time(value(row))}</span>
            <span class="top-bar-line" style={{ width: `${(value(row) / largest) * 100}%` }} />
          </a>
        </li>
      ))}
    </ol>
  );
}
