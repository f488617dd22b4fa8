// SPDX-License-Identifier: Apache-2.0
// A sheet of pixels that is filled by plain writes and then laid onto a canvas. A row of boxes needs one line of
// pixels, which is stretched to the row's height: the cost of a frame depends on the number of rows, not of boxes.
// (A canvas without a GPU takes some 20,000 fillRect a frame at most; a timeline has more.)

const FIRST_LINES = 64;

export class Sheet {
  width = 0;
  pixels = new Uint32Array(0); // ABGR
  lines = 0; // in use
  private capacity = 0;
  private image: ImageData | null = null;
  private canvas: HTMLCanvasElement | null = null;
  private context: CanvasRenderingContext2D | null = null;
  private pieces = 0;
  private fromLine = new Uint16Array(64);
  private numberOfLines = new Uint16Array(64);
  private toY = new Int32Array(64);
  private toHeight = new Uint16Array(64);

  begin(width: number): void {
    if (width !== this.width) {
      this.width = width;
      this.resize(Math.max(this.capacity, FIRST_LINES));
    }
    this.lines = 0;
    this.pieces = 0;
  }

  // Clear lines that will be laid at y, `height` pixels high; returns the offset of their first pixel.
  take(lines: number, y: number, height: number): number {
    while (this.lines + lines > this.capacity) this.resize(this.capacity * 2);
    if (this.pieces === this.fromLine.length) this.growPieces();
    const first = this.lines;
    this.fromLine[this.pieces] = first;
    this.numberOfLines[this.pieces] = lines;
    this.toY[this.pieces] = y;
    this.toHeight[this.pieces] = height;
    this.pieces++;
    this.lines += lines;
    this.pixels.fill(0, first * this.width, this.lines * this.width);
    return first * this.width;
  }

  lay(target: CanvasRenderingContext2D): void {
    if (this.lines === 0 || !this.context || !this.image || !this.canvas) return;
    const { width } = this;
    this.context.putImageData(this.image, 0, 0, 0, 0, width, this.lines);
    target.imageSmoothingEnabled = false;
    for (let i = 0; i < this.pieces; i++) {
      const from = this.fromLine[i] as number;
      const lines = this.numberOfLines[i] as number;
      const y = this.toY[i] as number;
      target.drawImage(this.canvas, 0, from, width, lines, 0, y, width, this.toHeight[i] as number);
    }
  }

  private resize(lines: number): void {
    const before = this.pixels;
    const sameWidth = this.image?.width === this.width;
    this.capacity = lines;
    this.image = new ImageData(Math.max(this.width, 1), lines);
    this.pixels = new Uint32Array(this.image.data.buffer);
    if (sameWidth) this.pixels.set(before);
    this.canvas ??= document.createElement("canvas");
    this.canvas.width = Math.max(this.width, 1);
    this.canvas.height = lines;
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
  }

  private growPieces(): void {
    const size = this.fromLine.length * 2;
    const wider = <T extends Uint16Array | Int32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.fromLine = wider(this.fromLine, new Uint16Array(size));
    this.numberOfLines = wider(this.numberOfLines, new Uint16Array(size));
    this.toY = wider(this.toY, new Int32Array(size));
    this.toHeight = wider(this.toHeight, new Uint16Array(size));
  }
}

// A run of pixels; most are short.
export function run(pixels: Uint32Array, from: number, to: number, colour: number): void {
  if (to - from > 24) pixels.fill(colour, from, to);
  else for (let i = from; i < to; i++) pixels[i] = colour;
}
