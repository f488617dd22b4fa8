// SPDX-License-Identifier: Apache-2.0
// Curves over time with uPlot: dragging marks a range, a click a moment. What is marked belongs to the page.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./line_chart.css";
import "./picture.css";
import { columnFormat } from "../lib/units";
import { dark } from "../state/theme";
import { type CurveData, drawCurves } from "./draw_curves";
import { PictureDownloads } from "./picture_downloads";
import { colour } from "./theme";

export interface LineChartProps {
  readonly name: string;
  readonly summary: string;
  readonly data: CurveData; // the same object as long as nothing changes
  readonly height?: number;
  readonly range?: readonly [number, number] | null;
  readonly moment?: number | null;
  readonly onRange?: (range: readonly [number, number] | null) => void;
  readonly onMoment?: (x: number) => void;
  readonly onHover?: (x: number | null) => void;
}

function options(props: LineChartProps, width: number): uPlot.Options {
  const { data, height = 260 } = props;
  const most = Math.max(
    ...data.series.map((s) => s.values.reduce<number>((m, v) => Math.max(m, v ?? 0), 0)),
    0,
  );
  const last = data.x[data.x.length - 1] ?? 0;
  const [fx, fy] = [columnFormat(data.xQuantity ?? "time", last), columnFormat(data.quantity, most)];
  const axis = (format: typeof fx, size: number): uPlot.Axis => ({
    stroke: colour("--muted"),
    grid: { stroke: colour("--border"), width: 1 },
    ticks: { stroke: colour("--border"), width: 1, size: 4 },
    font: "11px system-ui, sans-serif",
    size,
    values: (_u, splits) =>
      splits.map((v) => `${trim(format.text(v))}${format.unit ? ` ${format.unit}` : ""}`),
  });
  return {
    width,
    height,
    legend: { show: false },
    scales: {
      x: { time: false },
      y: { range: (_u, min, max) => [Math.min(0, min), most > 0 ? max * 1.05 : 1] },
    },
    axes: [
      { ...axis(fx, 26), ...(fx.unit === "" ? {} : { incrs: increments(last) }) },
      { ...axis(fy, 84), ...(data.quantity === "bytes" ? { incrs: powers(most) } : {}) },
    ],
    cursor: { drag: { x: props.onRange !== undefined, y: false, setScale: false }, points: { size: 6 } },
    series: [
      {},
      ...data.series.map((s) => ({
        label: s.title,
        stroke: colour(s.color),
        width: s.thin ? 1.2 : 1.5,
        ...(s.thin ? { dash: [6, 4] } : {}),
        ...(s.filled ? { fill: faded(colour(s.color), s.stacked ? 1 : 0.18) } : {}),
        ...(stepped === undefined || data.straight ? {} : { paths: stepped }),
        points: { show: false },
      })),
    ],
  };
}

const stepped = uPlot.paths.stepped?.({ align: 1 });
const trim = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
const faded = (rgb: string, share: number): string =>
  rgb.replace("rgb(", "rgba(").replace(")", `, ${share})`);
const increments = (last: number): number[] => {
  const list: number[] = [];
  for (let p = 1; p <= Math.max(last, 1); p *= 10) list.push(p, 2 * p, 5 * p);
  return list;
};
const powers = (most: number): number[] => {
  const list: number[] = [];
  for (let p = 1; p <= Math.max(most, 1); p *= 2) list.push(p);
  return list;
};

export function LineChart(props: LineChartProps) {
  const { name, summary, data, height = 260, range, moment } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const shade = dark.value;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const opts = options(latest.current, element.clientWidth);
    opts.hooks = {
      setSelect: [
        (u) => {
          if (u.select.width < 3) return;
          const from = u.posToVal(u.select.left, "x");
          const to = u.posToVal(u.select.left + u.select.width, "x");
          latest.current.onRange?.([Math.round(from), Math.round(to)]);
        },
      ],
      setCursor: [
        (u) => {
          const left = u.cursor.left ?? -1;
          latest.current.onHover?.(left < 0 ? null : u.posToVal(left, "x"));
        },
      ],
      draw: [(u) => mark(u, latest.current.moment)],
    };
    const table: uPlot.AlignedData = [
      data.x as number[],
      ...data.series.map((s) => s.values as (number | null)[]),
    ];
    const u = new uPlot(opts, table, element);
    plot.current = u;
    let down = -1;
    u.over.addEventListener("pointerdown", (event) => {
      down = event.clientX;
    });
    u.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) > 3) return;
      latest.current.onMoment?.(Math.round(u.posToVal(event.offsetX, "x")));
    });
    u.over.addEventListener("dblclick", () => latest.current.onRange?.(null));
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== u.width) u.setSize({ width: element.clientWidth, height });
      select(u, latest.current.range);
    });
    observer.observe(element);
    select(u, latest.current.range);
    return () => {
      observer.disconnect();
      u.destroy();
      plot.current = null;
    };
  }, [data, shade, height]);

  useEffect(() => {
    if (plot.current) select(plot.current, range);
  }, [range?.[0], range?.[1]]);
  useEffect(() => plot.current?.redraw(false), [moment]);

  return (
    <figure class="line-chart" aria-label={summary}>
      <div ref={box} role="img" aria-label={summary} style={{ minHeight: `${height}px` }} />
      <figcaption class="picture-foot">
        <ul class="legend picture-notes">
          {data.series.map((s) => (
            <li key={s.title}>
              <i style={{ background: `var(${s.color})` }} />
              {s.title}
            </li>
          ))}
        </ul>
        <PictureDownloads
          name={name}
          summary={summary}
          width={900}
          height={320}
          draw={(painter, w, h) => {
            drawCurves(painter, w, h, data);
            return [];
          }}
        />
      </figcaption>
    </figure>
  );
}

function select(u: uPlot, range: readonly [number, number] | null | undefined): void {
  if (!range) {
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    return;
  }
  const left = u.valToPos(range[0], "x");
  u.setSelect({ left, top: 0, width: u.valToPos(range[1], "x") - left, height: u.over.clientHeight }, false);
}

function mark(u: uPlot, moment: number | null | undefined): void {
  if (moment === null || moment === undefined) return;
  const x = u.valToPos(moment, "x", true);
  const { top, height } = u.bbox;
  u.ctx.save();
  u.ctx.strokeStyle = colour("--accent");
  u.ctx.lineWidth = 2 * devicePixelRatio;
  u.ctx.beginPath();
  u.ctx.moveTo(x, top);
  u.ctx.lineTo(x, top + height);
  u.ctx.stroke();
  u.ctx.restore();
}
