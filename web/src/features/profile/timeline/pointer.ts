// SPDX-License-Identifier: Apache-2.0
// The mouse over the tracks: the wheel zooms at the pointer (with Shift, or sideways, it pans), dragging moves both
// ways, dragging with Shift or along the axis chooses a range between edges of spans (with Alt between any moments), a click chooses an event, a double click zooms to it.
import type { Signal } from "@preact/signals";
import { AXIS_HEIGHT } from "../../../canvas/axis_painter";
import type { Snap } from "../../../canvas/scene";
import { NO_EVENT } from "../../../lib/spans";
import type { TimelineModel } from "./model";
import { edgeAt, type Pick, pickAt } from "./pick";
import type { Stage } from "./stage";

export interface Hover {
  readonly pick: Pick;
  readonly x: number;
  readonly y: number;
}

interface Drag {
  readonly x: number;
  readonly y: number;
  lastX: number;
  lastY: number;
  kind: "press" | "pan" | "range";
  readonly edge: Snap | null; // where a range begins
}

const CLICK_PIXELS = 4;
const WHEEL_RATE = 0.0016;
const PINCH_RATE = 0.01; // a trackpad's pinch comes as small steps with ctrlKey

export function bindPointer(model: TimelineModel, stage: Stage, hover: Signal<Hover | null>): () => void {
  const { over, scroller } = stage.elements;
  const { scene, motion } = model;
  let drag: Drag | null = null;

  const at = (event: MouseEvent): [number, number] => {
    const box = over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const unhover = (): void => {
    scene.hover = null;
    hover.value = null;
  };
  const look = (x: number, y: number): void => {
    const pick = pickAt(scene, x, y);
    scene.hover = pick?.kind === "span" ? pick.box : null;
    hover.value = pick ? { pick, x, y } : null;
    over.style.cursor = pick?.kind === "span" ? "pointer" : y < AXIS_HEIGHT ? "col-resize" : "default";
  };

  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    motion.stop();
    const unit = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 400 : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    const [x] = at(event);
    if (event.shiftKey) scene.viewport.panPixels(dx + dy);
    else if (Math.abs(dx) > Math.abs(dy)) scene.viewport.panPixels(dx);
    else {
      const rate = event.ctrlKey && Math.abs(dy) < 50 ? PINCH_RATE : WHEEL_RATE;
      scene.viewport.zoomAt(x, Math.exp(Math.min(Math.max(dy * rate, -1), 1)));
    }
    unhover();
    scene.pointer = x;
    model.moved();
  };

  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const [x, y] = at(event);
    motion.stop();
    over.setPointerCapture(event.pointerId);
    const range = event.shiftKey || y < AXIS_HEIGHT;
    const edge = range ? edgeAt(scene, x, y) : null;
    drag = { x, y, lastX: x, lastY: y, kind: range ? "range" : "press", edge };
  };

  const onMove = (event: PointerEvent): void => {
    const [x, y] = at(event);
    scene.pointer = x;
    if (drag === null) {
      look(x, y);
      model.redrawOver();
      return;
    }
    if (drag.kind === "press") {
      if (Math.hypot(x - drag.x, y - drag.y) < CLICK_PIXELS) return;
      drag.kind = "pan";
      unhover();
      over.style.cursor = "grabbing";
    }
    if (drag.kind === "pan") {
      scene.viewport.panPixels(drag.lastX - x);
      if (y !== drag.lastY) scroller.scrollTop += drag.lastY - y;
      drag.lastX = x;
      drag.lastY = y;
      model.moved();
      return;
    }
    unhover();
    const begin = event.altKey ? null : drag.edge;
    const end = event.altKey ? null : edgeAt(scene, x, y);
    const a = begin?.time ?? scene.viewport.time(drag.x);
    const b = end?.time ?? scene.viewport.time(x);
    scene.ranging = true;
    scene.range = { start: Math.min(a, b), end: Math.max(a, b) };
    scene.snaps = [begin, end].filter((edge) => edge !== null);
    model.redrawOver();
  };

  const onUp = (event: PointerEvent): void => {
    const done = drag;
    drag = null;
    over.style.cursor = "default";
    if (done === null) return;
    const [x, y] = at(event);
    if (done.kind === "range") {
      scene.ranging = false;
      scene.snaps = [];
      const far = Math.abs(x - done.x) >= CLICK_PIXELS;
      model.setRange(far ? scene.range : null);
      return;
    }
    if (done.kind === "press") choose(x, y);
  };

  const choose = (x: number, y: number): void => {
    const pick = pickAt(scene, x, y);
    if (pick?.kind !== "span") {
      if (model.choice.chosen.value) model.choose(null);
      return;
    }
    const { table } = pick.slice;
    const row = table.event[pick.index] as number;
    if (row === NO_EVENT) return;
    const merged = table.merged[pick.index] as number;
    model.choose({ file: model.fileOf(pick.track.id), row }, pick.box, merged);
  };

  const onDouble = (event: MouseEvent): void => {
    const [x, y] = at(event);
    const pick = pickAt(scene, x, y);
    if (pick?.kind === "span") model.zoomTo(pick.box);
  };
  const onLeave = (): void => {
    scene.pointer = null;
    unhover();
    model.redrawOver();
  };
  const onCancel = (): void => {
    drag = null;
    scene.ranging = false;
    scene.snaps = [];
  };

  const unbound = new AbortController();
  const { signal } = unbound;
  over.addEventListener("wheel", onWheel, { passive: false, signal });
  over.addEventListener("pointerdown", onDown, { signal });
  over.addEventListener("pointermove", onMove, { signal });
  over.addEventListener("pointerup", onUp, { signal });
  over.addEventListener("pointercancel", onCancel, { signal });
  over.addEventListener("pointerleave", onLeave, { signal });
  over.addEventListener("dblclick", onDouble, { signal });
  motion.anchor = () => scene.pointer ?? scene.viewport.width / 2;
  return () => unbound.abort();
}
