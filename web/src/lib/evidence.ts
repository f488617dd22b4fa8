// SPDX-License-Identifier: Apache-2.0
// The numbers a recommendation went by, named and formatted by what their names end in.
import { shortenMiddle, visible } from "./text";
import { bytes, exact, percent, time } from "./units";

export interface Evidence {
  readonly name: string;
  readonly text: string;
  readonly title: string;
}

const SHOWN_ELSEWHERE = new Set(["example_start_ns"]);

function words(key: string): string {
  const text = key.replace(/_(ns|bytes|share)$/, "").replaceAll("_", " ");
  return key === "example_offset" ? "example, byte in the file" : text;
}

export function evidenceOf(fields: Readonly<Record<string, unknown>>): readonly Evidence[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (SHOWN_ELSEWHERE.has(key) || value === null || value === undefined) return [];
    const name = words(key);
    if (typeof value === "number") {
      if (key.endsWith("_ns")) return [{ name, text: time(value), title: exact("time", value) }];
      if (key.endsWith("_bytes")) return [{ name, text: bytes(value), title: exact("bytes", value) }];
      if (key.endsWith("_share"))
        return [{ name: `${name}, share`, text: percent(value), title: exact("percent", value) }];
      const text = Number.isInteger(value) ? value.toLocaleString("en-US") : value.toFixed(2);
      return [{ name, text, title: String(value) }];
    }
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [{ name, text: visible(shortenMiddle(text, 90)), title: visible(shortenMiddle(text, 2000)) }];
  });
}
