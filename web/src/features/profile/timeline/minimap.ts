// SPDX-License-Identifier: Apache-2.0
// The mouse on the small map: the window is dragged, its edges zoom, a drag beside it draws a new one, a click
// moves it there.
import type { TimelineModel } from "./model";

const EDGE_PIXELS = 6;

export function bindMinimap(model: TimelineModel, map: HTMLElement): () => void {
  const { viewport } = model.scene;
  let drag: { part: "move" | "start" | "end" | "new"; grabbed: number; moved: boolean } | null = null;

  const timeAt = (event: PointerEvent): number => {
    const box = map.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * viewport.duration;
  };
  const partAt = (event: PointerEvent): "move" | "start" | "end" | "new" => {
    const time = timeAt(event);
    const edge = (EDGE_PIXELS / map.clientWidth) * viewport.duration;
    if (Math.abs(time - viewport.start) < edge) return "start";
    if (Math.abs(time - viewport.end) < edge) return "end";
    return time > viewport.start && time < viewport.end ? "move" : "new";
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    model.motion.stop();
    map.setPointerCapture(event.pointerId);
    const part = partAt(event);
    const time = timeAt(event);
    drag = { part, grabbed: part === "move" ? time - viewport.start : time, moved: false };
  };
  const onMove = (event: PointerEvent): void => {
    if (drag === null) {
      const part = partAt(event);
      map.style.cursor = part === "move" ? "grab" : part === "new" ? "crosshair" : "ew-resize";
      return;
    }
    const time = timeAt(event);
    drag.moved = true;
    if (drag.part === "move") viewport.show(time - drag.grabbed, time - drag.grabbed + viewport.span);
    else if (drag.part === "start") viewport.show(Math.min(time, viewport.end - 1), viewport.end);
    else if (drag.part === "end") viewport.show(viewport.start, Math.max(time, viewport.start + 1));
    else viewport.show(Math.min(time, drag.grabbed), Math.max(time, drag.grabbed));
    model.moved();
  };
  const onUp = (event: PointerEvent): void => {
    const done = drag;
    drag = null;
    if (done === null || done.moved || done.part !== "new") return;
    const half = viewport.span / 2;
    const time = timeAt(event);
    model.motion.glide({ start: time - half, end: time + half });
  };
  const unbound = new AbortController();
  const { signal } = unbound;
  map.addEventListener("pointerdown", onDown, { signal });
  map.addEventListener("pointermove", onMove, { signal });
  map.addEventListener("pointerup", onUp, { signal });
  return () => unbound.abort();
}
