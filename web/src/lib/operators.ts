// SPDX-License-Identifier: Apache-2.0
// Which rows of the list of operators are work; the other annotations are names.

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly device_self_ns: number;
}

// Steps are none, which old versions of torch wrote as operators.
export const isWork = (row: Row): boolean =>
  row.device_self_ns > 0 || (row.kind === "operator" && !/^ProfilerStep#\d+$/.test(row.name));
