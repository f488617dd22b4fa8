// SPDX-License-Identifier: Apache-2.0
// A bar for today's step, one for each cause from where the one before ended, one for what is left. Each cause is a
// link to its evidence, with what to do about it below.
import { CAUSES, type CauseRow, PATH_REGION_TITLES } from "../../../api/generated";
import type { Recommendation } from "../../../api/report";
import { columnFormat, exact, percent } from "../../../lib/units";
import { type Drop, drops } from "../../../lib/waterfall";
import { Name } from "../../../ui/name";
import { Advice } from "../shared/recommendations";
import { type Causes, isAbout } from "./data";
import "./waterfall.css";

export interface WaterfallProps {
  readonly of: Causes;
  readonly rows: readonly CauseRow[]; // of which the saving is known
  readonly advice: readonly Recommendation[];
  readonly evidence: (row: CauseRow) => string | undefined;
}

export function Waterfall({ of: causes, rows, advice, evidence }: WaterfallProps) {
  const { average_ns: today } = causes;
  const region = PATH_REGION_TITLES[causes.region];
  const left = rows.at(-1)?.left_ns ?? today;
  const bars = drops(
    today,
    rows.map((row) => row.left_ns),
  );
  const format = columnFormat("time", today);
  const time = (ns: number): string => `${format.text(ns)} ${format.unit}`;
  return (
    <>
      <div class="fall muted" aria-hidden="true">
        {[TITLES.what, "", TITLES.saving_ns, TITLES.step_share, TITLES.left_ns].map((title, i) => (
          <span key={title} class={i > 1 ? "num" : ""}>
            {title}
          </span>
        ))}
      </div>
      <ol class="waterfall">
        <li>
          <div class="fall">
            <strong>Today’s {region}</strong>
            <Bar from={1} to={0} />
            <span />
            <span />
            <Figure exactly={exact("time", today)}>{time(today)}</Figure>
          </div>
        </li>
        {rows.map((row, i) => {
          const todo = advice.find((found) => isAbout(found)(row));
          const saving = row.saving_ns ?? 0;
          return (
            <li key={`${row.rule} ${row.what}`}>
              <a class="fall" href={evidence(row)}>
                <Name text={row.what} />
                <Bar {...(bars[i] as Drop)} />
                <Figure of="saving_ns" exactly={exact("time", saving)}>
                  {time(saving)}
                </Figure>
                <Figure of="step_share" exactly={exact("percent", row.step_share)}>
                  {percent(row.step_share)}
                </Figure>
                <Figure of="left_ns" exactly={exact("time", row.left_ns)}>
                  {time(row.left_ns)}
                </Figure>
              </a>
              {todo === undefined ? null : (
                <div class="fall-advice">
                  <Advice of={todo} all={advice} />
                </div>
              )}
            </li>
          );
        })}
        <li>
          <div class="fall">
            <strong>Best reachable {region}</strong>
            <Bar from={left / (today || 1)} to={0} />
            <span />
            <Figure exactly={exact("percent", left / (today || 1))}>{percent(left / (today || 1))}</Figure>
            <Figure exactly={exact("time", left)}>{time(left)}</Figure>
          </div>
        </li>
      </ol>
    </>
  );
}

const TITLES = Object.fromEntries(CAUSES.map(({ key, title }) => [key, title]));

interface FigureProps {
  readonly of?: keyof CauseRow; // its column, for those who do not see the head
  readonly exactly: string;
  readonly children: string;
}

const Figure = ({ of, exactly, children }: FigureProps) => (
  <span class="num" title={exactly}>
    {of === undefined ? null : <span class="visually-hidden">{TITLES[of]} </span>}
    {children}
  </span>
);

// What stays, then what goes.
function Bar({ from, to }: Drop) {
  return (
    <span class="fall-bar">
      <i style={{ width: `${to * 100}%` }} />
      <i style={{ width: `${(from - to) * 100}%` }} />
    </span>
  );
}
