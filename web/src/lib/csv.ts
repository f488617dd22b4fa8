// SPDX-License-Identifier: Apache-2.0
// Rows as text for other programs: CSV (RFC 4180), TSV for a clipboard, JSON. In the first two, a text that a
// spreadsheet would run as a formula has ' in front, as in the program's own CSV; numbers never have.

export type CellValue = number | string | boolean | null | undefined;

const isFormula = (text: string): boolean =>
  /^[=+\-@\t\r\n]/.test(text) && !/^-\d+(\.\d*)?(e[+-]?\d+)?$/i.test(text);

function plain(value: CellValue): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && isFormula(value) ? `'${value}` : String(value);
}

function quoted(value: CellValue): string {
  const text = plain(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toCsv(header: readonly string[], rows: Iterable<readonly CellValue[]>): string {
  const lines = [header.map(quoted).join(",")];
  for (const row of rows) lines.push(row.map(quoted).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

// A tab or line end inside a value would move every cell after it.
export function toTsv(header: readonly string[], rows: Iterable<readonly CellValue[]>): string {
  const cell = (value: CellValue): string => plain(value).replace(/[\t\r\n]+/g, " ");
  const lines = [header.map(cell).join("\t")];
  for (const row of rows) lines.push(row.map(cell).join("\t"));
  return `${lines.join("\n")}\n`;
}

export function toJson(keys: readonly string[], rows: Iterable<readonly CellValue[]>): string {
  const objects = [];
  for (const row of rows) objects.push(Object.fromEntries(keys.map((key, i) => [key, row[i] ?? null])));
  return `${JSON.stringify(objects, null, 2)}\n`;
}
