// SPDX-License-Identifier: Apache-2.0
// Pictures below each other on one axis of time: a crosshair through all of them, a brush that zooms all of them, and a
// click that leads to that moment. Each lane says below the crosshair what it has there.
import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../api/client";
import { askRate, type LaneLine } from "../../../api/runs";
import { axisOf, clockTicks, pixelAt } from "../../../lib/runs/axis";
import { nthColour } from "../../../lib/runs/colours";
import { clock, nsOf, utc } from "../../../lib/runs/moments";
import { shortNumber } from "../../../lib/runs/numbers";
import type { Line } from "../../../lib/runs/points";
import {
  LEFT,
  moved,
  RIGHT,
  readingAt,
  type Stretch,
  scaled,
  timeOf,
  xOf,
  zoomed,
} from "../../../lib/runs/time_axis";
import { runsRevision } from "../../../state/run_events";
import { dark } from "../../../state/theme";
import { type LinesRequest, useLines } from "./curve_lines";
import { CurvePlot, type PlotView } from "./curve_plot";
import "./time_lanes.css";

interface Axis {
  readonly seen: Stretch;
  readonly width: number;
  readonly at: Signal<number | null>; // under the pointer
}
const NOWHERE: Axis = { seen: [0, 1], width: 0, at: signal(null) };
const AxisContext = createContext<Axis>(NOWHERE);
export const useAxis = (): Axis => useContext(AxisContext);

interface TimeLanesProps {
  readonly label: string; // what the pictures are, for who does not see them
  readonly whole: Stretch;
  readonly seen: Stretch; // the whole, or a part of it
  readonly onSeen: (seen: Stretch | null) => void; // null: all of it
  readonly onOpen?: (at: number) => void; // a moment was clicked
  readonly marked?: number | null; // a moment that the address names
  readonly children: ComponentChildren;
}

const CLICK_PX = 4; // less is no drag

