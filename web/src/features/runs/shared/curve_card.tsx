// SPDX-License-Identifier: Apache-2.0
// One chart: its lines, the crosshair with what they have there, zooming by hand and by keys, and files of what is shown.
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PointsRequest, Run } from "../../../api/runs";
import { svgOf } from "../../../charts/picture_downloads";
import { colour } from "../../../charts/theme";
import { toCsv, toJson } from "../../../lib/csv";
import { saveFile } from "../../../lib/download";
import { pixelAt, valueAt } from "../../../lib/runs/axis";
import { nthColour } from "../../../lib/runs/colours";
import { type CurveView, type Group, widthFor } from "../../../lib/runs/curve_view";
import { inOrder, readings } from "../../../lib/runs/legend";
import { type Margin, withMargins } from "../../../lib/runs/margins";
import { duration, shortNumber } from "../../../lib/runs/numbers";
import { type Line, nearest } from "../../../lib/runs/points";
import type { Range } from "../../../lib/runs/range";
import { visible } from "../../../lib/text";
import { dark } from "../../../state/theme";
import { Menu } from "../../../ui/menu";
import { Name } from "../../../ui/name";
import { crosshair, lit, readingsShown } from "./crosshair";
import { drawCurves, pngOf } from "./curve_files";
import { useLines } from "./curve_lines";
import { CurvePlot, type PlotAxes, type PlotSeries, type PlotView } from "./curve_plot";
import { colourOf } from "./run_link";

export interface CurveCardProps {
  readonly id: string; // the chart's key in the address
  readonly title: string;
  readonly tags: readonly string[];
  readonly runs: readonly Run[];
  readonly groups: readonly Group<Run>[] | null;
  readonly view: CurveView;
  readonly height: number;
  readonly note?: string; // what the tag is, if someone said so
  readonly actions?: ComponentChildren;
  readonly margins?: readonly Margin[]; // of which the tags are all there is
  readonly onZoom?: (range: Range | null) => void;
  readonly onZoomY?: (range: Range | null) => void;
}

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const ROWS = 12; // in the tip

export interface ShownLine {
  readonly line: Line;
  readonly look: PlotSeries;
  readonly owner: string; // run or group
  readonly tag: string;
}

export const xText = (kind: string, x: number): string =>
  kind === "wall"
    ? new Date(x * 1000).toLocaleString()
    : kind === "relative"
      ? duration(x)
      : kind === "step"
        ? `step ${x.toLocaleString("en-US")}`
        : shortNumber(x);

function requestOf(
  props: CurveCardProps,
  width: number,
): { readonly key: string; readonly body: PointsRequest } {
  const { tags, runs, groups, view } = props;
  const charts =
    groups === null
      ? tags.map((tag) => ({ tag, runs: runs.map((run) => run.id) }))
      : tags.flatMap((tag) => groups.map(({ members }) => ({ tag, runs: members.map((run) => run.id) })));
  const lines = groups === null ? runs.length * tags.length : charts.length;
  const body: PointsRequest = {
    x: view.x,
    from: view.zoom?.[0] ?? null,
    to: view.zoom?.[1] ?? null,
    width: widthFor(width, lines),
    smoothing: view.smoothing,
    hide_overwritten: !view.overwritten,
    charts,
    ...(groups === null ? {} : { group: { by: "all", band: view.band } as const }),
  };
  return { key: JSON.stringify(body), body };
}

