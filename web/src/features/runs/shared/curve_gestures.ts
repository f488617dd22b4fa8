// SPDX-License-Identifier: Apache-2.0
// What a hand does with a chart: pointing moves the crosshair, dragging zooms (with Shift in y), the wheel with Ctrl or Alt
// zooms in y, arrows, plus, minus and 0 do the same by keys, a double click shows all again.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { pixelAt, valueAt } from "../../../lib/runs/axis";
import type { Range } from "../../../lib/runs/range";
import { crosshair } from "./crosshair";
import type { Mark } from "./curve_overlay";
import type { PlotAxes } from "./curve_plot";

// What is to be shown then; null: all. Without them, the chart does not zoom.
export interface Zooming {
  readonly onZoom?: (range: Range | null) => void;
  readonly onZoomY?: (range: Range | null) => void;
}

function stretched(axis: PlotAxes["x"], center: number, factor: number): Range {
  const [lo, hi] = axis.log ? [Math.log10(axis.min), Math.log10(axis.max)] : [axis.min, axis.max];
  const c = axis.log ? Math.log10(center) : center;
  const range: Range = [c + (lo - c) * factor, c + (hi - c) * factor];
  return axis.log ? [10 ** range[0], 10 ** range[1]] : range;
}

// `axes` null: nothing is drawn yet.
export function useGestures(
  figure: RefObject<HTMLDivElement | null>,
  axes: PlotAxes | null,
  id: string,
  zooming: Zooming,
) {
  const drag = useRef<{ x: number; y: number; vertical: boolean } | null>(null);
  const [mark, setMark] = useState<Mark | null>(null);
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
      zooming.onZoomY?.([
        valueAt(axes.y, inside(Math.max(y, from.y), box.top, box.bottom)),
        valueAt(axes.y, inside(Math.min(y, from.y), box.top, box.bottom)),
      ]);
    else if (!from.vertical && Math.abs(x - from.x) > 4)
      zooming.onZoom?.([
        valueAt(axes.x, inside(Math.min(x, from.x), box.left, box.right)),
        valueAt(axes.x, inside(Math.max(x, from.x), box.left, box.right)),
      ]);
  };
  useEffect(() => {
    const element = figure.current;
    if (element === null || zooming.onZoomY === undefined) return;
    // With Ctrl or Alt, so that a page of charts can be scrolled through; not passive, since it must not scroll then.
    const wheel = (event: WheelEvent): void => {
      if (axes === null || !(event.altKey || event.ctrlKey || document.activeElement === element)) return;
      event.preventDefault();
      const factor = event.deltaY > 0 ? 1.2 : 1 / 1.2;
      zooming.onZoomY?.(stretched(axes.y, valueAt(axes.y, at(event).y), factor));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  });
  const reset = (): void => {
    zooming.onZoom?.(null);
    zooming.onZoomY?.(null);
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
      zooming.onZoom?.(stretched(axes.x, now, event.key === "+" ? 0.5 : 2));
    else if (event.key === "0") reset();
    else if (event.key === "Escape" && cross !== null) crosshair.value = null;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const handlers = {
    onKeyDown: keys,
    onPointerMove: moved,
    onPointerLeave: (): void => {
      if (drag.current === null) crosshair.value = null;
    },
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      const { x, y } = at(event);
      drag.current = { x, y, vertical: event.shiftKey };
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerUp: up,
    onPointerCancel: (): void => {
      drag.current = null;
      setMark(null);
    },
    onDblClick: reset,
  };
  return { mark, handlers };
}