export function TimeLanes({ label, whole, seen, onSeen, onOpen, marked = null, children }: TimeLanesProps) {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const at = useSignal<number | null>(null);
  const brush = useSignal<readonly [number, number] | null>(null); // px
  useEffect(() => {
    const box = element.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const axis = useMemo<Axis>(() => ({ seen, width, at }), [seen[0], seen[1], width, at]);
  const pressed = useRef<number | null>(null);

  const xIn = (event: PointerEvent | MouseEvent): number =>
    event.clientX - (element.current?.getBoundingClientRect().left ?? 0);
  const isLink = (event: Event): boolean => (event.target as Element).closest("a, button") !== null;
  const down = (event: PointerEvent): void => {
    if (event.button !== 0 || isLink(event)) return;
    pressed.current = xIn(event);
    element.current?.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    const x = xIn(event);
    at.value = timeOf(seen, width, x);
    const from = pressed.current;
    brush.value =
      from === null || Math.abs(x - from) < CLICK_PX ? null : [Math.min(from, x), Math.max(from, x)];
  };
  const up = (event: PointerEvent): void => {
    const from = pressed.current;
    pressed.current = null;
    const dragged = brush.value;
    brush.value = null;
    if (from === null) return;
    if (dragged !== null) {
      const next: Stretch = [timeOf(seen, width, dragged[0]), timeOf(seen, width, dragged[1])];
      if (next[1] > next[0]) onSeen(next);
    } else if (event.detail < 2) onOpen?.(timeOf(seen, width, xIn(event)));
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const here = at.value ?? (seen[0] + seen[1]) / 2;
    const step = (seen[1] - seen[0]) / 200;
    const stay = (next: number): void => {
      at.value = Math.max(seen[0], Math.min(seen[1], next));
    };
    if (event.key === "ArrowLeft") event.shiftKey ? onSeen(moved(seen, whole, -0.25)) : stay(here - step);
    else if (event.key === "ArrowRight")
      event.shiftKey ? onSeen(moved(seen, whole, 0.25)) : stay(here + step);
    else if (event.key === "Home") stay(seen[0]);
    else if (event.key === "End") stay(seen[1]);
    else if (event.key === "+" || event.key === "=") onSeen(zoomed(seen, whole, here, 0.5));
    else if (event.key === "-") onSeen(zoomed(seen, whole, here, 2));
    else if (event.key === "0") onSeen(null);
    else if (event.key === "Enter" && onOpen) onOpen(here);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const inside = marked !== null && marked >= seen[0] && marked <= seen[1];
  return (
    <div
      class="lanes"
      ref={element}
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a picture that keys move in
      tabIndex={0}
      aria-label={`${label}. Arrows move the crosshair, plus and minus zoom, 0 shows all${onOpen ? ", Enter opens the log there" : ""}.`}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerLeave={() => {
        if (pressed.current === null) at.value = null;
      }}
      onPointerCancel={() => {
        pressed.current = null;
        brush.value = null;
      }}
      onDblClick={(event) => {
        if (!isLink(event)) onSeen(null);
      }}
      onBlur={() => {
        at.value = null;
      }}
      onKeyDown={keys}
    >
      {width === 0 ? null : (
        <AxisContext.Provider value={axis}>
          {children}
          <Ticks />
          <Crosshair />
          {inside ? <div class="lanes-mark" style={{ left: `${xOf(seen, width, marked)}px` }} /> : null}
          <Brush brush={brush} />
        </AxisContext.Provider>
      )}
    </div>
  );
}

function Brush({ brush }: { readonly brush: Signal<readonly [number, number] | null> }) {
  const range = brush.value;
  if (range === null) return null;
  return <div class="lanes-brush" style={{ left: `${range[0]}px`, width: `${range[1] - range[0]}px` }} />;
}

function Crosshair() {
  const { seen, width, at } = useAxis();
  const here = at.value;
  if (here === null || here < seen[0] || here > seen[1]) return null;
  const x = xOf(seen, width, here);
  return (
    <div class="lanes-cross" style={{ left: `${x}px` }}>
      <span class={x > width - 120 ? "lanes-clock lanes-clock-left" : "lanes-clock"} title={utc(here * 1000)}>
        {clock(here * 1000, seen[1] - seen[0] < 120 ? 3 : 0)}
      </span>
    </div>
  );
}

function Ticks() {
  const { seen, width } = useAxis();
  const axis = axisOf(seen, [LEFT, width - RIGHT], false);
  const ticks = clockTicks(axis, Math.max(2, Math.floor((width - LEFT - RIGHT) / 100)));
  return (
    <div class="lanes-ticks" aria-hidden="true">
      {ticks.map(({ value, text }) => (
        <span key={value} style={{ left: `${Math.min(pixelAt(axis, value), width - 34)}px` }}>
          {text}
        </span>
      ))}
    </div>
  );
}

interface CurveLaneProps {
  readonly run: string;
  readonly title: ComponentChildren;
  readonly unit: string;
  readonly divisor: number;
  readonly kind?: "values" | "rate";
  readonly lines: readonly LaneLine[];
  readonly zoomedIn: boolean; // only a part of the time is seen
  readonly height?: number;
}

const LOOK = { x: "wall", logX: false, logY: false, smoothed: false, outliers: true, zoomY: null } as const;
const PARTS_PX = 4; // a rate is a mean over so many pixels

function useRate(run: string, tag: string | null, seen: Stretch, width: number): Drawn {
  const [drawn, setDrawn] = useState<Drawn>({ lines: null, problem: null });
  const parts = Math.max(10, Math.floor((width - LEFT - RIGHT) / PARTS_PX));
  useEffect(() => {
    if (tag === null || width === 0) return;
    const abort = new AbortController();
    const query = { tag, start: nsOf(seen[0] * 1000), end: nsOf(seen[1] * 1000), parts };
    askRate(run, query, abort.signal).then(
      (lines) => setDrawn({ lines, problem: null }),
      (error: unknown) => {
        if (!abort.signal.aborted) setDrawn((old) => ({ ...old, problem: messageOf(error) }));
      },
    );
    return () => abort.abort();
  }, [run, tag, seen[0], seen[1], parts, runsRevision.value]);
  return drawn;
}

interface Drawn {
  readonly lines: readonly Line[] | null;
  readonly problem: string | null;
}

export function CurveLane(props: CurveLaneProps) {
  const { run, title, unit, divisor, kind = "values", lines: asked, zoomedIn, height = 96 } = props;
  const { seen, width, at } = useAxis();
  const canvas = useRef<HTMLCanvasElement>(null);
  const plot = useRef<CurvePlot | null>(null);
  const tags = asked.map(({ tag }) => tag).join("\n");
  const request = useMemo<LinesRequest | null>(() => {
    if (kind === "rate") return null;
    const [from, to] = zoomedIn ? seen : [null, null];
    const body = {
      x: "wall",
      from,
      to,
      width: Math.ceil(width / 100) * 100,
      smoothing: 0,
      hide_overwritten: true,
      charts: asked.map(({ tag }) => ({ tag, runs: [run] })),
    };
    return { key: JSON.stringify(body), body };
  }, [kind, run, tags, width, zoomedIn, zoomedIn ? seen[0] : 0, zoomedIn ? seen[1] : 0]);
  const values = useLines(request);
  const rate = useRate(run, kind === "rate" ? (asked[0]?.tag ?? null) : null, seen, width);
  const { lines: raw, problem } = kind === "rate" ? rate : values;
  const lines = useMemo(() => raw?.map((line) => scaled(line, divisor)) ?? null, [raw, divisor]);
  const isDark = dark.value;
  const series = useMemo(
    () =>
      (lines ?? []).map((line) => ({
        name: asked[line.chart]?.label ?? "",
        colour: nthColour(line.chart, isDark),
        dash: [],
      })),
    [lines, tags, isDark],
  );
  useEffect(() => {
    const element = canvas.current;
    if (element === null || lines === null) return;
    plot.current ??= new CurvePlot(element, () => undefined);
    // What has a unit is an amount; a loss has none.
    const view: PlotView = { ...LOOK, zoom: seen, bare: true, fromZero: unit !== "" };
    plot.current.show(lines, series, view, width, height);
  }, [lines, series, seen[0], seen[1], width, height, unit]);
  useEffect(() => () => plot.current?.stop(), []);
  const points = (lines ?? []).reduce((sum, line) => sum + line.total, 0);
  return (
    <section class="lane">
      <header class="lane-head">
        <h3>{title}</h3>
        {unit === "" ? null : <span class="muted">{unit}</span>}
        <Readings at={at} seen={seen} lines={lines} asked={asked} unit={unit} />
      </header>
      {problem === null ? null : <p class="lane-problem">{problem}</p>}
      <canvas
        ref={canvas}
        class="lane-canvas"
        style={{ width: `${width}px`, height: `${height}px` }}
        role="img"
        aria-label={`${asked.map(({ label }) => label).join(", ")}: ${points.toLocaleString("en-US")} points`}
        data-points={points}
      />
    </section>
  );
}

function Readings({
  at,
  seen,
  lines,
  asked,
  unit,
}: {
  readonly at: Signal<number | null>;
  readonly seen: Stretch;
  readonly lines: readonly Line[] | null;
  readonly asked: readonly LaneLine[];
  readonly unit: string;
}) {
  const here = at.value;
  const near = (seen[1] - seen[0]) / 20;
  return (
    <span class="lane-readings">
      {asked.slice(0, 8).map(({ tag, label }, i) => {
        const line = lines?.find((one) => one.chart === i);
        const reading = here === null || line === undefined ? null : readingAt(line, here, near);
        return (
          <span key={tag} class="lane-reading" title={tag}>
            <span class="lane-swatch" style={{ background: nthColour(i, dark.value) }} />
            {label}
            {here === null ? null : (
              <b>
                {reading === null ? "–" : `${shortNumber(reading.value)}${unit === "" ? "" : ` ${unit}`}`}
              </b>
            )}
          </span>
        );
      })}
      {asked.length > 8 ? <span class="muted">and {asked.length - 8} more</span> : null}
    </span>
  );
}
