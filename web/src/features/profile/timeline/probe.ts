// SPDX-License-Identifier: Apache-2.0
// What was drawn, in numbers, for tests. Nothing is collected unless the timeline's root element has the attribute
// `data-probe`; then, after each drawing of the tracks, its canvas has
//   data-drawn:  {"ratio", "start", "end", "rows": [{"track", "depth", "y", "h", "boxes": [[x, width, fill], …]}]},
//                in device pixels, `fill` being the index of the colour (three shades per category, dimmed after);
//   data-frames: {"drawn", "median_ms", "boxes"}, the cost of the frames so far.
import type { Frames } from "../../../canvas/frames";
import type { Renderer, RowListener } from "../../../canvas/renderer";
import type { BoxListener } from "../../../canvas/span_painter";
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
      this.listen(null, null);
      return;
    }
    this.rows = [];
    this.listen(this.onRow, this.onBox);
  }

  private listen(onRow: RowListener | null, onBox: BoxListener | null): void {
    this.renderer.onRow = onRow;
    this.renderer.scrolled.onBox = onBox;
    this.renderer.pinned.onBox = onBox;
  }
  private readonly onRow: RowListener = (track, depth, y, h) => {
    this.rows.push({ track, depth, y, h, boxes: [] });
  };
  private readonly onBox: BoxListener = (x, width, fill) => {
    this.rows[this.rows.length - 1]?.boxes.push([x, width, fill]);
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
