// SPDX-License-Identifier: Apache-2.0
// The runs (or groups) of all charts: a click switches one on or off, a double click or Alt leaves it alone; what lies
// under the pointer lights up. Beside each, what it has at the crosshair.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../../../api/runs";
import { nthColour } from "../../../lib/runs/colours";
import type { Group } from "../../../lib/runs/curve_view";
import { shortNumber } from "../../../lib/runs/numbers";
import { naturally } from "../../../lib/runs/tags";
import { ofRun, pageAddress } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Icon } from "../../../ui/icon";
import { Name } from "../../../ui/name";
import { lit, readingsShown } from "../shared/crosshair";
import { colourOf } from "../shared/run_link";
import { setOff, switchedOff } from "../shared/scope_runs";

const ROW = 24; // px
const SPARE = 6;

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly colour: string;
  readonly ids: readonly string[];
}

export interface LegendProps {
  readonly runs: readonly Run[];
  readonly groups: readonly Group<Run>[] | null;
  readonly filter: ComponentChildren;
}

export function Legend({ runs, groups, filter }: LegendProps) {
  const list = useRef<HTMLUListElement>(null);
  const [first, setFirst] = useState(0);
  const [room, setRoom] = useState(500);
  const [sort, setSort] = useState<"listed" | "name" | "value" | "-value">("listed");
  const off = switchedOff(runs);
  const at = readingsShown.value;
  const isDark = dark.value;
  const entries = useMemo<readonly Entry[]>(
    () =>
      groups === null
        ? runs.map((run) => ({ key: run.id, name: run.title, colour: colourOf(run), ids: [run.id] }))
        : groups.map(({ name, members }, i) => ({
            key: name,
            name: `${name} (${members.length})`,
            colour: nthColour(i, isDark),
            ids: members.map((run) => run.id),
          })),
    [runs, groups, isDark],
  );
  const valueFor = (entry: Entry): number | undefined => at?.byLine.get(entry.key)?.value;
  const ordered = useMemo(() => {
    if (sort === "listed") return entries;
    if (sort === "name") return entries.toSorted((a, b) => naturally(a.name, b.name));
    const sign = sort === "value" ? 1 : -1;
    return entries.toSorted((a, b) => {
      const [x, y] = [valueFor(a), valueFor(b)];
      if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
      return sign * (x - y);
    });
  }, [entries, sort, at]);
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const look = (): void => {
      setFirst(Math.floor(element.scrollTop / ROW));
      setRoom(element.clientHeight);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const from = Math.max(0, first - SPARE);
  const to = Math.min(ordered.length, first + Math.ceil(room / ROW) + SPARE);
  const toggle = (entry: Entry): void => {
    const next = new Set(off);
    const isOn = entry.ids.some((id) => !next.has(id));
    for (const id of entry.ids) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    setOff(runs, next);
  };
  const isolate = (entry: Entry): void => {
    const others = runs.map((run) => run.id).filter((id) => !entry.ids.includes(id));
    setOff(runs, new Set(others.every((id) => off.has(id)) ? [] : others));
  };
  return (
    <aside class="curves-legend" aria-label="Runs shown">
      {filter}
      <div class="legend-head">
        <button
          type="button"
          class="plain small"
          title={off.size === 0 ? "Switch all off" : "Switch all on"}
          aria-label={off.size === 0 ? "Switch all runs off" : "Switch all runs on"}
          onClick={() => setOff(runs, new Set(off.size === 0 ? runs.map((run) => run.id) : []))}
        >
          <Icon name={off.size === 0 ? "check" : "hide"} />
        </button>
        <button
          type="button"
          class="plain small"
          aria-pressed={sort === "name"}
          onClick={() => setSort(sort === "name" ? "listed" : "name")}
        >
          {groups === null ? "Run" : "Group"} {sort === "name" ? "↓" : ""}
        </button>
        <button
          type="button"
          class="plain small legend-value"
          aria-pressed={sort === "value" || sort === "-value"}
          title={at === null ? "Point at a chart to see values here" : at.title}
          onClick={() => setSort(sort === "value" ? "-value" : "value")}
        >
          <span class="legend-title">{at === null ? "Value" : at.title}</span>{" "}
          {sort === "value" ? "↑" : sort === "-value" ? "↓" : ""}
        </button>
      </div>
      <ul ref={list} class="legend-list">
        <li style={{ height: `${from * ROW}px` }} aria-hidden="true" />
        {ordered.slice(from, to).map((entry) => {
          const isOn = entry.ids.some((id) => !off.has(id));
          return (
            <li
              key={entry.key}
              class={isOn ? "legend-row" : "legend-row legend-off"}
              onPointerEnter={() => {
                lit.value = entry.key;
              }}
              onPointerLeave={() => {
                lit.value = null;
              }}
            >
              <button
                type="button"
                class="plain small legend-toggle"
                aria-pressed={isOn}
                title="Click: on or off. Double click or Alt: this one alone"
                onClick={(event) =>
                  event.altKey ? isolate(entry) : event.detail > 1 ? undefined : toggle(entry)
                }
                onDblClick={() => isolate(entry)}
              >
                <span
                  class="run-swatch"
                  style={{
                    background: isOn ? entry.colour : "none",
                    boxShadow: `inset 0 0 0 2px ${entry.colour}`,
                  }}
                />
                <Name text={entry.name} />
              </button>
              <span class="num legend-number">
                {valueFor(entry) === undefined ? "" : shortNumber(valueFor(entry))}
              </span>
              {groups === null ? (
                <a
                  href={pageAddress("overview", {}, ofRun(entry.key))}
                  aria-label={`Open ${entry.name}`}
                  title="Open the run"
                >
                  <Icon name="chevron" />
                </a>
              ) : null}
            </li>
          );
        })}
        <li style={{ height: `${Math.max(0, ordered.length - to) * ROW}px` }} aria-hidden="true" />
      </ul>
    </aside>
  );
}
