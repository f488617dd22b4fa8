// SPDX-License-Identifier: Apache-2.0
// What is under the pointer. Shapes are not part of what is drawn: they are asked for when the pointer rests.
import type { Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { NO_EVENT } from "../../../lib/spans";
import { plural, shortenMiddle } from "../../../lib/text";
import { inUnitOf } from "../../../lib/timeline_labels";
import { shownName } from "../../../lib/timeline_names";
import { exactTime } from "../../../lib/timeline_ticks";
import { count, time } from "../../../lib/units";
import { shapesOf } from "./documents";
import type { TimelineModel } from "./model";
import type { CurvePick, SpanPick } from "./pick";
import type { Hover } from "./pointer";

const REST_MS = 260;

interface TooltipProps {
  readonly model: TimelineModel;
  readonly hover: Signal<Hover | null>;
}

export function Tooltip({ model, hover }: TooltipProps) {
  const box = useRef<HTMLDivElement>(null);
  const now = hover.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !now) return;
    const room = element.parentElement as HTMLElement;
    const left = Math.min(now.x + 14, room.clientWidth - element.offsetWidth - 8);
    const below = now.y + 18;
    const fits = below + element.offsetHeight < room.clientHeight;
    element.style.left = `${Math.max(4, left)}px`;
    element.style.top = `${fits ? below : Math.max(4, now.y - element.offsetHeight - 10)}px`;
  });
  if (!now) return null;
  return (
    <div class="tl-tip" ref={box} aria-hidden="true">
      {now.pick.kind === "span" ? (
        <SpanTip model={model} pick={now.pick} />
      ) : (
        <CurveTip pick={now.pick} zero={model.scene.zero} />
      )}
    </div>
  );
}

function SpanTip({ model, pick }: { readonly model: TimelineModel; readonly pick: SpanPick }) {
  const { table } = pick.slice;
  const { index } = pick;
  const merged = table.merged[index] as number;
  const category = model.layout.categories[table.category[index] as number] ?? "";
  const shapes = useShapes(model, pick);
  return (
    <>
      <div class="tl-tip-name">
        {shortenMiddle(shownName(model.scene.names.text(table.name[index] as number)), 160)}
      </div>
      <div>
        <strong>{time(table.duration[index])}</strong>
        <span class="muted">
          {" "}
          from {exactTime((table.start[index] as number) - model.scene.zero, model.scene.viewport.nsPerPixel)}
        </span>
      </div>
      <div class="muted">
        <span class="swatch" style={{ background: `var(--c-${category})` }} /> {category} · {pick.track.name}
      </div>
      {merged > 1 ? (
        <div>
          {count(merged)} {plural(merged, "event")}, too short to tell apart; the longest is named
        </div>
      ) : null}
      {shapes === "" ? null : <div class="mono">{shortenMiddle(shapes, 160)}</div>}
    </>
  );
}

function useShapes(model: TimelineModel, pick: SpanPick): string {
  const row = pick.slice.table.event[pick.index] as number;
  const alone = pick.slice.table.merged[pick.index] === 1 && row !== NO_EVENT;
  const file = model.fileOf(pick.track.id);
  const key = `${file}:${row}`;
  const [known, setKnown] = useState({ key: "", shapes: "" });
  useEffect(() => {
    if (!alone) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      model.choice.fetch({ file, row }, abort.signal).then(
        (event) => setKnown({ key, shapes: shapesOf(event) }),
        () => {}, // The tip lives without.
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, alone]);
  return known.key === key ? known.shapes : "";
}

function CurveTip({ pick, zero }: { readonly pick: CurvePick; readonly zero: number }) {
  const { unit } = pick.track;
  return (
    <>
      <div class="tl-tip-name">{pick.track.name}</div>
      <div>
        <strong>{inUnitOf(unit, pick.last)}</strong>
        <span class="muted"> at {time(pick.time - zero)}</span>
      </div>
      {pick.high > pick.low ? (
        <div class="muted">
          within this pixel {inUnitOf(unit, pick.low)} to {inUnitOf(unit, pick.high)}
        </div>
      ) : null}
    </>
  );
}
