// SPDX-License-Identifier: Apache-2.0
// The tables and columns a query can use. A click puts a name into the query.

import { useJson } from "../../../state/resource";
import { Load } from "../../../ui/page";

interface SchemaTable {
  readonly table: string;
  readonly meaning: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly meaning: string }[];
}

type SchemaDocument = readonly SchemaTable[] | { readonly tables: readonly SchemaTable[] };

const tablesOf = (document: SchemaDocument): readonly SchemaTable[] =>
  "tables" in document ? document.tables : document;

export function Schema({ onInsert }: { readonly onInsert: (word: string) => void }) {
  const schema = useJson<SchemaDocument>("schema");
  return (
    <aside class="panel query-schema" aria-label="Tables and columns">
      <h2>Tables</h2>
      <Load of={schema} lines={10}>
        {(data) =>
          tablesOf(data).map((table) => (
            <details key={table.table}>
              <summary title={table.meaning}>
                <code>{table.table}</code> <span class="muted">{table.meaning}</span>
              </summary>
              <ul>
                {table.columns.map((column) => (
                  <li key={column.name}>
                    <button
                      type="button"
                      class="plain small"
                      title={column.meaning}
                      onClick={() => onInsert(column.name)}
                    >
                      <code>{column.name}</code>
                    </button>
                    <span class="muted">{column.meaning}</span>
                  </li>
                ))}
              </ul>
            </details>
          ))
        }
      </Load>
    </aside>
  );
}
