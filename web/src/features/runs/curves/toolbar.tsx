// SPDX-License-Identifier: Apache-2.0
// How the curves are looked at. Everything is in the address.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Run, TagInfo } from "../../../api/runs";
import { type CurveView, DEFAULT_SMOOTHING } from "../../../lib/runs/curve_view";
import { chartKey, tagsNamed } from "../../../lib/runs/tags";
import { set } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { Popover } from "../../../ui/menu";

export interface ToolbarProps {
  readonly view: CurveView;
  readonly tags: readonly TagInfo[];
  readonly runs: readonly Run[];
  readonly problem: string | null; // of the expression
  readonly matching: number;
}

const PAUSE_MS = 120;

// What is dragged is set now and then, not at every pixel.
function Smoothing({ value }: { readonly value: number }) {
  const [at, setAt] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setAt(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: number): void => {
    const kept = Number.isFinite(next) ? Math.max(0, Math.min(0.999, next)) : DEFAULT_SMOOTHING;
    setAt(kept);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => set({ smoothing: kept === DEFAULT_SMOOTHING ? null : String(kept) }),
      PAUSE_MS,
    );
  };
  return (
    <label class="curves-smoothing">
      Smoothing
      <input
        type="range"
        min="0"
        max="0.99"
        step="0.01"
        value={at}
        onInput={(event) => change(Number(event.currentTarget.value))}
      />
      <input
        type="number"
        min="0"
        max="0.999"
        step="0.01"
        aria-label="Smoothing, as a number"
        value={at}
        onChange={(event) => change(Number(event.currentTarget.value))}
      />
    </label>
  );
}

function Toggle({
  label,
  title,
  on,
  onChange,
}: {
  readonly label: string;
  readonly title: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <button
      type="button"
      class={on ? "curves-on" : ""}
      aria-pressed={on}
      title={title}
      onClick={() => onChange(!on)}
    >
      {label}
    </button>
  );
}

export function Toolbar({ view, tags, runs, problem, matching }: ToolbarProps) {
  const config = [...new Set(runs.slice(0, 200).flatMap((run) => Object.keys(run.config)))].filter(
    (name) => new Set(runs.map((run) => String(run.config[name]))).size > 1,
  );
  return (
    <div class="curves-bar" role="toolbar" aria-label="How curves are shown">
      <label class="t-filter">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search tags: loss|acc"
          aria-label="Search tags by a regular expression"
          aria-invalid={problem !== null}
          title={problem ?? `${matching} charts`}
          value={view.search}
          onInput={(event) => set({ q: event.currentTarget.value })}
        />
      </label>
      <Smoothing value={view.smoothing} />
      <label>
        x{" "}
        <select
          value={view.x}
          aria-label="Horizontal axis"
          onChange={(event) =>
            set({ x: event.currentTarget.value === "step" ? null : event.currentTarget.value, zoom: null })
          }
        >
          <option value="step">Step</option>
          <option value="relative">Relative time</option>
          <option value="wall">Wall time</option>
          <optgroup label="Tag">
            {tags.slice(0, 300).map(({ tag }) => (
              <option key={tag} value={`tag:${tag}`}>
                {tag}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <Toggle
        label="log x"
        title="Logarithmic x"
        on={view.logX}
        onChange={(on) => set({ logx: on ? "1" : null })}
      />
      <Toggle
        label="log y"
        title="Logarithmic y"
        on={view.logY}
        onChange={(on) => set({ logy: on ? "1" : null })}
      />
      <Toggle
        label="Ignore outliers"
        title="The lowest and the highest twentieth of the values do not count for the range of y"
        on={!view.outliers}
        onChange={(on) => set({ outliers: on ? "0" : null })}
      />
      {runs.length < 2 ? null : (
        <label>
          Group{" "}
          <select
            value={view.group ?? ""}
            aria-label="Group runs"
            onChange={(event) => set({ by: event.currentTarget.value })}
          >
            <option value="">each run</option>
            <option value="all">all runs: mean</option>
            {config.map((name) => (
              <option key={name} value={name}>
                by {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {view.group === null ? null : (
        <label>
          Band{" "}
          <select
            value={view.band}
            aria-label="Band around the mean"
            onChange={(event) =>
              set({ band: event.currentTarget.value === "minmax" ? null : event.currentTarget.value })
            }
          >
            <option value="minmax">min–max</option>
            <option value="deviation">± deviation</option>
          </select>
        </label>
      )}
      <Popover label="Chart of …" icon="curves">
        {(close) => <Join tags={tags.map(({ tag }) => tag)} view={view} onDone={close} />}
      </Popover>
      <Popover label="More" icon="down">
        {() => (
          <div class="curves-more">
            <label>
              <input
                type="checkbox"
                checked={view.overwritten}
                onChange={(event) => set({ overwritten: event.currentTarget.checked ? "1" : null })}
              />{" "}
              Points that a restart wrote over
            </label>
            <label>
              Order at the crosshair{" "}
              <select
                value={view.order}
                onChange={(event) =>
                  set({ order: event.currentTarget.value === "nearest" ? null : event.currentTarget.value })
                }
              >
                <option value="nearest">nearest first</option>
                <option value="descending">largest first</option>
                <option value="ascending">smallest first</option>
                <option value="name">by name</option>
              </select>
            </label>
            <p class="muted">
              Drag zooms x, Shift-drag y; the wheel zooms y with Alt, or where a chart has the focus; a double
              click shows all.
            </p>
          </div>
        )}
      </Popover>
      {view.zoom === null && view.zoomY.size === 0 ? null : (
        <button type="button" onClick={() => set({ zoom: null, zoomy: null })}>
          Show all
        </button>
      )}
      {problem === null ? null : (
        <span class="curves-problem" role="status">
          {problem}
        </span>
      )}
    </div>
  );
}

function Join({
  tags,
  view,
  onDone,
}: {
  readonly tags: readonly string[];
  readonly view: CurveView;
  readonly onDone: () => void;
}) {
  const [text, setText] = useState("");
  const named = tagsNamed(text, tags);
  return (
    <form
      class="curves-more"
      onSubmit={(event) => {
        event.preventDefault();
        if (named.tags.length === 0) return;
        set({ charts: [...new Set([...view.joined, chartKey(named.tags)])].join(",") });
        onDone();
      }}
    >
      <label>
        Several tags in one chart: names, with * or as /expressions/
        <input
          type="text"
          autofocus
          placeholder="train/loss, val/*, /acc$/"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p class="muted" role="status">
        {named.tags.length === 0
          ? ""
          : `${named.tags.length} tags: ${named.tags.slice(0, 6).join(", ")}${named.tags.length > 6 ? " …" : ""}.`}
        {named.unknown.length === 0 ? "" : ` Nothing fits ${named.unknown.join(", ")}.`}
      </p>
      <button type="submit" class="primary" disabled={named.tags.length === 0}>
        Show
      </button>
    </form>
  );
}
