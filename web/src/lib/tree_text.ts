// SPDX-License-Identifier: Apache-2.0
// How the functions of a call tree and their values are written.
import type { CallTree } from "./calltree";
import { bytes, count, time } from "./units";

// Values are times, unless the profile counts something else.
export function valueIn(unit: string, value: number): string {
  if (unit === "ns" || unit === "time") return time(value);
  if (unit === "bytes") return bytes(value);
  return `${count(value)} ${unit}`;
}

export function rangeText(tree: CallTree, node: number): string {
  const [low, high] = [tree.low[node] as number, tree.high[node] as number];
  if (low === high) return valueIn(tree.unit, high);
  if (low === 0) return `≤ ${valueIn(tree.unit, high)}`;
  return `${valueIn(tree.unit, low)} – ${valueIn(tree.unit, high)}`;
}

// "{built-in method torch.conv2d}" and torch's "<built-in method conv2d of type object>" without the wrapping.
export function plainName(name: string): string {
  return /^(<(built-in|method) .*>|\{.*\})$/.test(name) ? name.slice(1, -1) : name;
}
