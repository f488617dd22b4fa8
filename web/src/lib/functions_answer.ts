// SPDX-License-Identifier: Apache-2.0
// The sentence on top of a profile of functions.
import type { FunctionsSection } from "../api/report";
import { shortenMiddle, visible } from "./text";
import { time } from "./units";

export function functionsAnswer({ total_ns, rows }: FunctionsSection): string {
  if (rows.length === 0) return "This profile holds no functions.";
  const parts = rows
    .slice(0, 3)
    .filter((row) => total_ns > 0 && row.self_ns / total_ns >= 0.05)
    .map(
      (row) =>
        `${((row.self_ns / total_ns) * 100).toFixed(0)} % in ${visible(shortenMiddle(row.name, 48))}${row.line > 0 ? ` (${visible(row.file.split(/[\\/]/).at(-1) ?? "")}:${row.line})` : ""}`,
    );
  const ran = `The profiled code ran for ${time(total_ns)}`;
  return parts.length === 0
    ? `${ran}; no single function takes 5 % of it by itself.`
    : `${ran}: ${parts.join(", ")} itself.`;
}
