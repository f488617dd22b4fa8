// SPDX-License-Identifier: Apache-2.0
// The sentence on top of a page: the one that the server makes for the report, the same as in the terminal.
import type { ReportHead } from "../state/report";

export function answerOf(
  report: ReportHead & { readonly answer?: string | null },
  otherwise: () => string,
): string {
  return report.answer || otherwise();
}
