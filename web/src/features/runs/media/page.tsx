// SPDX-License-Identifier: Apache-2.0
// Images, sounds, films, texts and tables that were logged, side by side over runs, at one step.
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { apiUrl } from "../../../api/client";
import type { Run, TagInfo } from "../../../api/runs";
import { plural, visible } from "../../../lib/text";
import { params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Load, Panel } from "../../../ui/page";
import type { RunsProps } from "../../page_props";
import { InView } from "../shared/in_view";
import { Markdown } from "../shared/markdown_view";
import { RunLink } from "../shared/run_link";
import { atStep, chosenStep, StepSlider } from "../shared/step_slider";
import { TagPage } from "../shared/tag_page";
import "./media.css";

interface Sample {
  readonly sample: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly content_type: string;
  readonly bytes: number;
}
interface Media {
  readonly plugin: string;
  readonly steps: readonly {
    readonly index: number; // among all that were logged
    readonly step: number;
    readonly wall: number;
    readonly samples: readonly Sample[];
  }[];
}
interface Texts {
  readonly plugin: string;
  readonly steps: readonly {
    readonly step: number;
    readonly wall: number;
    readonly shape: readonly number[];
    readonly table_rows?: number; // of a table, whose columns are named by the first of `rows`
    readonly rows: readonly (readonly string[])[];
  }[];
}

const TEXTS = ["text", "table", "html", "object"];
const MOST_AT_A_STEP = 12;
const linesOf = (text: string): string => text.split("\n").map(visible).join("\n");
const PLUGINS = ["images", "audio", "video", ...TEXTS];

export default function MediaPage(props: RunsProps) {
  const bright = Number(params.value.brightness ?? 100);
  const contrast = Number(params.value.contrast ?? 100);
  const actual = params.value.actual === "1";
  return (
    <TagPage
      of={props}
      title="Media"
      plugins={PLUGINS}
      what={["tag of images, sounds, texts or tables", "tags of images, sounds, texts or tables"]}
      needs="add_image, add_figure, add_audio, add_video and add_text of SummaryWriter write what is shown here."
      tools={
        <>
          <label>
            Brightness{" "}
            <input
              type="range"
              min="20"
              max="300"
              value={bright}
              onInput={(event) =>
                set({ brightness: event.currentTarget.value === "100" ? null : event.currentTarget.value })
              }
            />
          </label>
          <label>
            Contrast{" "}
            <input
              type="range"
              min="20"
              max="400"
              value={contrast}
              onInput={(event) =>
                set({ contrast: event.currentTarget.value === "100" ? null : event.currentTarget.value })
              }
            />
          </label>
          <button
            type="button"
            class={actual ? "curves-on" : ""}
            aria-pressed={actual}
            onClick={() => set({ actual: actual ? null : "1" })}
          >
            Actual size
          </button>
        </>
      }
    >
      {(tags, runsOf) =>
        tags.map((tag) => (
          <InView key={`${tag.plugin} ${tag.tag}`} height={240}>
            {() => (
              <TagPanel
                tag={tag}
                runs={runsOf(tag)}
                filter={`brightness(${bright}%) contrast(${contrast}%)`}
                actual={actual}
              />
            )}
          </InView>
        ))
      }
    </TagPage>
  );
}

interface TagPanelProps {
  readonly tag: TagInfo;
  readonly runs: readonly Run[];
  readonly filter: string;
  readonly actual: boolean;
}

function TagPanel({ tag, runs, filter, actual }: TagPanelProps) {
  // Steps of the runs, as they come in: the slider goes over all of them.
  const [steps, setSteps] = useState<readonly number[]>([]);
  const told = (list: readonly number[]): void => {
    const all = new Set(steps);
    const before = all.size;
    for (const step of list) all.add(step);
    if (all.size > before) setSteps([...all].sort((a, b) => a - b));
  };
  return (
    <Panel
      title={tag.display_name || tag.tag}
      note={tag.description || undefined}
      actions={<StepSlider steps={steps} />}
    >
      <div class={actual ? "media-row media-actual" : "media-row"}>
        {runs.map((run) =>
          TEXTS.includes(tag.plugin) ? (
            <TextCard key={run.id} run={run} tag={tag.tag} onSteps={told} />
          ) : (
            <MediaCard key={run.id} run={run} tag={tag.tag} filter={filter} onSteps={told} />
          ),
        )}
      </div>
    </Panel>
  );
}

interface CardProps {
  readonly run: Run;
  readonly tag: string;
  readonly onSteps: (steps: readonly number[]) => void;
}

