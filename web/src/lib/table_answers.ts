// SPDX-License-Identifier: Apache-2.0
// The sentences on top of the pages of tables.
import type { CopyRow, KernelRow, OperatorRow } from "../api/report";
import { plural, shortenMiddle, visible } from "./text";
import { bytes, count, percent, time } from "./units";

const named = (name: string): string => visible(shortenMiddle(name, 56));

export function operatorsAnswer(rows: readonly OperatorRow[]): string {
  const operators = rows.filter((row) => row.kind === "operator");
  if (operators.length === 0) return "This capture has no operators.";
  const device = operators.some((row) => row.device_self_ns > 0);
  const value = (row: OperatorRow): number => (device ? row.device_self_ns : row.host_self_ns);
  const total = rows.reduce((sum, row) => sum + value(row), 0);
  const top = operators.toSorted((a, b) => value(b) - value(a));
  const first = top[0] as OperatorRow;
  const calls = operators.reduce((sum, row) => sum + row.calls, 0);
  const five = top.slice(0, 5).reduce((sum, row) => sum + value(row), 0);
  const where = device ? "device time" : "CPU time";
  if (total <= 0)
    return `${count(operators.length)} operators in ${count(calls)} calls, none of which took any time.`;
  return (
    `${count(operators.length)} ${plural(operators.length, "operator")} in ${count(calls)} calls: ${named(first.name)} alone takes ${percent(value(first) / total)} of their ${where} ` +
    `(${time(value(first))} in ${count(first.calls)} ${plural(first.calls, "call")})${operators.length > 5 ? `, the first five ${percent(five / total)}` : ""}.`
  );
}

export function kernelsAnswer(rows: readonly KernelRow[], copies: readonly CopyRow[] | null): string {
  if (rows.length === 0) return "This capture has no kernels.";
  const total = rows.reduce((sum, row) => sum + row.total_ns, 0);
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  const first = rows.reduce((a, b) => (b.total_ns > a.total_ns ? b : a));
  const cores = rows.filter((row) => row.tensor_core).reduce((sum, row) => sum + row.total_ns, 0);
  const copied = (copies ?? []).reduce((sum, row) => sum + row.total_ns, 0);
  const parts = [
    `${count(rows.length)} ${plural(rows.length, "kernel")} ran ${count(calls)} times and took ${time(total)}; ${named(first.name)} takes ${percent(total > 0 ? first.total_ns / total : 0)} of it.`,
    `Tensor cores are used in ${percent(total > 0 ? cores / total : 0)} of kernel time.`,
  ];
  if (copied > 0) {
    const moved = (copies ?? []).reduce((sum, row) => sum + (row.bytes ?? 0), 0);
    parts.push(`Copies and sets take another ${time(copied)}${moved > 0 ? ` for ${bytes(moved)}` : ""}.`);
  }
  return parts.join(" ");
}
