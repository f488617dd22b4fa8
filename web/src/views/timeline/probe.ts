// SPDX-License-Identifier: Apache-2.0
// What was drawn, in numbers, for tests. Nothing is collected unless the timeline's root element has the attribute
// `data-probe`; then, after each drawing of the tracks, its canvas has
//   data-drawn:  {"ratio", "start", "end", "rows": [{"track", "depth", "y", "h", "boxes": [[x, width, fill], …]}]},
//                in device pixels, `fill` being the index of the colour (three shades per category, dimmed after);
//   data-frames: {"drawn", "median_ms", "boxes"}, the cost of the frames so far.
import type { Frames } from "../../canvas/frames";
import type { Renderer } from "../../canvas/renderer";
import type { TimelineModel } from "./model";

interface DrawnRow {
  readonly track: number;
  readonly depth: number;
  readonly y: number;
  readonly h: number;
  readonly boxes: [number, number, number][];
}

export class Probe {
  private rows: DrawnRow[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly renderer: Renderer,
    private readonly frames: Frames,
    private readonly model: TimelineModel,
  ) {}

  before(): void {
    const wanted = this.root.dataset.probe;
    if (wanted === undefined || wanted === "frames") {
      this.renderer.onRow = null;
      return;
    }
    this.rows = [];
    this.renderer.onRow = this.onRow;
  }

  private readonly onRow = (track: number, depth: number, from: number, to: number): void => {
    const { x, y, w, h, fill } = this.renderer.spans;
    if (to === from) return;
    const row: DrawnRow = { track, depth, y: y[from] as number, h: h[from] as number, boxes: [] };
    for (let i = from; i < to; i++) row.boxes.push([x[i] as number, w[i] as number, fill[i] as number]);
    this.rows.push(row);
  };

  after(): void {
    if (this.root.dataset.probe === undefined) return;
    const { viewport } = this.model.scene;
    if (this.renderer.onRow !== null) {
      const ratio = this.canvas.width / viewport.width;
      this.canvas.dataset.drawn = JSON.stringify({
        ratio,
        start: viewport.start,
        end: viewport.end,
        rows: this.rows,
      });
    }
    this.canvas.dataset.frames = JSON.stringify({
      drawn: this.frames.drawn,
      median_ms: this.frames.median(200),
      boxes: this.renderer.boxes,
    });
  }
}
