// SPDX-License-Identifier: Apache-2.0
// The small map, the tracks' labels and the canvases, and what binds them to a stage.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { AXIS_HEIGHT } from "../../../canvas/axis_painter";
import { clockNote, sentence } from "../../../lib/timeline_summary";
import { time } from "../../../lib/units";
import { bindKeyboard } from "./keyboard";
import { Labels, LabelsHead } from "./labels";
import { bindMinimap } from "./minimap";
import type { TimelineModel } from "./model";
import { bindPointer, type Hover } from "./pointer";
import { Stage, type StageElements } from "./stage";
import { stages } from "./stages";
import { Tooltip } from "./tooltip";

export function Tracks({ model }: { readonly model: TimelineModel }) {
  const root = useRef<HTMLDivElement>(null);
  const hover = useMemo(() => signal<Hover | null>(null), [model]);
  useEffect(() => {
    if (!root.current) return;
    const stage = new Stage(model, elementsOf(root.current));
    stages.set(model, stage);
    const undo = [
      bindPointer(model, stage, hover),
      bindKeyboard(model, stage),
      bindMinimap(model, stage.elements.map),
    ];
    return () => {
      for (const each of undo) each();
      stage.close();
      stages.delete(model);
    };
  }, [model]);
  const { height, pinnedHeight } = model.arranged.value;
  return (
    <div class="tl-stage" ref={root}>
      <div class="tl-map-row">
        <div class="tl-map-head muted">{time(model.layout.duration_ns)}</div>
        <div class="tl-map" title="Drag the window to move, its edges to zoom">
          <canvas data-part="strip" />
          <canvas data-part="window" />
        </div>
      </div>
      <div class="tl-scroll">
        <div class="tl-tall" style={{ height: `max(100%, ${height + pinnedHeight + AXIS_HEIGHT + 24}px)` }}>
          <div class="tl-sticky">
            <div class="tl-side">
              <LabelsHead model={model} />
              <Labels model={model} />
            </div>
            <div
              class="tl-canvas"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the timeline go here
              tabIndex={0}
              role="application"
              aria-roledescription="timeline"
              aria-label={summary(model)}
            >
              <canvas data-part="base" />
              <canvas data-part="over" />
              <Tooltip model={model} hover={hover} />
              {model.loader.busy.value ? <div class="tl-busy" /> : null}
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}

function summary(model: TimelineModel): string {
  const view = model.view.value;
  return [
    "Timeline.",
    sentence(model.layout),
    `In view: ${time(Math.max(view.start, 0))} to ${time(view.end)}.`,
    clockNote(model.layout),
    "Enter chooses an event, arrows go from event to event, W A S D zoom and pan, slash searches.",
  ].join(" ");
}

function elementsOf(root: HTMLElement): StageElements {
  const find = <T extends HTMLElement>(selector: string): T => {
    const element = root.querySelector<T>(selector);
    if (!element) throw new Error(`The timeline lacks ${selector}.`);
    return element;
  };
  return {
    root: root.closest<HTMLElement>(".page") ?? root,
    scroller: find(".tl-scroll"),
    box: find(".tl-canvas"),
    base: find<HTMLCanvasElement>("[data-part=base]"),
    over: find<HTMLCanvasElement>("[data-part=over]"),
    labels: find(".tl-labels"),
    map: find(".tl-map"),
    strip: find<HTMLCanvasElement>("[data-part=strip]"),
    window: find<HTMLCanvasElement>("[data-part=window]"),
  };
}
