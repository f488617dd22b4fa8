// SPDX-License-Identifier: Apache-2.0
// The timeline's page: its sentence, tools, small map, tracks, and the panel of what is chosen. A profile without
// events in time says so.
import { useEffect, useMemo } from "preact/hooks";
import type { Layout } from "../../../lib/timeline_layout";
import { eventsIn, sentence } from "../../../lib/timeline_summary";
import { useReport } from "../../../state/report";
import { useJson } from "../../../state/resource";
import { pageAddress, params } from "../../../state/route";
import { Empty, Failed, Page, Skeleton } from "../../../ui/page";
import type { PageProps } from "../../page_props";
import { TimelineModel } from "./model";
import { SidePanel } from "./side_panel";
import { StatusBar } from "./status_bar";
import "./timeline.css";
import { Toolbar } from "./toolbar";
import { Tracks } from "./tracks";

export default function TimelinePage({ profile }: PageProps) {
  const isFunctions = profile.kind === "functions";
  const inTime = !isFunctions && profile.kind !== "memory";
  const layout = useJson<Layout>(inTime ? `profiles/${profile.id}/timeline` : null);
  // Why the steps take what they take: the overview's answer.
  const overview = useReport<object>(profile, inTime ? "overview" : null);
  if (isFunctions) {
    return (
      <Page
        title="Timeline"
        sentence="A profile of functions has no timeline of threads and streams: it is shown by function."
      >
        <Empty what="See where the time went by function instead.">
          <p>
            <a href={pageAddress("functions")}>Open Functions</a>
          </p>
        </Empty>
      </Page>
    );
  }
  if (profile.kind === "memory") {
    return (
      <Page title="Timeline" sentence="A memory snapshot has no timeline: it records allocations, not work.">
        <Empty what="See what was allocated when instead.">
          <p>
            <a href={pageAddress("memory")}>Open Memory</a>
          </p>
        </Empty>
      </Page>
    );
  }
  if (layout.state === "failed") {
    return (
      <Page title="Timeline">
        <Failed what="The timeline could not be loaded." message={layout.message} />
      </Page>
    );
  }
  if (layout.state === "loading") {
    return (
      <Page title="Timeline" sentence={null} wide>
        <Skeleton height="44px" />
        <Skeleton lines={14} />
      </Page>
    );
  }
  if (layout.data.tracks.length === 0 || eventsIn(layout.data) + curvesIn(layout.data) === 0) {
    return (
      <Page title="Timeline" sentence="This profile has no events in time.">
        <Empty
          what="A timeline needs a trace: torch.profiler's export_chrome_trace, or one of Perfetto."
          flag="activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
        />
      </Page>
    );
  }
  const answer = overview.state === "loading" ? null : (overview.data?.sentence ?? "");
  return <Timeline profile={profile.id} name={profile.name} layout={layout.data} answer={answer} />;
}

const curvesIn = (layout: Layout): number =>
  layout.tracks.filter((track) => track.kind === "memory" || track.kind === "counter").length;

interface TimelineProps {
  readonly profile: string;
  readonly name: string;
  readonly layout: Layout;
  readonly answer: string | null; // null: not known yet; "": there is none
}

function Timeline(props: TimelineProps) {
  const model = useMemo(() => new TimelineModel(props.profile, props.layout), [props.profile, props.layout]);
  useEffect(() => {
    const stop = params.subscribe((next) => {
      if (next.view === "timeline") model.apply(next);
    });
    return () => {
      stop();
      model.close();
    };
  }, [model]);
  return (
    <Page
      title="Timeline"
      sentence={props.answer === "" ? sentence(props.layout) : props.answer}
      aside={props.answer === "" ? undefined : sentence(props.layout)}
      actions={<Toolbar model={model} name={props.name} />}
      wide
    >
      <div class="tl">
        <div class="tl-main">
          <Tracks model={model} />
          <StatusBar model={model} />
        </div>
        <SidePanel model={model} />
        <p class="visually-hidden" role="status" aria-live="polite">
          {model.said}
        </p>
      </div>
    </Page>
  );
}
