// SPDX-License-Identifier: Apache-2.0
// The sentence on top of the annotations: which of the program's own ranges takes most.
import { plural, shortenMiddle, visible } from "./text";
import { percent, time } from "./units";

interface Row {
  readonly name: string;
  readonly calls: number;
  readonly host_total_ns: number;
  readonly step_share: number | null;
}

export function annotationsAnswer(rows: readonly Row[]): string {
  // The steps themselves are ranges, too.
  const own = rows.filter((row) => !row.name.startsWith("ProfilerStep"));
  if (own.length === 0)
    return rows.length === 0
      ? "This capture has no annotations."
      : "Only the steps themselves are annotated.";
  const top = own.reduce((a, b) => (b.host_total_ns > a.host_total_ns ? b : a));
  const share = top.step_share === null ? "" : `, ${percent(top.step_share)} of the steps`;
  return `${own.length} ${plural(own.length, "annotation")} beside the steps: ${visible(shortenMiddle(top.name, 60))} takes most, ${time(top.host_total_ns)} in ${top.calls} ${plural(top.calls, "call")}${share}.`;
}