export function CurveCard(props: CurveCardProps) {
  const { id, title, tags, runs, groups, view, height } = props;
  const figure = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const plot = useRef<CurvePlot | null>(null);
  const [width, setWidth] = useState(0);
  const [axes, setAxes] = useState<PlotAxes | null>(null);
  const drag = useRef<{ x: number; y: number; vertical: boolean } | null>(null);
  const [mark, setMark] = useState<Mark | null>(null);
  const shade = dark.value;
  const isDark = dark.value;
  const plotHeight = height - 34; // below the head

  useEffect(() => {
    const element = figure.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);

  const request = useMemo(
    () => (width > 0 && runs.length > 0 ? requestOf(props, Math.ceil(width / 64) * 64) : null),
    [
      Math.ceil(width / 64),
      tags.join("\n"),
      runs,
      groups,
      view.x,
      view.smoothing,
      view.zoom?.[0],
      view.zoom?.[1],
      view.overwritten,
      view.band,
    ],
  );
  const { lines, current, problem } = useLines(request);

  const shown = useMemo<readonly ShownLine[]>(() => {
    if (lines === null || request === null) return [];
    const { charts } = request.body;
    const byId = new Map(runs.map((run) => [run.id, run]));
    const drawn = props.margins
      ? withMargins(lines, props.margins, ({ chart }) => charts[chart]?.tag ?? "")
      : lines;
    return drawn.flatMap((line): readonly ShownLine[] => {
      const chart = charts[line.chart];
      if (chart === undefined) return [];
      const tagIndex = groups === null ? line.chart : Math.floor(line.chart / groups.length);
      const tag = tags[tagIndex] ?? "";
      const dash = DASHES[tagIndex % DASHES.length] ?? [];
      const of = tags.length > 1 ? ` · ${tag}` : "";
      if (groups !== null) {
        const at = line.chart % groups.length;
        const name = groups[at]?.name ?? "";
        return [
          { line, owner: name, tag, look: { name: `${name}${of}`, colour: nthColour(at, isDark), dash } },
        ];
      }
      const run = byId.get(chart.runs[line.run] ?? "");
      // One run alone: its tags have the colours.
      const look =
        runs.length === 1 && tags.length > 1 ? nthColour(tagIndex, isDark) : run ? colourOf(run) : "gray";
      return run === undefined
        ? []
        : [
            {
              line,
              owner: run.id,
              tag,
              look: { name: `${run.name}${of}`, colour: look, dash: runs.length === 1 ? [] : dash },
            },
          ];
    });
  }, [lines, runs, groups, props.margins, isDark]);
  const plotView: PlotView = {
    x: view.x,
    logX: view.logX,
    logY: view.logY,
    smoothed: view.smoothing > 0,
    outliers: view.outliers,
    zoom: view.zoom,
    zoomY: view.zoomY.get(id) ?? null,
  };

  useLayoutEffect(() => {
    if (canvas.current === null) return;
    plot.current = new CurvePlot(canvas.current, () => setAxes(plot.current?.axes ?? null));
    return () => plot.current?.stop();
  }, []);
  useEffect(() => {
    plot.current?.show(
      shown.map(({ line }) => line),
      shown.map(({ look }) => look),
      plotView,
      width,
      plotHeight,
    );
  }, [
    shown,
    width,
    plotHeight,
    shade,
    view.logX,
    view.logY,
    view.outliers,
    plotView.zoomY?.[0],
    plotView.zoomY?.[1],
    view.zoom?.[0],
    view.zoom?.[1],
  ]);

  // The crosshair is drawn by itself: a pointer that moves draws no page anew.
  const latest = useRef({ shown, axes, mark, plotView, width });
  latest.current = { shown, axes, mark, plotView, width };
  const drawOver = useRef<() => void>(() => {});
  drawOver.current = () => {
    const now = latest.current;
    const c = prepared(over.current, now.width, plotHeight);
    if (c === null || now.axes === null) return;
    drawOverlay(c, now.axes, now.shown, now.mark, id, now.plotView.smoothed);
  };
  useLayoutEffect(() => drawOver.current(), [axes, mark, width, plotHeight, shown]);
  useEffect(() => {
    let asked = 0;
    const ask = (): void => {
      asked ||= requestAnimationFrame(() => {
        asked = 0;
        drawOver.current();
      });
    };
    const stops = [crosshair.subscribe(ask), lit.subscribe(ask)];
    return () => {
      cancelAnimationFrame(asked);
      for (const stop of stops) stop();
    };
  }, []);

  const at = (event: PointerEvent | MouseEvent): { x: number; y: number } => {
    const box = figure.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const point = (x: number, y: number): void => {
    if (axes === null) return;
    crosshair.value = { chart: id, x: valueAt(axes.x, x), y: valueAt(axes.y, y) };
  };
  const moved = (event: PointerEvent): void => {
    const { x, y } = at(event);
    point(x, y);
    if (drag.current !== null)
      setMark(
        drag.current.vertical
          ? { a: drag.current.y, b: y, vertical: true }
          : { a: drag.current.x, b: x, vertical: false },
      );
  };
  const up = (event: PointerEvent): void => {
    const from = drag.current;
    drag.current = null;
    setMark(null);
    if (from === null || axes === null) return;
    const { x, y } = at(event);
    const { box } = axes;
    const inside = (v: number, lo: number, hi: number): number => Math.max(lo, Math.min(hi, v));
    if (from.vertical && Math.abs(y - from.y) > 4)
      props.onZoomY?.([
        valueAt(axes.y, inside(Math.max(y, from.y), box.top, box.bottom)),
        valueAt(axes.y, inside(Math.min(y, from.y), box.top, box.bottom)),
      ]);
    else if (!from.vertical && Math.abs(x - from.x) > 4)
      props.onZoom?.([
        valueAt(axes.x, inside(Math.min(x, from.x), box.left, box.right)),
        valueAt(axes.x, inside(Math.max(x, from.x), box.left, box.right)),
      ]);
  };
  const stretched = (axis: PlotAxes["x"], center: number, factor: number): Range => {
    const [lo, hi] = axis.log ? [Math.log10(axis.min), Math.log10(axis.max)] : [axis.min, axis.max];
    const c = axis.log ? Math.log10(center) : center;
    const range: Range = [c + (lo - c) * factor, c + (hi - c) * factor];
    return axis.log ? [10 ** range[0], 10 ** range[1]] : range;
  };
  useEffect(() => {
    const element = figure.current;
    if (element === null || props.onZoomY === undefined) return;
    // With Ctrl or Alt, so that a page of charts can be scrolled through; not passive, since it must not scroll then.
    const wheel = (event: WheelEvent): void => {
      if (axes === null || !(event.altKey || event.ctrlKey || document.activeElement === element)) return;
      event.preventDefault();
      const factor = event.deltaY > 0 ? 1.2 : 1 / 1.2;
      props.onZoomY?.(stretched(axes.y, valueAt(axes.y, at(event).y), factor));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  });
  const reset = (): void => {
    props.onZoom?.(null);
    props.onZoomY?.(null);
  };
  const keys = (event: KeyboardEvent): void => {
    if (
      axes === null ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target !== event.currentTarget
    )
      return;
    const cross = crosshair.peek();
    const now = cross?.chart === id ? cross.x : valueAt(axes.x, (axes.box.left + axes.box.right) / 2);
    const pixel = pixelAt(axes.x, now);
    const step = event.shiftKey ? 40 : 4;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const next = Math.max(
        axes.box.left,
        Math.min(axes.box.right, pixel + (event.key === "ArrowRight" ? step : -step)),
      );
      crosshair.value = { chart: id, x: valueAt(axes.x, next), y: null };
    } else if (event.key === "+" || event.key === "-")
      props.onZoom?.(stretched(axes.x, now, event.key === "+" ? 0.5 : 2));
    else if (event.key === "0") reset();
    else if (event.key === "Escape" && cross !== null) crosshair.value = null;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const total = shown.reduce((sum, { line }) => sum + line.total, 0);
  const last = shown.flatMap(({ line }) => {
    const values = plotView.smoothed ? line.smoothed : line.y;
    for (let i = values.length - 1; i >= 0; --i) if (Number.isFinite(values[i])) return [values[i] as number];
    return [];
  });
  const summary =
    lines === null
      ? `${title}: being loaded.`
      : shown.length === 0
        ? `${title}: no points.`
        : `${title}: ${shown.length} ${shown.length === 1 ? "line" : "lines"}, last ${shown.length === 1 ? "value" : "values between"} ${shortNumber(last.reduce((a, b) => Math.min(a, b), Infinity))}${shown.length === 1 ? "" : ` and ${shortNumber(last.reduce((a, b) => Math.max(a, b), -Infinity))}`}.`;
  const name = title.replace(/[^\w.-]+/g, "_");
  const drawing = {
    name,
    summary,
    width: 900,
    height: 420,
    draw: drawCurves(shown, plotView, title),
  };
  const rows = function* () {
    for (const { line, look, tag } of shown)
      for (let i = 0; i < line.x.length; ++i) {
        if (Number.isNaN(line.x[i])) continue;
        const row = [look.name, tag, line.step[i], line.wall[i], line.x[i], line.y[i], line.smoothed[i]];
        yield line.low && line.high ? [...row, line.low[i], line.high[i]] : row;
      }
  };
  const columns = [
    "run",
    "tag",
    "step",
    "wall_time",
    "x",
    "value",
    "smoothed",
    ...(shown.some(({ line }) => line.low) ? ["low", "high"] : []),
  ];
  return (
    <section class="curve-card" aria-label={title}>
      <header class="curve-head">
        <h3 title={props.note}>
          <Name text={title} />
        </h3>
        <span class="curve-tools">
          {view.zoomY.has(id) ? (
            <button
              type="button"
              class="plain small"
              title="All of y again"
              onClick={() => props.onZoomY?.(null)}
            >
              y
            </button>
          ) : null}
          {props.actions}
          <Menu
            label=""
            title={`Download ${title}`}
            icon="download"
            plain
            items={[
              {
                label: "CSV",
                hint: "points shown",
                action: () => saveFile(`${name}.csv`, toCsv(columns, rows()), "text/csv"),
              },
              {
                label: "JSON",
                hint: "points shown",
                action: () => saveFile(`${name}.json`, toJson(columns, rows()), "application/json"),
              },
              {
                label: "PNG",
                action: () => pngOf(drawing).then((blob) => blob && saveFile(`${name}.png`, blob)),
              },
              {
                label: "SVG",
                action: () =>
                  saveFile(
                    `${name}.svg`,
                    svgOf({
                      ...drawing,
                      draw: (p, w, h) => {
                        drawing.draw(p, w, h);
                        return [];
                      },
                    }),
                    "image/svg+xml",
                  ),
              },
            ]}
          />
        </span>
      </header>
      <div
        class="curve-figure"
        ref={figure}
        style={{ height: `${plotHeight}px` }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the crosshair
        tabIndex={0}
        role="application"
        aria-roledescription="chart"
        aria-label={`${summary} Arrow keys move the crosshair, plus and minus zoom, 0 shows all.`}
        aria-busy={!current}
        data-lines={axes === null ? 0 : shown.length}
        data-points={total}
        onKeyDown={keys}
        onPointerMove={moved}
        onPointerLeave={() => {
          if (drag.current === null) crosshair.value = null;
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const { x, y } = at(event);
          drag.current = { x, y, vertical: event.shiftKey };
          (event.currentTarget as Element).setPointerCapture(event.pointerId);
        }}
        onPointerUp={up}
        onPointerCancel={() => {
          drag.current = null;
          setMark(null);
        }}
        onDblClick={reset}
      >
        <canvas ref={canvas} />
        <canvas ref={over} />
        {lines === null && problem === null ? <div class="bone curve-bone" aria-hidden="true" /> : null}
        {problem !== null ? <p class="curve-note curve-problem">{problem}</p> : null}
        {lines !== null && shown.length === 0 ? (
          <p class="curve-note muted">No points of these runs.</p>
        ) : null}
        {axes !== null && mark === null ? (
          <Tip id={id} title={title} shown={shown} axes={axes} width={width} view={view} />
        ) : null}
      </div>
    </section>
  );
}

function light(c: CanvasRenderingContext2D, line: Line, ys: Float64Array, axes: PlotAxes): void {
  c.save();
  c.beginPath();
  const { left, top, right, bottom } = axes.box;
  c.rect(left, top, right - left, bottom - top);
  c.clip();
  c.beginPath();
  let open = false;
  for (let i = 0; i < ys.length; ++i) {
    const [x, y] = [pixelAt(axes.x, line.x[i] as number), pixelAt(axes.y, ys[i] as number)];
    if (!Number.isFinite(x) || !Number.isFinite(y)) open = false;
    else if (open) c.lineTo(x, y);
    else {
      c.moveTo(x, y);
      open = true;
    }
  }
  c.stroke();
  c.restore();
}

function prepared(
  element: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  if (element === null || width <= 0) return null;
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (element.width !== w || element.height !== h) {
    element.width = w;
    element.height = h;
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
  }
  const c = element.getContext("2d");
  c?.setTransform(ratio, 0, 0, ratio, 0, 0);
  c?.clearRect(0, 0, width, height);
  return c;
}

const MOST_DOTS = 100;

interface Mark {
  readonly a: number;
  readonly b: number;
  readonly vertical: boolean;
}

// What lies over the lines: what is being marked, the line that is lit, the crosshair and the points at it.
function drawOverlay(
  c: CanvasRenderingContext2D,
  axes: PlotAxes,
  shown: readonly ShownLine[],
  mark: Mark | null,
  id: string,
  smoothed: boolean,
): void {
  const { box } = axes;
  if (mark !== null) {
    c.fillStyle = colour("--accent");
    c.globalAlpha = 0.15;
    const [a, b] = [Math.min(mark.a, mark.b), Math.max(mark.a, mark.b)];
    if (mark.vertical) c.fillRect(box.left, a, box.right - box.left, b - a);
    else c.fillRect(a, box.top, b - a, box.bottom - box.top);
    c.globalAlpha = 1;
  }
  const bright = lit.peek();
  if (bright !== null)
    for (const one of shown) {
      if (one.owner !== bright) continue;
      c.strokeStyle = one.look.colour;
      c.lineWidth = 2.5;
      light(c, one.line, smoothed ? one.line.smoothed : one.line.y, axes);
    }
  const cross = crosshair.peek();
  if (cross === null) return;
  const at = pixelAt(axes.x, cross.x);
  if (!(at >= box.left - 1 && at <= box.right + 1)) return;
  c.fillStyle = colour("--muted");
  c.fillRect(Math.round(at), box.top, 1, box.bottom - box.top);
  if (shown.length > MOST_DOTS && cross.chart !== id) return;
  for (const { line, look } of shown.length > MOST_DOTS
    ? closest(shown, cross.x, cross.y, smoothed)
    : shown) {
    const point = nearest(line, cross.x);
    if (point < 0) continue;
    const y = pixelAt(axes.y, (smoothed ? line.smoothed : line.y)[point] as number);
    if (!(y >= box.top - 2 && y <= box.bottom + 2)) continue;
    c.fillStyle = look.colour;
    c.fillRect(Math.round(pixelAt(axes.x, line.x[point] as number)) - 2, Math.round(y) - 2, 5, 5);
  }
}

// The lines nearest to the pointer.
function closest(
  shown: readonly ShownLine[],
  x: number,
  y: number | null,
  smoothed: boolean,
): readonly ShownLine[] {
  const list = readings(
    shown.map(({ line }) => line),
    [],
    x,
    smoothed,
  );
  return inOrder(list, "nearest", y)
    .slice(0, ROWS)
    .map(({ line }) => shown[line] as ShownLine);
}

interface TipProps {
  readonly id: string;
  readonly title: string;
  readonly shown: readonly ShownLine[];
  readonly axes: PlotAxes;
  readonly width: number;
  readonly view: CurveView;
}

// What the lines have at the crosshair, if that is over this chart.
function Tip({ id, title, shown, axes, width, view }: TipProps) {
  const cross = useComputed(() => (crosshair.value?.chart === id ? crosshair.value : null)).value;
  const smoothed = view.smoothing > 0;
  const kind = view.x;
  const list =
    cross === null
      ? []
      : readings(
          shown.map(({ line }) => line),
          shown.map(({ look }) => look.name),
          cross.x,
          smoothed,
        );
  const rows = inOrder(list, view.order, cross?.y ?? null);
  useEffect(() => {
    if (cross === null) return;
    readingsShown.value = {
      title,
      x: cross.x,
      byLine: new Map(list.map((reading) => [shown[reading.line]?.owner ?? "", reading])),
    };
  }, [cross]);
  if (cross === null) return null;
  const x = pixelAt(axes.x, cross.x);
  const side = x > width * 0.5 ? { right: `${width - x + 14}px` } : { left: `${x + 14}px` };
  const first = rows[0];
  if (first === undefined) return null;
  const line = shown[first.line]?.line;
  return (
    <div class="curve-tip" style={side} aria-live="off">
      <div class="curve-tip-head">
        {xText(kind, first.x)}
        {kind === "step" && line ? (
          <span class="muted"> · {new Date((line.wall[first.point] as number) * 1000).toLocaleString()}</span>
        ) : null}
      </div>
      <table>
        <tbody>
          {rows.slice(0, ROWS).map((reading) => {
            const of = shown[reading.line];
            return (
              <tr key={reading.line}>
                <td>
                  <span class="run-swatch" style={{ background: of?.look.colour ?? "gray" }} />
                </td>
                <td class="curve-tip-name">{visible(of?.look.name ?? "")}</td>
                <td class="num">{shortNumber(reading.value)}</td>
                {smoothed ? <td class="num muted">{shortNumber(reading.raw)}</td> : null}
                {kind !== "step" || reading.x !== first.x ? (
                  <td class="num muted">{kind === "step" ? `@${reading.x}` : ""}</td>
                ) : null}
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > ROWS ? (
        <div class="muted">and {(rows.length - ROWS).toLocaleString("en-US")} more, in the legend</div>
      ) : null}
    </div>
  );
}
