// SPDX-License-Identifier: Apache-2.0
// Search, zoom and the picture as a file.
import { Download } from "../../../ui/page";
import type { TimelineModel } from "./model";
import { picture } from "./picture";
import { SearchBox } from "./search_box";

export function Toolbar({ model, name }: { readonly model: TimelineModel; readonly name: string }) {
  return (
    <>
      <SearchBox model={model} />
      <div class="tl-buttons">
        <button type="button" title="Zoom in (W)" aria-label="Zoom in" onClick={() => zoom(model, 0.5)}>
          +
        </button>
        <button type="button" title="Zoom out (S)" aria-label="Zoom out" onClick={() => zoom(model, 2)}>
          −
        </button>
        <button type="button" title="The whole trace (0)" onClick={() => model.motion.glide(model.whole)}>
          Fit
        </button>
      </div>
      <Download
        label="PNG"
        items={[{ label: "What is in view", file: `${name}-timeline.png`, make: () => picture(model) }]}
      />
    </>
  );
}

function zoom(model: TimelineModel, factor: number): void {
  const { start, end } = model.scene.viewport;
  const middle = (start + end) / 2;
  const half = ((end - start) / 2) * factor;
  model.motion.glide({ start: middle - half, end: middle + half });
}
