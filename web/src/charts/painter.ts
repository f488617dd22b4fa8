// SPDX-License-Identifier: Apache-2.0
// What pictures are drawn with. The same drawing goes to a canvas on the page and to an SVG file for download.

export interface TextStyle {
  readonly fill: string;
  readonly size?: number; // pixels, 11 if not given
  readonly align?: "left" | "center" | "right";
  readonly bold?: boolean;
  readonly turn?: number; // radians
  readonly halo?: string; // a rim of this colour, to be read over other things
}

// A piece of a ring; angles in radians, clockwise from the top.
export interface Ring {
  readonly cx: number;
  readonly cy: number;
  readonly r0: number;
  readonly r1: number;
  readonly a0: number;
  readonly a1: number;
}

export interface Painter {
  rect(x: number, y: number, w: number, h: number, fill: string, stroke?: string): void;
  // Lines at 45°: time that may belong to a box.
  hatch(x: number, y: number, w: number, h: number, colour: string): void;
  ring(ring: Ring, fill: string, stroke?: string): void;
  circle(cx: number, cy: number, r: number, fill: string, stroke?: string): void;
  line(points: readonly (readonly [number, number])[], stroke: string, width?: number, dash?: number): void;
  // y is the middle of the line of text.
  text(x: number, y: number, text: string, style: TextStyle): void;
  measure(text: string, size?: number, bold?: boolean): number;
}

// A straight line.
export const segment = (
  painter: Painter,
  [x0, y0, x1, y1]: readonly [number, number, number, number],
  stroke: string,
  width?: number,
): void =>
  painter.line(
    [
      [x0, y0],
      [x1, y1],
    ],
    stroke,
    width,
  );

export const HALO = 4; // px, half of it outside of the letters
export const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const fontOf = (size = 11, bold = false): string => `${bold ? "600 " : ""}${size}px ${FONT}`;

export class CanvasPainter implements Painter {
  constructor(readonly context: CanvasRenderingContext2D) {
    context.textBaseline = "middle";
  }

  rect(x: number, y: number, w: number, h: number, fill: string, stroke?: string): void {
    const c = this.context;
    if (fill !== "") {
      c.fillStyle = fill;
      c.fillRect(x, y, w, h);
    }
    if (stroke !== undefined) {
      c.strokeStyle = stroke;
      c.lineWidth = 1;
      c.strokeRect(x + 0.5, y + 0.5, Math.max(0, w - 1), Math.max(0, h - 1));
    }
  }

  hatch(x: number, y: number, w: number, h: number, colour: string): void {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(x, y, w, h);
    c.clip();
    c.beginPath();
    for (let d = -h + ((6 - (x % 6)) % 6); d < w; d += 6) {
      c.moveTo(x + d, y + h);
      c.lineTo(x + d + h, y);
    }
    c.strokeStyle = colour;
    c.lineWidth = 1.4;
    c.stroke();
    c.restore();
  }

  ring({ cx, cy, r0, r1, a0, a1 }: Ring, fill: string, stroke?: string): void {
    const c = this.context;
    const turn = -Math.PI / 2;
    c.beginPath();
    c.arc(cx, cy, r1, a0 + turn, a1 + turn);
    c.arc(cx, cy, r0, a1 + turn, a0 + turn, true);
    c.closePath();
    this.paint(fill, stroke);
  }

  circle(cx: number, cy: number, r: number, fill: string, stroke?: string): void {
    const c = this.context;
    c.beginPath();
    c.arc(cx, cy, r, 0, 2 * Math.PI);
    this.paint(fill, stroke);
  }

  // The path that was drawn last.
  private paint(fill: string, stroke: string | undefined): void {
    const c = this.context;
    if (fill !== "") {
      c.fillStyle = fill;
      c.fill();
    }
    if (stroke !== undefined) {
      c.strokeStyle = stroke;
      c.lineWidth = 1;
      c.stroke();
    }
  }

  line(points: readonly (readonly [number, number])[], stroke: string, width = 1, dash = 0): void {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => {
      if (i === 0) c.moveTo(x, y);
      else c.lineTo(x, y);
    });
    c.setLineDash(dash > 0 ? [dash, dash] : []);
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.stroke();
    c.setLineDash([]);
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const c = this.context;
    c.font = fontOf(style.size, style.bold);
    c.textAlign = style.align ?? "left";
    c.fillStyle = style.fill;
    const write = (at: number, height: number): void => {
      if (style.halo !== undefined) {
        c.strokeStyle = style.halo;
        c.lineWidth = HALO;
        c.lineJoin = "round";
        c.strokeText(text, at, height);
      }
      c.fillText(text, at, height);
    };
    if (style.turn === undefined) {
      write(x, y);
      return;
    }
    c.save();
    c.translate(x, y);
    c.rotate(style.turn);
    write(0, 0);
    c.restore();
  }

  measure(text: string, size?: number, bold?: boolean): number {
    this.context.font = fontOf(size, bold);
    return this.context.measureText(text).width;
  }
}
