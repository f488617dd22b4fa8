// SPDX-License-Identifier: Apache-2.0
// One chart: its lines, the crosshair with what they have there (curve_overlay.ts, curve_tip.tsx), zooming by hand and by keys
// (curve_gestures.ts), and files of what is shown (curve_downloads.tsx).
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CurveView } from "../../../lib/runs/curve_view";
import type { Margin } from "../../../lib/runs/margins";
import { isAmount } from "../../../lib/runs/tags";
import { dark } from "../../../state/theme";
import { Name } from "../../../ui/name";
import { crosshair, lit } from "./crosshair";
import { CurveDownloads } from "./curve_downloads";
import { useGestures, type Zooming } from "./curve_gestures";
import { useLines } from "./curve_lines";
import { drawOverlay, prepared } from "./curve_overlay";
import { CurvePlot, type PlotAxes, type PlotView } from "./curve_plot";
import { Tip } from "./curve_tip";
import { type ChartOf, requestOf, shownLines, summaryOf } from "./shown_lines";

export interface CurveCardProps extends ChartOf, Zooming {
  readonly id: string; // the chart's key in the address
  readonly title: string;
  readonly view: CurveView;
  readonly height: number;
  readonly note?: string; // what the tag is, if someone said so
  readonly actions?: ComponentChildren;
  readonly margins?: readonly Margin[]; // of which the tags are all there is
}

export function CurveCard(props: CurveCardProps) {
  const { id, title, tags, runs, groups, view, height } = props;
  const figure = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const plot = useRef<CurvePlot | null>(null);
  const [width, setWidth] = useState(0);
  const [axes, setAxes] = useState<PlotAxes | null>(null);
  const shade = dark.value;
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
    () => (width > 0 && runs.length > 0 ? requestOf(props, view, Math.ceil(width / 64) * 64) : null),
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

  const shown = useMemo(
    () =>
      lines === null || request === null
        ? []
        : shownLines(lines, props, request.body.charts, props.margins, shade),
    [lines, runs, groups, props.margins, shade],
  );
  const plotView: PlotView = {
    x: view.x,
    logX: view.logX,
    logY: view.logY,
    smoothed: view.smoothing > 0,
    outliers: view.outliers,
    zoom: view.zoom,
    zoomY: view.zoomY.get(id) ?? null,
    fromZero: tags.every(isAmount),
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

  const gestures = useGestures(figure, axes, id, props);
  const { mark } = gestures;

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

  const summary = summaryOf(title, lines === null ? null : shown, plotView.smoothed);
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
          <CurveDownloads title={title} summary={summary} shown={shown} view={plotView} />
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
        data-points={shown.reduce((sum, { line }) => sum + line.total, 0)}
        {...gestures.handlers}
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
