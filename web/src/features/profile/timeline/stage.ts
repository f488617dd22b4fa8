// SPDX-License-Identifier: Apache-2.0
// The canvases of one timeline: their sizes, their colours, and one drawing per frame.
import { AXIS_HEIGHT } from "../../../canvas/axis_painter";
import { Frames } from "../../../canvas/frames";
import { MINIMAP_HEIGHT, MinimapPainter } from "../../../canvas/minimap_painter";
import { OverlayPainter } from "../../../canvas/overlay_painter";
import { type Palette, readPalette } from "../../../canvas/palette";
import { Renderer } from "../../../canvas/renderer";
import { Surface } from "../../../canvas/surface";
import { busiest } from "../../../lib/timeline_layout";
import { dark } from "../../../state/theme";
import type { TimelineModel } from "./model";
import { Probe } from "./probe";

export interface StageElements {
  readonly root: HTMLElement;
  readonly scroller: HTMLElement; // scrolls vertically
  readonly box: HTMLElement; // the canvases' room
  readonly base: HTMLCanvasElement;
  readonly over: HTMLCanvasElement;
  readonly labels: HTMLElement; // moves with the tracks
  readonly map: HTMLElement;
  readonly strip: HTMLCanvasElement;
  readonly window: HTMLCanvasElement;
}

export class Stage {
  readonly base: Surface;
  readonly over: Surface;
  readonly frames = new Frames((now) => this.frame(now));
  readonly renderer: Renderer;
  palette: Palette;
  private readonly overlay: OverlayPainter;
  private readonly strip: Surface;
  private readonly window: Surface;
  private readonly minimap: MinimapPainter;
  private readonly mapTracks: readonly number[];
  private readonly probe: Probe;
  private dirty = true;
  private mapDirty = true;
  private readonly undo: (() => void)[] = [];

  constructor(
    readonly model: TimelineModel,
    readonly elements: StageElements,
  ) {
    this.base = new Surface(elements.base, true);
    this.over = new Surface(elements.over, false);
    this.strip = new Surface(elements.strip, true);
    this.window = new Surface(elements.window, false);
    this.renderer = new Renderer(this.base);
    this.overlay = new OverlayPainter(this.over);
    this.minimap = new MinimapPainter(this.strip, this.window);
    this.palette = this.readColours();
    this.probe = new Probe(elements.root, elements.base, this.renderer, this.frames, model);
    const { tracks } = model.layout;
    const steps = tracks.find((track) => track.kind === "steps");
    const busy = busiest(tracks);
    this.mapTracks = [...new Set([steps, busy])].flatMap((track) => (track ? [track.id] : []));
    model.redraw = () => {
      this.dirty = true;
      this.frames.ask();
    };
    model.redrawOver = () => this.frames.ask();
    model.scrollTo = (y) => {
      elements.scroller.scrollTop = y;
    };
    model.loader.onWhole = () => {
      this.mapDirty = true;
    };
    this.listen();
    model.loader.wholeOf(tracks.filter((track) => this.mapTracks.includes(track.id)));
  }

  private listen(): void {
    const { elements, model } = this;
    const sizes = new ResizeObserver(() => this.fit());
    sizes.observe(elements.box);
    sizes.observe(elements.map);
    const onScroll = (): void => {
      model.scene.scroll = elements.scroller.scrollTop;
      model.redraw();
      model.loader.want();
    };
    elements.scroller.addEventListener("scroll", onScroll, { passive: true });
    const recolour = (): void => {
      this.palette = this.readColours();
      this.mapDirty = true;
      model.redraw();
    };
    const themeGone = dark.subscribe(() => queueMicrotask(recolour)); // behind the style sheet
    const choiceGone = model.byName.subscribe((byName) => {
      if (byName !== this.palette.byName) recolour();
    });
    this.undo.push(
      () => sizes.disconnect(),
      () => elements.scroller.removeEventListener("scroll", onScroll),
      themeGone,
      choiceGone,
    );
  }

  private readColours(): Palette {
    return readPalette(this.elements.root, this.model.layout.categories, this.model.byName.value);
  }

  private fit(): void {
    const { box, map } = this.elements;
    const { width, height } = box.getBoundingClientRect();
    this.base.fit(Math.floor(width), Math.floor(height));
    this.over.fit(Math.floor(width), Math.floor(height));
    const wide = Math.floor(map.getBoundingClientRect().width);
    this.strip.fit(wide, MINIMAP_HEIGHT);
    this.window.fit(wide, MINIMAP_HEIGHT);
    this.model.scene.viewport.width = Math.max(1, Math.floor(width));
    this.model.stageHeight = Math.max(0, Math.floor(height) - AXIS_HEIGHT);
    this.mapDirty = true;
    this.model.redraw();
    this.model.loader.want();
  }

  private frame(now: number): boolean {
    const { model, palette } = this;
    const again = model.motion.step(now);
    if (this.base.width === 0) return again;
    if (this.dirty) {
      this.dirty = false;
      this.elements.labels.style.transform = `translateY(${-model.scene.scroll}px)`;
      this.probe.before();
      this.renderer.draw(model.scene, palette);
      this.probe.after();
      this.minimap.drawWindow(model.scene, palette);
    }
    if (this.mapDirty) {
      this.mapDirty = false;
      this.minimap.drawStrip(model.scene, this.mapTracks, palette);
    }
    this.overlay.draw(model.scene, palette);
    return again;
  }

  close(): void {
    this.frames.stop();
    for (const each of this.undo) each();
    this.model.redraw = () => {};
    this.model.redrawOver = () => {};
  }
}
