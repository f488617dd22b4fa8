// SPDX-License-Identifier: Apache-2.0
// Files of what a chart shows: its points, or a picture.
import { svgOf } from "../../../charts/picture_downloads";
import { toCsv, toJson } from "../../../lib/csv";
import { saveFile } from "../../../lib/download";
import { Menu } from "../../../ui/menu";
import { drawCurves, pngOf } from "./curve_files";
import type { PlotView } from "./curve_plot";
import type { ShownLine } from "./shown_lines";

const [WIDTH, HEIGHT] = [900, 420]; // of pictures

function* rowsOf(shown: readonly ShownLine[]) {
  for (const { line, look, tag } of shown)
    for (let i = 0; i < line.x.length; ++i) {
      if (Number.isNaN(line.x[i])) continue;
      const row = [look.name, tag, line.step[i], line.wall[i], line.x[i], line.y[i], line.smoothed[i]];
      yield line.low && line.high ? [...row, line.low[i], line.high[i]] : row;
    }
}

export interface CurveDownloadsProps {
  readonly title: string;
  readonly summary: string;
  readonly shown: readonly ShownLine[];
  readonly view: PlotView;
}

export function CurveDownloads({ title, summary, shown, view }: CurveDownloadsProps) {
  const name = title.replace(/[^\w.-]+/g, "_");
  const picture = () => ({
    name,
    summary,
    width: WIDTH,
    height: HEIGHT,
    draw: drawCurves(shown, view, title),
  });
  const columns = (): readonly string[] => [
    "run",
    "tag",
    "step",
    "wall_time",
    "x",
    "value",
    "smoothed",
    ...(shown.some(({ line }) => line.low) ? ["low", "high"] : []),
  ];
  const svg = (): string => {
    const drawing = picture();
    return svgOf({
      ...drawing,
      draw: (painter, width, height) => {
        drawing.draw(painter, width, height);
        return [];
      },
    });
  };
  return (
    <Menu
      label=""
      title={`Download ${title}`}
      icon="download"
      plain
      items={[
        {
          label: "CSV",
          hint: "points shown",
          action: () => saveFile(`${name}.csv`, toCsv(columns(), rowsOf(shown)), "text/csv"),
        },
        {
          label: "JSON",
          hint: "points shown",
          action: () => saveFile(`${name}.json`, toJson(columns(), rowsOf(shown)), "application/json"),
        },
        {
          label: "PNG",
          action: () => pngOf(picture()).then((blob) => blob && saveFile(`${name}.png`, blob)),
        },
        { label: "SVG", action: () => saveFile(`${name}.svg`, svg(), "image/svg+xml") },
      ]}
    />
  );
}
