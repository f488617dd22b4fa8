// SPDX-License-Identifier: Apache-2.0
// A table of text with commas (RFC 4180) or tabs; the last row is left out where it was cut.

export interface CsvRows {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MOST_ROWS = 20_000;

export function parseCsv(text: string, separator: string): CsvRows {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = (): void => {
    row.push(cell);
    cell = "";
  };
  const endRow = (): void => {
    endCell();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  for (let i = 0; i < text.length && rows.length <= MOST_ROWS; ++i) {
    const c = text[i] as string;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') {
        cell += '"';
        ++i;
      } else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === separator) endCell();
    else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (cell !== "" || row.length > 0) endRow();
  const [head = [], ...rest] = rows;
  return { head, rows: rest };
}
