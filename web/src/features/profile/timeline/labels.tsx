// SPDX-License-Identifier: Apache-2.0
// The column of names beside the tracks: opens and closes groups and tracks, pins and hides. It is moved by the
// stage, in the same frame as the canvas.

import { inUnitOf } from "../../../lib/timeline_labels";
import { type Item, isCurve, type Track } from "../../../lib/timeline_layout";
import { readIds } from "../../../lib/timeline_url";
import { count, time } from "../../../lib/units";
import { params, set } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { IconButton } from "../../../ui/icon_button";
import { Menu, type MenuItem } from "../../../ui/menu";
import { Name } from "../../../ui/name";
import type { TimelineModel } from "./model";

export function LabelsHead({ model }: { readonly model: TimelineModel }) {
  const hidden = readIds(params.value.hidden);
  const all = model.layout.tracks.filter((t) => t.depth > 1 || isCurve(t)).map((t) => `t${t.id}`);
  const groups = model.layout.groups.map((g) => `g${g.id}`);
  const items: MenuItem[] = [
    { label: "Open all tracks", action: () => model.collapse([...groups, ...all], false) },
    { label: "Close all tracks", action: () => model.collapse(all, true) },
  ];
  if (groups.length > 1) items.push({ label: "Close all ranks", action: () => model.collapse(groups, true) });
  for (const track of model.layout.tracks) {
    if (!hidden.has(track.id)) continue;
    items.push({ label: `Show ${track.name.slice(0, 40)}`, action: () => model.toggle("hidden", track.id) });
  }
  if (hidden.size > 1) items.push({ label: "Show all hidden", action: () => set({ hidden: null }) });
  return (
    <div class="tl-side-head">
      <Menu
        label={hidden.size > 0 ? `Tracks (${hidden.size} hidden)` : "Tracks"}
        icon="group"
        align="start"
        plain
        items={items}
      />
    </div>
  );
}

export function Labels({ model }: { readonly model: TimelineModel }) {
  const { items, pinned, pinnedHeight } = model.arranged.value;
  return (
    <>
      {pinnedHeight > 0 ? (
        <div class="tl-pinned" style={{ height: `${pinnedHeight}px` }}>
          {pinned.map((item) => (
            <TrackLabel key={item.track?.id} model={model} item={item} pinned />
          ))}
        </div>
      ) : null}
      <div class="tl-labels-clip">
        <div class="tl-labels">
          {items.map((item) =>
            item.kind === "group" ? (
              <GroupLabel key={`g${item.group}`} model={model} item={item} />
            ) : (
              <TrackLabel key={item.track?.id} model={model} item={item} pinned={false} />
            ),
          )}
        </div>
      </div>
    </>
  );
}

function GroupLabel({ model, item }: { readonly model: TimelineModel; readonly item: Item }) {
  const group = model.layout.groups.find((g) => g.id === item.group);
  const error = group?.clock_error_ns ?? model.layout.clock_error_ns;
  const isReference = group?.clock === "reference";
  const note = isReference
    ? "Its clock is the one that all are aligned to"
    : error === null
      ? "Its clock could not be aligned with the others"
      : `On one clock with the others, ±${time(error)}`;
  return (
    <div class="tl-group" style={{ top: `${item.y}px`, height: `${item.height}px` }}>
      <button
        type="button"
        class="plain"
        aria-expanded={!item.collapsed}
        title={note}
        onClick={() => model.collapse([`g${item.group}`], !item.collapsed)}
      >
        <Chevron open={!item.collapsed} />
        <Name text={group?.name ?? ""} />
      </button>
      <span class="muted">{isReference ? "" : error === null ? "clock ?" : `±${time(error)}`}</span>
    </div>
  );
}

interface TrackLabelProps {
  readonly model: TimelineModel;
  readonly item: Item;
  readonly pinned: boolean;
}

function TrackLabel({ model, item, pinned }: TrackLabelProps) {
  const track = item.track as Track;
  const closes = track.depth > 1 || isCurve(track);
  const style = { top: `${item.y}px`, height: `${item.height}px` };
  return (
    <div class={`tl-label tl-kind-${track.kind}`} style={style}>
      <div class="tl-label-line">
        {closes ? (
          <button
            type="button"
            class="plain small tl-fold"
            aria-expanded={!item.collapsed}
            aria-label={`${item.collapsed ? "Open" : "Close"} ${track.name}`}
            onClick={() => model.collapse([`t${track.id}`], !item.collapsed)}
          >
            <Chevron open={!item.collapsed} />
          </button>
        ) : (
          <span class="tl-fold" />
        )}
        <Name text={track.name} shown={model.labels.get(track.id) ?? track.name} />
        <span class="tl-label-tools">
          <button
            type="button"
            class="plain small"
            aria-pressed={pinned}
            title={pinned ? "Unpin" : "Pin to the top"}
            aria-label={`${pinned ? "Unpin" : "Pin"} ${track.name}`}
            onClick={() => model.toggle("pinned", track.id)}
          >
            <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
              <path d="M5.500 2h5M6.500 2v4.500L4 9.500h8L9.500 6.500V2M8 9.500V14" />
            </svg>
          </button>
          <IconButton
            icon="close"
            label={`Hide ${track.name}`}
            title="Hide"
            onClick={() => model.toggle("hidden", track.id)}
          />
        </span>
      </div>
      {item.height >= 40 ? <div class="tl-label-note muted">{noteOf(model, track)}</div> : null}
    </div>
  );
}

function noteOf(model: TimelineModel, track: Track): string {
  if (isCurve(track)) {
    const peak = model.peaks.value.get(track.id);
    return peak === undefined ? "" : `up to ${inUnitOf(track.unit, peak)}`;
  }
  return track.spans === null ? "" : `${count(track.spans)} events`;
}

const Chevron = ({ open }: { readonly open: boolean }) => (
  <span class={open ? "tl-chevron tl-chevron-open" : "tl-chevron"}>
    <Icon name="chevron" />
  </span>
);
