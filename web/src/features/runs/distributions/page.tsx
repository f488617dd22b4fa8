// SPDX-License-Identifier: Apache-2.0
// How values were distributed, step by step: histograms behind each other, over each other, as a map of heat, or the bands
// of nine quantiles that TensorBoard calls distributions.
import { useMemo } from "preact/hooks";
import type { Run, TagInfo } from "../../../api/runs";
import { Picture } from "../../../charts/picture";
import type { HistogramStep } from "../../../lib/runs/histograms";
import { shortNumber } from "../../../lib/runs/numbers";
import { useRunsJson } from "../../../state/runs";
import { Load, Panel } from "../../../ui/page";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { RunsProps } from "../../page_props";
import { InView } from "../shared/in_view";
import { colourOf, RunLink } from "../shared/run_link";
import { TagPage } from "../shared/tag_page";
import { type BandStep, drawBands, drawHeat, drawOverlay, drawRidge } from "./draw";

const MODES = [
  { key: "ridge", title: "Ridge" },
  { key: "overlay", title: "Overlay" },
  { key: "heat", title: "Heat map" },
  { key: "bands", title: "Quantile bands" },
] as const;
const HEIGHT = 230;

export default function DistributionsPage(props: RunsProps) {
  const mode = chosenTab("mode", MODES);
  return (
    <TagPage
      of={props}
      title="Distributions"
      plugins={["histograms"]}
      what={["histogram", "histograms"]}
      needs="add_histogram of SummaryWriter writes what is shown here: weights, gradients, activations."
      tools={<Tabs param="mode" tabs={MODES} label="How histograms are drawn" />}
    >
      {(tags, runsOf) =>
        tags.map((tag) => (
          <InView key={tag.tag} height={HEIGHT + 90}>
            {() => <TagPanel tag={tag} runs={runsOf(tag)} mode={mode} />}
          </InView>
        ))
      }
    </TagPage>
  );
}

function TagPanel({
  tag,
  runs,
  mode,
}: {
  readonly tag: TagInfo;
  readonly runs: readonly Run[];
  readonly mode: string;
}) {
  return (
    <Panel title={tag.display_name || tag.tag} note={tag.description || undefined}>
      <div class="picture-grid">
        {runs.map((run) =>
          mode === "bands" ? (
            <Bands key={run.id} run={run} tag={tag.tag} />
          ) : (
            <Histogram key={run.id} run={run} tag={tag.tag} mode={mode} />
          ),
        )}
      </div>
    </Panel>
  );
}

interface CardProps {
  readonly run: Run;
  readonly tag: string;
}

function Histogram({ run, tag, mode }: CardProps & { readonly mode: string }) {
  const data = useRunsJson<{ readonly steps: readonly HistogramStep[]; readonly total: number }>(
    "series/histograms",
    { run: run.id, tag },
  );
  return (
    <figure>
      <figcaption>
        <RunLink run={run} page="distributions" />
      </figcaption>
      <Load of={data} height={`${HEIGHT}px`}>
        {({ steps, total }) => <Drawn steps={steps} total={total} run={run} tag={tag} mode={mode} />}
      </Load>
    </figure>
  );
}

function Drawn({
  steps,
  total,
  run,
  tag,
  mode,
}: CardProps & { readonly steps: readonly HistogramStep[]; readonly total: number; readonly mode: string }) {
  const colour = colourOf(run);
  const draw = useMemo(
    () =>
      mode === "heat"
        ? drawHeat(steps, colour)
        : mode === "overlay"
          ? drawOverlay(steps, colour)
          : drawRidge(steps, colour),
    [steps, colour, mode],
  );
  if (steps.length === 0) return <p class="muted">nothing logged</p>;
  const first = steps[0] as HistogramStep;
  const last = steps.at(-1) as HistogramStep;
  return (
    <Picture
      name={`${tag}_${run.title}`}
      summary={`Histograms of ${tag}, ${run.title}: ${steps.length} steps from ${first.step} to ${last.step}.`}
      height={HEIGHT}
      draw={draw}
    >
      {total > steps.length
        ? `${steps.length} of ${total.toLocaleString("en-US")} steps`
        : `${steps.length} steps`}
    </Picture>
  );
}

function Bands({ run, tag }: CardProps) {
  const data = useRunsJson<{ readonly steps: readonly BandStep[] }>("series/distributions", {
    run: run.id,
    tag,
  });
  const colour = colourOf(run);
  return (
    <figure>
      <figcaption>
        <RunLink run={run} page="distributions" />
      </figcaption>
      <Load of={data} height={`${HEIGHT}px`}>
        {({ steps }) => <BandPicture steps={steps} colour={colour} name={`${tag}_${run.title}`} />}
      </Load>
    </figure>
  );
}

function BandPicture({
  steps,
  colour,
  name,
}: {
  readonly steps: readonly BandStep[];
  readonly colour: string;
  readonly name: string;
}) {
  const draw = useMemo(() => drawBands(steps, colour), [steps, colour]);
  const last = steps.at(-1);
  if (last === undefined) return <p class="muted">nothing logged</p>;
  return (
    <Picture
      name={name}
      summary={`Quantiles of ${name}: at step ${last.step} from ${shortNumber(last.values[0])} to ${shortNumber(last.values[8])}, median ${shortNumber(last.values[4])}.`}
      height={HEIGHT}
      draw={draw}
    >
      least, −1.5 σ, −1 σ, −½ σ, median, ½ σ, 1 σ, 1.5 σ, largest
    </Picture>
  );
}
