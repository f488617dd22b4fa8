// SPDX-License-Identifier: Apache-2.0
// What to try: each rule that applies, with the numbers it went by, its threshold and the remedy.
import type { Recommendation } from "../../../api/report";
import { evidenceOf } from "../../../lib/evidence";
import { visible } from "../../../lib/text";
import { writeEvent } from "../../../lib/timeline_url";
import { timelineAddress } from "../../../state/clock";
import type { ReportHead } from "../../../state/report";
import type { Resource } from "../../../state/resource";
import { Panel, together } from "../../../ui/page";
import "./recommendations.css";
import type { Params } from "../../../state/route";

const SEVERITY = { high: "High", medium: "Medium", low: "Low" } as const;

// The remedy is part of the text; it is shown by itself.
function without(text: string, remedy: string): string {
  return remedy === "" ? text : text.replace(remedy, "").replaceAll("  ", " ").trim();
}

// One rule may speak of another.
const byTitles = (text: string, rows: readonly Recommendation[]): string =>
  rows.reduce(
    (said, { rule, title }) => (rule.includes("_") ? said.replaceAll(rule, `“${title}”`) : said),
    text,
  );

// What was found, what to do about it, and the numbers it went by.
export function Advice({
  of: row,
  all,
}: {
  readonly of: Recommendation;
  readonly all: readonly Recommendation[];
}) {
  return (
    <>
      <p>{together(visible(byTitles(without(row.text, row.remedy), all)))}</p>
      {row.remedy === "" ? null : (
        <p class="advice-remedy">
          <strong>Try</strong> {visible(row.remedy)}
        </p>
      )}
      <details>
        <summary>Evidence</summary>
        <dl class="evidence">
          {evidenceOf(row.evidence).map(({ name, text, title }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={title}>{text}</dd>
            </div>
          ))}
        </dl>
        <p class="muted">Rule: {row.threshold}</p>
      </details>
    </>
  );
}

export function Recommendations({
  rows,
  origin,
}: {
  readonly rows: readonly Recommendation[];
  readonly origin: number | null;
}) {
  if (rows.length === 0) return <p class="muted">No rule found anything to improve in this capture.</p>;
  return (
    <ul class="advice">
      {rows.map((row) => {
        const start = row.evidence.example_start_ns;
        const event: Params = row.example === null ? {} : { event: writeEvent(row.example) };
        const example = typeof start === "number" ? timelineAddress(origin, start, 2e6, event) : undefined;
        return (
          <li key={`${row.rule} ${row.what}`} class={`advice-card advice-${row.severity}`}>
            <header>
              <span class={`badge badge-${row.severity}`}>{SEVERITY[row.severity]}</span>
              <h3>{row.title}</h3>
              {example === undefined ? null : (
                <a class="advice-example" href={example}>
                  Show an example
                </a>
              )}
            </header>
            <Advice of={row} all={rows} />
          </li>
        );
      })}
    </ul>
  );
}

// The end of a page: what the rules of its view found, but for what stands elsewhere.
export function Findings({
  of,
  origin,
  but = () => false,
}: {
  readonly of: Resource<ReportHead>;
  readonly origin: number | null;
  readonly but?: (row: Recommendation) => boolean;
}) {
  const rows = (of.data?.recommendations ?? []).filter((row) => !but(row));
  if (rows.length === 0) return null;
  return (
    <Panel title="What to try">
      <Recommendations rows={rows} origin={origin} />
    </Panel>
  );
}
