// SPDX-License-Identifier: Apache-2.0
// A picture as a file, drawn anew at twice the size (PNG) or as vectors (SVG).

import { saveFile } from "../lib/download";
import { CanvasPainter, type Painter } from "./painter";
import type { Part } from "./parts";
import { SvgPainter } from "./svg_painter";
import { colour } from "./theme";

export interface Drawing {
  readonly name: string;
  readonly summary: string;
  readonly draw: (painter: Painter, width: number, height: number) => readonly Part[];
  readonly width: number;
  readonly height: number;
}

export function svgOf({ draw, width, height, summary }: Drawing): string {
  const context = document.createElement("canvas").getContext("2d");
  const measuring = context === null ? null : new CanvasPainter(context);
  const painter = new SvgPainter(
    (text, size, bold) => measuring?.measure(text, size, bold) ?? text.length * 6,
  );
  draw(painter, width, height);
  return painter.document(width, height, colour("--panel"), summary);
}

function savePng({ draw, width, height, name }: Drawing): void {
  const canvas = document.createElement("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(2, 2);
  context.fillStyle = colour("--panel");
  context.fillRect(0, 0, width, height);
  draw(new CanvasPainter(context), width, height);
  canvas.toBlob((blob) => {
    if (blob !== null) saveFile(`${name}.png`, blob);
  });
}

export function PictureDownloads(drawing: Drawing) {
  return (
    <div class="picture-downloads">
      <button type="button" title="Download the picture as PNG" onClick={() => savePng(drawing)}>
        PNG
      </button>
      <button
        type="button"
        title="Download the picture as SVG"
        onClick={() => saveFile(`${drawing.name}.svg`, svgOf(drawing), "image/svg+xml")}
      >
        SVG
      </button>
    </div>
  );
}
