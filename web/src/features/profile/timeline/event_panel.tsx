// SPDX-License-Identifier: Apache-2.0
// Everything known of one event, with links to what led to it and what it led to.
import type { ComponentChildren } from "preact";
import { visible } from "../../../lib/text";
import { exactTime, utc } from "../../../lib/timeline_ticks";
import { count, time } from "../../../lib/units";
import { address, pageAddress, set } from "../../../state/route";
import { CloseButton } from "../../../ui/icon_button";
import { type Fact, KeyValue } from "../../../ui/key_value";
import { Name } from "../../../ui/name";
import { Failed, Skeleton } from "../../../ui/page";
import { SourceLink } from "../../../ui/source_link";
import { boxOf, type Chosen } from "./choice";
import { argumentsOf, type EventDocument, type Place, shapesOf } from "./documents";
import type { TimelineModel } from "./model";

const MOST_LINKS = 12;
const MOST_LETTERS = 4000;

interface Props {
  readonly model: TimelineModel;
  readonly chosen: Chosen;
}

export function EventPanel({ model, chosen }: Props) {
  const { document } = chosen;
  return (
    <section class="tl-part">
      <header class="tl-part-head">
        <h2 class="tl-event-name">
          {document ? (
            <>
              <span class="swatch" style={{ background: `var(--c-${document.category})` }} />{" "}
              {visible(document.name.slice(0, MOST_LETTERS))}
            </>
          ) : (
            "Event"
          )}
        </h2>
        <CloseButton onClick={() => model.choose(null)} />
      </header>
      {chosen.merged > 1 ? (
        <p class="tl-merged">
          The longest of {count(chosen.merged)} events too short to tell apart here. Zoom in to see each.
        </p>
      ) : null}
      {chosen.problem === "" ? null : <Failed message={chosen.problem} />}
      {document ? (
        <Details model={model} event={document} />
      ) : chosen.problem === "" ? (
        <Skeleton lines={9} />
      ) : null}
    </section>
  );
}

function Details({ model, event }: { readonly model: TimelineModel; readonly event: EventDocument }) {
  const { layout, scene } = model;
  const track = model.tracks.get(event.track);
  const group = layout.groups.find((g) => g.id === track?.group);
  const shapes = shapesOf(event);
  const given = argumentsOf(event);
  const facts: Fact[] = [
    ["Duration", <strong key="d">{time(event.duration_ns)}</strong>],
    ["Self time", event.self_ns === null ? null : time(event.self_ns)],
    [
      "Start",
      <span key="s" title={utc(layout.origin_ns, event.start_ns)}>
        {exactTime(event.start_ns - scene.zero, 1)}
      </span>,
    ],
    ["Category", event.category],
    [
      "Track",
      track ? <Name text={layout.groups.length > 1 ? `${group?.name}, ${track.name}` : track.name} /> : null,
    ],
    ["Shapes", shapes === "" ? null : <code>{visible(shapes.slice(0, MOST_LETTERS))}</code>],
    [
      "Source",
      event.source?.path ? <SourceLink key="f" file={event.source.path} line={event.source.line} /> : null,
    ],
  ];
  return (
    <>
      <KeyValue facts={facts} />
      <div class="tl-actions">
        <button type="button" onClick={() => model.zoomTo(boxOf(event))}>
          Zoom to it
        </button>
        <button type="button" onClick={() => set({ zero: String(Math.round(event.start_ns)) })}>
          Time from here
        </button>
        <button type="button" onClick={() => set({ name: event.name, q: null })}>
          Light its name
        </button>
        <OtherCalls event={event} />
      </div>
      <Places model={model} title="Launched by" places={[event.operator, event.launch]} />
      <Places model={model} title="Launched" places={event.launched} all={event.launched_count} />
      <Places model={model} title="Inside" places={[...event.parents].reverse()} />
      <Places model={model} title="Contains" places={event.children} all={event.child_count} />
      <Stack event={event} />
      {given.length === 0 ? null : (
        <Part title="Arguments">
          <KeyValue
            facts={given.map(
              ([key, value]): Fact => [
                visible(key.slice(0, 200)),
                <code key={key}>{visible(value.slice(0, MOST_LETTERS))}</code>,
              ],
            )}
          />
        </Part>
      )}
    </>
  );
}

const PAGE_OF: Readonly<Record<string, string>> = {
  kernel: "kernels",
  memcpy: "kernels",
  memset: "kernels",
  communication: "kernels",
  operator: "operators",
};

function OtherCalls({ event }: { readonly event: EventDocument }) {
  const page = PAGE_OF[event.category];
  if (page === undefined) return null;
  return (
    <a class="button" href={pageAddress(page, { open: event.name })}>
      Other calls
    </a>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="tl-sub">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

interface PlacesProps {
  readonly model: TimelineModel;
  readonly title: string;
  readonly places: readonly (Place | null)[];
  readonly all?: number; // how many there are where not all of them were sent
}

function Places({ model, title, places, all = 0 }: PlacesProps) {
  const there = places.filter((place) => place !== null);
  if (there.length === 0) return null;
  const total = Math.max(all, there.length);
  return (
    <Part title={total > MOST_LINKS ? `${title} ${count(total)}` : title}>
      <ul class="tl-places">
        {there.slice(0, MOST_LINKS).map((place) => (
          <li key={`${place.file}:${place.row}`}>
            <a
              href={address(model.addressOf(place))}
              onClick={(click) => {
                if (click.ctrlKey || click.metaKey || click.shiftKey) return;
                click.preventDefault();
                model.jump(place);
              }}
            >
              <Name text={place.name} />
            </a>
            <span class="muted">{time(place.duration_ns)}</span>
          </li>
        ))}
      </ul>
      {total > MOST_LINKS ? <p class="muted">and {count(total - MOST_LINKS)} more</p> : null}
    </Part>
  );
}

function Stack({ event }: { readonly event: EventDocument }) {
  if (event.stack.length === 0) {
    if (event.category !== "operator") return null;
    return (
      <Part title="Call stack">
        <p class="muted">
          Not captured: <code>with_stack=True</code> records it.
        </p>
      </Part>
    );
  }
  return (
    <Part title="Call stack">
      <ol class="tl-stack">
        {event.stack.map((frame, i) => (
          <li key={i}>
            {!frame.path ? (
              <code>{visible(frame.name)}</code>
            ) : (
              <SourceLink file={frame.path} line={frame.line} name={frame.name} />
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}
