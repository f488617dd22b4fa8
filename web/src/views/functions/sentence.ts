// SPDX-License-Identifier: Apache-2.0
// The answer on top of the page of functions.
import { shortPlace } from "../../lib/place";
import { shortenMiddle, visible } from "../../lib/text";
import { percent } from "../../lib/units";
import { type FunctionsReport, plainName, valueIn } from "./data";

type Functions = NonNullable<FunctionsReport["functions"]>;

export function sentenceOf({ total_ns, rows, unit }: Functions): string {
  const whole = valueIn(unit ?? "ns", total_ns);
  const top = rows.filter((row) => row.self_ns > 0).slice(0, 3);
  const parts = top.map((row, i) => {
    const place = shortPlace(row.file ?? "", row.line);
    const name = visible(shortenMiddle(plainName(row.name), 60));
    return `${percent(row.self_ns / total_ns)} in ${name}${place === "built-in" ? "" : ` (${place})`}${i === 0 ? " itself" : ""}`;
  });
  const ran = (unit ?? "ns") === "ns" ? `The profiled code ran for ${whole}` : `The profile has ${whole}`;
  return parts.length === 0 ? `${ran}.` : `${ran}: ${parts.join(", ")}.`;
}
