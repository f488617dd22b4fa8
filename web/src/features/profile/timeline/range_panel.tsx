// SPDX-License-Identifier: Apache-2.0
// What happened between two moments: by category, busy and idle per track, and by name.

import type { TrackKind } from "../../../lib/timeline_layout";
import { shownName } from "../../../lib/timeline_names";
import { count, percent, time } from "../../../lib/units";
import { type TimeRange, withRoom } from "../../../lib/viewport";
import { useJson } from "../../../state/resource";
import { set } from "../../../state/route";
import { CloseButton } from "../../../ui/icon_button";
import { Name } from "../../../ui/name";
import { Load } from "../../../ui/page";
import type { SelectionDocument, Share } from "./documents";
import type { TimelineModel } from "./model";

const MOST_NAMES = 40;
// Steps, ranges on the device and the critical path tell of the same time again.
const COUNTED: readonly TrackKind[] = ["thread", "python", "stream"];

interface Props {
  readonly model: TimelineModel;
  readonly range: TimeRange;
}

export function RangePanel({ model, range }: Props) {
  const { items, pinned } = model.arranged.value;
  const tracks = [...pinned, ...items].flatMap((item) =>
    item.kind === "track" && item.track && COUNTED.includes(item.track.kind) ? [item.track.id] : [],
  );
  const answer = useJson<SelectionDocument>(`profiles/${model.profile}/timeline/selection`, {
    start: Math.round(range.start),
    end: Math.round(range.end),
    tracks: tracks.join(),
  });
  const span = range.end - range.start;
  return (
    <section class="tl-part">
      <header class="tl-part-head">
        <h2>
          {time(span)} <span class="muted">from {time(range.start - model.scene.zero)}</span>
        </h2>
        <CloseButton onClick={() => model.setRange(null)} />
      </header>
      <div class="tl-actions">
        <button type="button" onClick={() => model.motion.glide(withRoom(range.start, range.end, 0.02))}>
          Zoom to it
        </button>
        <button type="button" onClick={() => set({ zero: String(Math.round(range.start)) })}>
          Time from here
        </button>
      </div>
      <Load of={answer} lines={10}>
        {(data) => <Statistics model={model} span={span} found={data} />}
      </Load>
    </section>
  );
}

interface StatisticsProps {
  readonly model: TimelineModel;
  readonly span: number;
  readonly found: SelectionDocument;
}

function Statistics({ model, span, found }: StatisticsProps) {
  return (
    <>
      <div class="tl-sub">
        <h3>Busy</h3>
        <ul class="tl-shares">
          {found.tracks
            .filter((entry) => entry.busy_ns > 0 && model.tracks.get(entry.track)?.kind !== "python")
            .map((entry) => (
              <li key={entry.track} title={`idle ${time(entry.idle_ns)}`}>
                <Bar share={entry.busy_ns / span} colour="var(--bar)" />
                <Name text={nameOf(model, entry.track)} />
                <span class="num">{percent(entry.busy_ns / span)}</span>
                <span class="num">{time(entry.busy_ns)}</span>
              </li>
            ))}
        </ul>
      </div>
      <Shares title="By category" shares={found.categories} swatch />
      <Shares title="By name" shares={found.names} all={found.names_total} swatch={false} />
    </>
  );
}

function nameOf(model: TimelineModel, id: number): string {
  const track = model.tracks.get(id);
  const group = model.layout.groups.find((g) => g.id === track?.group);
  return model.layout.groups.length > 1 ? `${group?.name}: ${track?.name}` : (track?.name ?? "");
}

interface SharesProps {
  readonly title: string;
  readonly shares: readonly Share[];
  readonly all?: number; // how many there are, sent or not
  readonly swatch: boolean;
}

function Shares({ title, shares, all = shares.length, swatch }: SharesProps) {
  const largest = shares.reduce((most, share) => Math.max(most, share.self_ns), 1);
  return (
    <div class="tl-sub">
      <h3>
        {title} <span class="tl-light">self time</span>
      </h3>
      <ul class="tl-shares">
        {shares.slice(0, MOST_NAMES).map((share) => {
          const { name = "", category } = share;
          return (
            <li key={`${name} ${category}`}>
              <Bar
                share={share.self_ns / largest}
                colour={`color-mix(in srgb, var(--c-${category}) 26%, transparent)`}
              />
              {swatch ? <Name text={category} /> : <Lit name={name} />}
              <span class="num muted">{count(share.count)} ×</span>
              <span class="num" title={`${time(share.total_ns)} with what lies inside`}>
                {time(share.self_ns)}
              </span>
            </li>
          );
        })}
      </ul>
      {all > MOST_NAMES ? <p class="muted">and {count(all - MOST_NAMES)} more names</p> : null}
    </div>
  );
}

const Lit = ({ name }: { readonly name: string }) => (
  <button
    type="button"
    class="plain small tl-lit"
    title="Light this name in the timeline"
    onClick={() => set({ name, q: null })}
  >
    <Name text={name} shown={shownName(name)} />
  </button>
);

const Bar = ({ share, colour }: { readonly share: number; readonly colour: string }) => (
  <span class="tl-bar" style={{ width: `${Math.min(100, share * 100)}%`, background: colour }} />
);
