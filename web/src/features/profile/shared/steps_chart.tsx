// SPDX-License-Identifier: Apache-2.0
// Every step as a bar, stacked by category. Dragging over bars restricts all pages to those steps.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { CATEGORY_TITLES, categoryColor, STEP_CATEGORIES } from "../../../api/categories";
import type { StepRow } from "../../../api/generated";
import { rankLabel, type StepBar, stepBars } from "../../../lib/steps";
import { time } from "../../../lib/units";
import type { FileInfo } from "../../../state/report";
import { changed, go } from "../../../state/route";
import "./steps_chart.css";

const HEIGHT = 132;
const LABELS = 18;
const LEAST_BAR = 5; // px

export interface StepsChartProps {
  readonly rows: readonly StepRow[];
  readonly files: readonly FileInfo[];
}

function describe(bar: StepBar<StepRow>, rankOf: (row: StepRow) => string): string {
  const { shown } = bar;
  const step = [shown.name, rankOf(shown)].filter(Boolean).join(", ");
  const name = bar.count > 1 ? `Longest of ${bar.count} steps: ${step}` : `Step ${step}`;
  const parts = STEP_CATEGORIES.filter((c) => shown.categories[c] > 0)
    .map((c) => `${CATEGORY_TITLES[c]} ${time(shown.categories[c])}`)
    .join("\n");
  return `${name}: ${time(shown.duration_ns)}${shown.complete ? "" : " (incomplete)"}\n${parts}`;
}

export function StepsChart({ rows: given, files }: StepsChartProps) {
  const several = given.some((row) => row.file !== given[0]?.file);
  const rankOf = (row: StepRow): string => (several ? rankLabel(files, row.file) : "");
  // Ranks side by side: by time, not by file.
  const rows = useMemo(() => given.toSorted((a, b) => a.start_ns - b.start_ns), [given]);
  const root = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const begun = useRef<number | null>(null); // where the drag began: events may come faster than drawing
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const bars = stepBars(rows, Math.floor(width / LEAST_BAR));
  const slot = width / bars.length;
  const thick = Math.max(2, Math.min(64, slot * 0.8));
  const longest = Math.max(1, ...rows.map((row) => row.duration_ns));
  const scale = (HEIGHT - LABELS - 4) / longest;
  const every = Math.ceil((several ? 84 : 48) / slot);
  const at = (event: PointerEvent): number => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return Math.max(0, Math.min(bars.length - 1, Math.floor((event.clientX - box.left) / slot)));
  };
  const restrict = (a: number, b: number): void => {
    const first = bars[Math.min(a, b)];
    const last = bars[Math.max(a, b)];
    if (first && last) go(changed({ steps: `${first.first.name}..${last.last.name}` }));
  };
  const mean = rows.reduce((sum, row) => sum + row.duration_ns, 0) / Math.max(1, rows.length);
  const slowest = rows.reduce<StepRow | null>(
    (a, b) => (a === null || b.duration_ns > a.duration_ns ? b : a),
    null,
  );
  return (
    <div class="steps-chart" ref={root}>
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`${rows.length} steps, on average ${time(mean)}; the slowest is ${slowest?.name} with ${time(slowest?.duration_ns)}`}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          begun.current = at(event);
          setBrush([begun.current, begun.current]);
        }}
        onPointerMove={(event) => {
          if (begun.current !== null) setBrush([begun.current, at(event)]);
        }}
        onPointerUp={(event) => {
          if (begun.current !== null) restrict(begun.current, at(event));
          begun.current = null;
          setBrush(null);
        }}
        onPointerCancel={() => {
          begun.current = null;
          setBrush(null);
        }}
      >
        {brush === null ? null : (
          <rect
            class="brush"
            x={Math.min(...brush) * slot}
            y="0"
            width={(Math.abs(brush[1] - brush[0]) + 1) * slot}
            height={HEIGHT - LABELS}
          />
        )}
        {bars.map((bar, i) => {
          let y = HEIGHT - LABELS;
          return (
            <g key={bar.first.name + String(i)} class={bar.shown.complete ? "" : "incomplete"}>
              <title>{describe(bar, rankOf)}</title>
              <rect class="hit" x={i * slot} y="0" width={slot} height={HEIGHT - LABELS} />
              {STEP_CATEGORIES.map((c) => {
                const height = bar.shown.categories[c] * scale;
                if (height < 0.2) return null;
                y -= height;
                return (
                  <rect
                    key={c}
                    x={i * slot + (slot - thick) / 2}
                    y={y}
                    width={thick}
                    height={height}
                    style={{ fill: categoryColor(c) }}
                  />
                );
              })}
              {i % every === 0 ? (
                <text x={i * slot + slot / 2} y={HEIGHT - 4}>
                  {bar.first.name.slice(0, 12)}
                  {several ? <tspan class="rank"> {rankOf(bar.first).slice(0, 10)}</tspan> : null}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