function MediaCard({ run, tag, filter, onSteps }: CardProps & { readonly filter: string }) {
  const media = useRunsJson<Media>("series/media", { run: run.id, tag });
  if (media.state === "ready") queueMicrotask(() => onSteps(media.data.steps.map(({ step }) => step)));
  return (
    <figure class="media-card">
      <figcaption>
        <RunLink run={run} page="media" />
      </figcaption>
      <Load of={media} height="120px">
        {({ steps }) => {
          const entry = atStep(steps, chosenStep());
          if (entry === undefined) return <p class="muted">nothing logged</p>;
          // Several may have been logged at one step.
          const entries = steps.filter(({ step }) => step === entry.step);
          return (
            <>
              {entries.slice(-MOST_AT_A_STEP).map(({ index, step, wall, samples }) => (
                <Fragment key={index}>
                  <div class="muted media-step">
                    step {step.toLocaleString("en-US")} · {new Date(wall * 1000).toLocaleString()}
                    {samples.length > 1 ? ` · ${samples.length} ${plural(samples.length, "sample")}` : ""}
                  </div>
                  {samples.map((sample) => (
                    <Blob
                      key={sample.sample}
                      url={apiUrl("series/blob", {
                        run: run.id,
                        tag,
                        index: String(index),
                        sample: String(sample.sample),
                      })}
                      sample={sample}
                      filter={filter}
                      what={`${tag} of ${run.title}, step ${step}, sample ${sample.sample}`}
                    />
                  ))}
                </Fragment>
              ))}
              {entries.length > MOST_AT_A_STEP ? (
                <p class="muted">
                  The last {MOST_AT_A_STEP} of {entries.length} at this step.
                </p>
              ) : null}
            </>
          );
        }}
      </Load>
    </figure>
  );
}

function Blob({
  url,
  sample,
  filter,
  what,
}: {
  readonly url: string;
  readonly sample: Sample;
  readonly filter: string;
  readonly what: string;
}) {
  const [failed, setFailed] = useState(false);
  if (failed) return <p class="muted">This could not be shown ({sample.content_type || "unknown type"}).</p>;
  if (sample.content_type.startsWith("audio/"))
    // biome-ignore lint/a11y/useMediaCaption: what was logged has none
    return <audio controls preload="none" src={url} aria-label={what} onError={() => setFailed(true)} />;
  if (sample.content_type.startsWith("video/"))
    // biome-ignore lint/a11y/useMediaCaption: what was logged has none
    return <video controls preload="metadata" src={url} aria-label={what} onError={() => setFailed(true)} />;
  return (
    <img
      src={url}
      alt={what}
      title={sample.width === null ? "" : `${sample.width} × ${sample.height}`}
      loading="lazy"
      style={{
        filter,
        ...(sample.width !== null && sample.width > 0 && sample.width < 160
          ? { imageRendering: "pixelated" }
          : {}),
      }}
      {...(sample.width && sample.height ? { width: sample.width, height: sample.height } : {})}
      onError={() => setFailed(true)}
    />
  );
}

function TextCard({ run, tag, onSteps }: CardProps) {
  const texts = useRunsJson<Texts>("series/texts", { run: run.id, tag });
  if (texts.state === "ready") queueMicrotask(() => onSteps(texts.data.steps.map(({ step }) => step)));
  return (
    <figure class="media-card media-text">
      <figcaption>
        <RunLink run={run} page="media" />
      </figcaption>
      <Load of={texts} height="80px">
        {({ plugin, steps }) => {
          const entry = atStep(steps, chosenStep());
          if (entry === undefined) return <p class="muted">nothing logged</p>;
          const alone = entry.rows.length === 1 && entry.rows[0]?.length === 1;
          return (
            <>
              <div class="muted media-step">step {entry.step.toLocaleString("en-US")}</div>
              {plugin === "table" ? (
                <LoggedTable rows={entry.rows} total={entry.table_rows ?? 0} />
              ) : plugin !== "text" ? (
                <pre class="media-source">{linesOf(entry.rows[0]?.[0] ?? "")}</pre>
              ) : alone ? (
                <Markdown text={entry.rows[0]?.[0] ?? ""} />
              ) : (
                <div class="md">
                  <table>
                    <tbody>
                      {entry.rows.map((row, r) => (
                        <tr key={r}>
                          {row.map((cell, c) => (
                            <td key={c}>
                              <Markdown text={cell} />
                            </td>
                          ))}
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
            </>
          );
        }}
      </Load>
    </figure>
  );
}

function LoggedTable({
  rows,
  total,
}: {
  readonly rows: readonly (readonly string[])[];
  readonly total: number;
}) {
  const [head = [], ...body] = rows;
  return (
    <div class="md">
      <table>
        <thead>
          <tr>
            {head.map((name, c) => (
              <th key={c}>{visible(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, r) => (
            <tr key={r}>
              {row.map((cell, c) => (
                <td key={c}>{visible(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {body.length < total ? (
        <p class="muted">
          The first {body.length.toLocaleString("en-US")} of {total.toLocaleString("en-US")} rows.
        </p>
      ) : null}
    </div>
  );
}
