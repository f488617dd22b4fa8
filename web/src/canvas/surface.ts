// SPDX-License-Identifier: Apache-2.0
// A canvas as large as its element, in the pixels of the device.

export class Surface {
  readonly context: CanvasRenderingContext2D;
  width = 0; // CSS pixels
  height = 0;
  ratio = 1;

  constructor(
    readonly canvas: HTMLCanvasElement,
    opaque: boolean,
  ) {
    const context = canvas.getContext("2d", { alpha: !opaque });
    if (!context) throw new Error("This browser has no 2D canvas.");
    this.context = context;
  }

  // Returns whether the size is another than before; the canvas is then blank.
  fit(width: number, height: number): boolean {
    const ratio = Math.min(devicePixelRatio || 1, 3);
    if (width === this.width && height === this.height && ratio === this.ratio) return false;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    return true;
  }
}
