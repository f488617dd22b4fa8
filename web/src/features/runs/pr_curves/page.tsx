// SPDX-License-Identifier: Apache-2.0
// Precision over recall, for each tag a picture with a line for each run, at one step.
import { useEffect, useMemo, useState } from "preact/hooks";
import { getJson } from "../../../api/client";
import type { Run, TagInfo } from "../../../api/runs";
import type { Painter } from "../../../charts/painter";
import type { Part } from "../../../charts/parts";
import { Picture } from "../../../charts/picture";
import { colour } from "../../../charts/theme";
import { axisOf, numberTicks, pixelAt } from "../../../lib/runs/axis";
import { shortNumber } from "../../../lib/runs/numbers";
import { runsRevision } from "../../../state/run_events";
import { dark } from "../../../state/theme";
import { Panel, Skeleton } from "../../../ui/page";
import type { RunsProps } from "../../page_props";
import { InView } from "../shared/in_view";
import { colourOf, RunLink } from "../shared/run_link";
import { atStep, chosenStep, StepSlider } from "../shared/step_slider";
import { TagPage } from "../shared/tag_page";

interface PrStep {
  readonly step: number;
  readonly wall: number;
  readonly thresholds: number; // evenly from 0 to 1
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly true_positives?: readonly number[];
  readonly false_positives?: readonly number[];
}
interface OfRun {
  readonly run: Run;
  readonly steps: readonly PrStep[];
}

const HEIGHT = 340;

export default function PrCurvesPage(props: RunsProps) {
  return (
    <TagPage
      of={props}
      title="PR curves"
      plugins={["pr_curves"]}
      what={["precision–recall curve", "precision–recall curves"]}
      needs="add_pr_curve of SummaryWriter writes what is shown here."
    >
      {(tags, runsOf) => (
        <div class="columns">
          {tags.map((tag) => (
            <InView key={tag.tag} height={HEIGHT + 100}>
              {() => <PrPanel tag={tag} runs={runsOf(tag)} />}
            </InView>
          ))}
        </div>
      )}
    </TagPage>
  );
}

function PrPanel({ tag, runs }: { readonly tag: TagInfo; readonly runs: readonly Run[] }) {
  const [found, setFound] = useState<readonly OfRun[] | null>(null);
  const ids = runs.map((run) => run.id).join();
  useEffect(() => {
    const abort = new AbortController();
    Promise.all(
      runs.map(async (run): Promise<OfRun> => {
        const { steps } = await getJson<{ steps: readonly PrStep[] }>(
          "series/pr_curves",
          { run: run.id, tag: tag.tag },
          abort.signal,
        ).catch(() => ({ steps: [] }));
        return { run, steps };
      }),
    ).then((list) => {
      if (!abort.signal.aborted) setFound(list);
    });
    return () => abort.abort();
  }, [ids, tag.tag, runsRevision.value]);
  const step = chosenStep();
  const shade = dark.value;
  const shown = useMemo(
    () =>
      (found ?? []).flatMap(({ run, steps }) => {
        const entry = atStep(steps, step);
        return entry ? [{ run, entry }] : [];
      }),
    [found, step],
  );
  const draw = useMemo(
    () =>
      (painter: Painter, width: number, height: number): readonly Part[] => {
        const [left, right, top, bottom] = [44, width - 12, 8, height - 34];
        const x = axisOf([0, 1], [left, right], false);
        const y = axisOf([0, 1], [bottom, top], false);
        for (const { value, text } of numberTicks(x, 5)) {
          painter.line(
            [
              [pixelAt(x, value), top],
              [pixelAt(x, value), bottom],
            ],
            colour("--border"),
          );
          painter.text(pixelAt(x, value), bottom + 12, text, { fill: colour("--muted"), align: "center" });
          painter.line(
            [
              [left, pixelAt(y, value)],
              [right, pixelAt(y, value)],
            ],
            colour("--border"),
          );
          painter.text(left - 6, pixelAt(y, value), text, { fill: colour("--muted"), align: "right" });
        }
        painter.text((left + right) / 2, height - 6, "recall", { fill: colour("--muted"), align: "center" });
        painter.text(10, (top + bottom) / 2, "precision", {
          fill: colour("--muted"),
          align: "center",
          turn: -Math.PI / 2,
        });
        const parts: Part[] = [];
        for (const { run, entry } of shown) {
          const points = entry.recall.map(
            (recall, i) => [pixelAt(x, recall), pixelAt(y, entry.precision[i] ?? 0)] as const,
          );
          painter.line(points, colourOf(run), 1.6);
          points.forEach(([cx, cy], i) => {
            parts.push({
              area: { kind: "circle", cx, cy, r: 3 },
              lines: [
                `${run.title}, step ${entry.step}`,
                `precision ${shortNumber(entry.precision[i])}, recall ${shortNumber(entry.recall[i])}`,
                `threshold ${shortNumber(i / Math.max(1, entry.thresholds - 1))}`,
              ],
            });
          });
        }
        return parts;
      },
    [shown, shade],
  );
  const steps = [...new Set((found ?? []).flatMap((of) => of.steps.map((entry) => entry.step)))].sort(
    (a, b) => a - b,
  );
  return (
    <Panel title={tag.display_name || tag.tag} actions={<StepSlider steps={steps} />}>
      {found === null ? (
        <Skeleton height={`${HEIGHT}px`} />
      ) : (
        <Picture
          name={tag.tag}
          summary={`Precision over recall of ${tag.tag} for ${shown.length} runs.`}
          height={HEIGHT}
          draw={draw}
        >
          <ul class="legend">
            {shown.map(({ run, entry }) => (
              <li key={run.id}>
                <RunLink run={run} page="pr_curves" /> step {entry.step.toLocaleString("en-US")}
              </li>
            ))}
          </ul>
        </Picture>
      )}
    </Panel>
  );
}
