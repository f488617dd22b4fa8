// SPDX-License-Identifier: Apache-2.0
// What stands in the cells of the table of runs.
import type { ComponentChildren } from "preact";
import { type Run, seconds } from "../../../api/runs";
import { duration, numberOf, shortNumber } from "../../../lib/runs/numbers";
import type { RunColumn } from "../../../lib/runs/run_columns";
import { visible } from "../../../lib/text";
import { Moment } from "../../../ui/moment";
import { Name } from "../../../ui/name";
import { Progress } from "../shared/progress";
import { colourOf } from "../shared/run_link";

const WIDTH = 96;
const HEIGHT = 18;

// A curve as small as a word. Values that are none leave a gap.
export function Spark({
  values,
  colour,
}: {
  readonly values: readonly (number | null)[];
  readonly colour: string;
}) {
  const finite = values.filter((v): v is number => v !== null && Number.isFinite(v));
  if (finite.length === 0) return <span class="muted">–</span>;
  const [min, max] = [Math.min(...finite), Math.max(...finite)];
  const y = (v: number): number =>
    max > min ? HEIGHT - 2 - ((v - min) / (max - min)) * (HEIGHT - 4) : HEIGHT / 2;
  let path = "";
  let open = false;
  values.forEach((v, i) => {
    if (v === null || !Number.isFinite(v)) {
      open = false;
      return;
    }
    path += `${open ? "L" : "M"}${((i / Math.max(1, values.length - 1)) * WIDTH).toFixed(1)} ${y(v).toFixed(1)}`;
    open = true;
  });
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={path} stroke={colour} />
    </svg>
  );
}

const NONE = <span class="muted">–</span>;

export const isNumeric = ({ kind, name }: RunColumn): boolean =>
  kind === "last" || kind === "min" || kind === "max" || (kind === "fact" && name === "duration");

export function cell(run: Run, { kind, name }: RunColumn): ComponentChildren {
  if (kind === "config") {
    const value = run.config[name];
    if (value === undefined || value === null) return NONE;
    return typeof value === "number" ? shortNumber(value) : <Name text={String(value)} />;
  }
  if (kind === "fact") {
    if (name === "started") {
      const ns = run.start_ns === null ? null : Number(run.start_ns);
      return <Moment ns={ns} />;
    }
    if (name === "progress") return run.progress ? <Progress of={run.progress} /> : NONE;
    if (name === "duration") return duration(seconds(run.duration_ns));
    if (name === "tags")
      return run.tags.length === 0
        ? NONE
        : run.tags.map((tag) => (
            <span class="run-tag" key={tag}>
              {visible(tag)}
            </span>
          ));
    const text = run[name as "note" | "experiment" | "group" | "kind" | "path"];
    return text === null || text === "" ? NONE : <Name text={text} atEnd={name === "note"} />;
  }
  const metric = run.metrics[name];
  if (metric === undefined) return NONE;
  if (kind === "spark") return <Spark values={(metric.spark ?? []).map(numberOf)} colour={colourOf(run)} />;
  return shortNumber(numberOf(metric[kind]));
}

// The exact value, for whoever hovers.
export function exactText(run: Run, { kind, name }: RunColumn): string | undefined {
  const metric = run.metrics[name];
  if (metric === undefined || kind === "fact" || kind === "config" || kind === "spark") return undefined;
  const step = kind === "last" ? metric.last_step : kind === "min" ? metric.min_step : metric.max_step;
  return `${metric[kind]} at step ${step?.toLocaleString("en-US") ?? "?"}`;
}
