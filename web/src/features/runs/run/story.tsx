// SPDX-License-Identifier: Apache-2.0
// The run on one axis of time: what it logged, how fast it went, what the machine did, what it printed and what happened
// to it. A moment is the same in all of them, and leads to the log.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getJson } from "../../../api/client";
import type { LogDensity, RunStory, StoryEvent } from "../../../api/runs";
import { colour } from "../../../charts/theme";
import { clock, momentOf, momentText, msOf, nsOf, utc } from "../../../lib/runs/moments";
import { LEFT, RIGHT, type Stretch, stretchOf, stretchText, wholeOf, xOf } from "../../../lib/runs/time_axis";
import { plural, visible } from "../../../lib/text";
import { go, ofRun, pageAddress, pageParams, params, set } from "../../../state/route";
import { logsEvent } from "../../../state/run_events";
import { dark } from "../../../state/theme";
import { Panel } from "../../../ui/page";
import { CurveLane, TimeLanes, useAxis } from "../shared/time_lanes";
import "./story.css";

// Where the log is opened: the moment, in the log that has times.
export const logAddress = (run: string, log: string | null, ms: number): Record<string, string> => ({
  ...pageParams("logs", { t: momentText(ms), ...(log === null ? {} : { path: log }) }, ofRun(run)),
});

// The time that the address chooses; null: all of it.
export const chosenTime = (): Stretch | null => stretchOf(params.value.time);

export function Story({ run, story }: { readonly run: string; readonly story: RunStory }) {
  const whole = wholeOf(
    story.from_ns === null ? null : msOf(story.from_ns) / 1000,
    story.to_ns === null ? null : msOf(story.to_ns) / 1000,
  );
  if (whole === null || (story.lanes.length === 0 && story.log === null)) return null;
  const chosen = chosenTime();
  const seen: Stretch = chosen ?? whole;
  const marked = momentOf(params.value.t);
  const log = story.log;
  return (
    <Panel
      title="Over time"
      note={
        log === null
          ? "drag to zoom, double click shows all"
          : "drag to zoom, double click shows all, click opens the log at that moment"
      }
      actions={
        <>
          {marked === null ? null : (
            <span class="muted">
              {log === null ? null : (
                <a href={pageAddress("logs", { t: momentText(marked), path: log }, ofRun(run))}>
                  Log at {clock(marked)}
                </a>
              )}{" "}
              <button type="button" onClick={() => set({ t: null })}>
                Clear the mark
              </button>
            </span>
          )}
          {chosen === null ? null : (
            <button type="button" onClick={() => set({ time: null })}>
              Show all
            </button>
          )}
        </>
      }
    >
      <TimeLanes
        label="The run over time"
        whole={whole}
        seen={seen}
        marked={marked === null ? null : marked / 1000}
        onSeen={(next) => set({ time: next === null ? null : stretchText(next) })}
        {...(log === null ? {} : { onOpen: (at: number) => go(logAddress(run, log, at * 1000)) })}
      >
        <EventLane run={run} log={log} events={story.events} />
        {story.lanes.map((lane) => (
          <CurveLane
            key={lane.key}
            run={run}
            title={
              lane.kind === "values" && (lane.key === "loss" || lane.key === "metric") ? (
                <a href={pageAddress("curves", {}, ofRun(run))}>{visible(lane.title)}</a>
              ) : lane.key === "busy" || lane.key === "memory" ? (
                <a href={pageAddress("hardware", {}, ofRun(run))}>{lane.title}</a>
              ) : (
                visible(lane.title)
              )
            }
            unit={lane.unit}
            divisor={lane.divisor}
            kind={lane.kind}
            lines={lane.lines}
            zoomedIn={chosen !== null}
          />
        ))}
        {log === null ? null : <LogLane run={run} path={log} />}
      </TimeLanes>
    </Panel>
  );
}

const SIGNS: Readonly<Record<StoryEvent["kind"], string>> = {
  start: "▸",
  restart: "↻",
  error: "✕",
  end: "■",
};

function EventLane({
  run,
  log,
  events,
}: {
  readonly run: string;
  readonly log: string | null;
  readonly events: readonly StoryEvent[];
}) {
  const { seen, width } = useAxis();
  const shown = events
    .map((event) => ({ ...event, at: msOf(event.at_ns) }))
    .filter(({ at }) => at / 1000 >= seen[0] && at / 1000 <= seen[1]);
  return (
    <section class={`lane story-events${shown.length === 0 ? " story-quiet" : ""}`} aria-label="Events">
      {shown.map((event, i) => {
        const x = xOf(seen, width, event.at / 1000);
        const leftward = x > width * 0.6;
        const what = `${visible(event.text)}, ${clock(event.at)}`;
        const sign = (
          <>
            <span aria-hidden="true">{SIGNS[event.kind]}</span>
            <span class="story-text">{visible(event.text)}</span>
          </>
        );
        const place = leftward ? { right: `${width - x}px` } : { left: `${x}px` };
        const look = `story-event story-${event.kind}${leftward ? " story-leftward" : ""}`;
        // Of events at one moment, each has a line of its own.
        const row = shown
          .slice(0, i)
          .filter((other) => Math.abs(xOf(seen, width, other.at / 1000) - x) < 160).length;
        const style = { ...place, top: `${row * 18}px` };
        return log === null ? (
          <span key={i} class={look} style={style} title={`${what} (${utc(event.at)})`}>
            {sign}
          </span>
        ) : (
          <a
            key={i}
            class={look}
            style={style}
            title={`${what} (${utc(event.at)}): open the log there`}
            href={pageAddress("logs", { t: momentText(event.at), path: log }, ofRun(run))}
          >
            {sign}
          </a>
        );
      })}
    </section>
  );
}

