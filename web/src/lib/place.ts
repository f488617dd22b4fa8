// SPDX-License-Identifier: Apache-2.0
// Where a function stands in its file. Whose code it is only the server knows.

// "data.py:55"; built-ins have no place.
export function shortPlace(file: string, line: number | null): string {
  if (file === "" || file === "~") return "built-in";
  const base = file.split(/[\\/]/).pop() ?? file;
  return line === null || line === 0 ? base : `${base}:${line}`;
}
export function fullPlace(file: string, line: number | null): string {
  if (file === "" || file === "~") return "built-in";
  return line === null || line === 0 ? file : `${file}:${line}`;
}
