// SPDX-License-Identifier: Apache-2.0
// The timeline as it is in view, with its labels, as a PNG.
import { topOf } from "../../../canvas/scene";
import { shortenMiddle, visible } from "../../../lib/text";
import type { Item } from "../../../lib/timeline_layout";
import type { TimelineModel } from "./model";
import { stages } from "./stages";

const LABELS = 200; // CSS pixels

export function picture(model: TimelineModel): Promise<Blob | null> {
  const stage = stages.get(model);
  if (!stage) return Promise.resolve(null);
  const { base, over, palette } = stage;
  const { ratio, width, height } = base;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round((width + LABELS) * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.fillStyle = palette.panel;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(base.canvas, Math.round(LABELS * ratio), 0);
  context.drawImage(over.canvas, Math.round(LABELS * ratio), 0);
  context.scale(ratio, ratio);
  context.font = `12px ${palette.font}`;
  context.textBaseline = "middle";
  const { scene } = model;
  const write = (item: Item, pinned: boolean): void => {
    const group = model.layout.groups.find((g) => g.id === item.group);
    const top = topOf(scene, item, pinned);
    const floor = pinned ? 28 : 28 + scene.arranged.pinnedHeight;
    if (top + 10 < floor || top > height) return;
    const text =
      item.kind === "group"
        ? (group?.name ?? "")
        : item.track
          ? (model.labels.get(item.track.id) ?? item.track.name)
          : "";
    context.fillStyle = item.kind === "group" ? palette.text : palette.muted;
    context.fillText(shortenMiddle(visible(text), 30), item.kind === "group" ? 8 : 18, top + 12);
    context.fillStyle = palette.border;
    context.fillRect(0, top + item.height - 1, LABELS, 1);
  };
  for (const item of scene.arranged.items) write(item, false);
  for (const item of scene.arranged.pinned) write(item, true);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