const BAR_PX = 3;
const HEIGHT = 46;

function LogLane({ run, path }: { readonly run: string; readonly path: string }) {
  const { seen, width, at } = useAxis();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [density, setDensity] = useState<LogDensity | null>(null);
  const parts = Math.max(10, Math.floor((width - LEFT - RIGHT) / BAR_PX));
  useEffect(() => {
    const abort = new AbortController();
    getJson<LogDensity>(
      `runs/${encodeURIComponent(run)}/log/density`,
      { path, start: nsOf(seen[0] * 1000), end: nsOf(seen[1] * 1000), width: parts },
      abort.signal,
    ).then(setDensity, () => undefined); // the lane stays empty; the log's own page says why
    return () => abort.abort();
  }, [run, path, seen[0], seen[1], parts, logsEvent.value]);
  const isDark = dark.value;
  const most = useMemo(() => Math.max(1, ...(density?.lines_of ?? [])), [density]);
  useEffect(() => {
    const element = canvas.current;
    const c = element?.getContext("2d") ?? null;
    if (element === null || c === null || density === null) return;
    const ratio = devicePixelRatio || 1;
    element.width = Math.round(width * ratio);
    element.height = Math.round(HEIGHT * ratio);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, HEIGHT);
    const step = (width - LEFT - RIGHT) / density.lines_of.length;
    // Few lines among many are seen, too: the root of the count.
    const tall = (count: number): number =>
      count === 0 ? 0 : Math.max(2, Math.sqrt(count / most) * (HEIGHT - 10));
    density.lines_of.forEach((lines, i) => {
      const x = LEFT + i * step;
      const [warnings, errors] = [density.warnings_of[i] ?? 0, density.errors_of[i] ?? 0];
      const draw = (count: number, ink: string, wide: number): void => {
        if (count === 0) return;
        const height = tall(count);
        c.fillStyle = colour(ink);
        c.fillRect(x, HEIGHT - 4 - height, Math.max(1, step - 0.5) + wide, height);
      };
      draw(lines, "--c-other", 0);
      draw(warnings, "--warn", 0.5);
      draw(errors, "--bad", 0.5);
      if (errors > 0) {
        c.fillStyle = colour("--bad");
        c.beginPath();
        c.arc(x + step / 2, 4, 3, 0, 7);
        c.fill();
      }
    });
  }, [density, width, most, isDark]);
  const words = density
    ? `${density.lines.toLocaleString("en-US")} ${plural(density.lines, "line")}, ${density.errors.toLocaleString("en-US")} ${plural(density.errors, "error")}, ${density.warnings.toLocaleString("en-US")} ${plural(density.warnings, "warning")}`
    : "the log is being read";
  return (
    <section class="lane">
      <header class="lane-head">
        <h3>
          <a href={pageAddress("logs", { path }, ofRun(run))}>Log</a>
        </h3>
        <span class="muted">lines{density && !density.exact ? ", by blocks of lines" : ""}</span>
        <LogReading density={density} at={at} seen={seen} words={words} />
      </header>
      <canvas
        ref={canvas}
        class="lane-canvas"
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        role="img"
        aria-label={`Log lines: ${words}`}
        data-lines={density?.lines ?? 0}
      />
    </section>
  );
}

function LogReading({
  density,
  at,
  seen,
  words,
}: {
  readonly density: LogDensity | null;
  readonly at: { readonly value: number | null };
  readonly seen: Stretch;
  readonly words: string;
}) {
  const here = at.value;
  if (density === null || here === null) return <span class="lane-readings">{words}</span>;
  const parts = density.lines_of.length;
  const i = Math.min(parts - 1, Math.max(0, Math.floor(((here - seen[0]) / (seen[1] - seen[0])) * parts)));
  const [lines, warnings, errors] = [
    density.lines_of[i] ?? 0,
    density.warnings_of[i] ?? 0,
    density.errors_of[i] ?? 0,
  ];
  return (
    <span class="lane-readings">
      <span>
        <b>{lines.toLocaleString("en-US")}</b> {plural(lines, "line")} here
        {errors > 0 ? `, ${errors} ${plural(errors, "error")}` : ""}
        {warnings > 0 ? `, ${warnings} ${plural(warnings, "warning")}` : ""}
      </span>
    </span>
  );
}
