// SPDX-License-Identifier: Apache-2.0
// Search, zoom and the picture as a file.
import { Icon } from "../../components/icon";
import { Download } from "../../components/page";
import { count } from "../../lib/units";
import { params, set } from "../../state/route";
import type { TimelineModel } from "./model";
import { picture } from "./picture";

export function Toolbar({ model, name }: { readonly model: TimelineModel; readonly name: string }) {
  return (
    <>
      <SearchBox model={model} />
      <div class="tl-buttons">
        <button type="button" title="Zoom in (W)" aria-label="Zoom in" onClick={() => zoom(model, 0.5)}>
          +
        </button>
        <button type="button" title="Zoom out (S)" aria-label="Zoom out" onClick={() => zoom(model, 2)}>
          −
        </button>
        <button type="button" title="The whole trace (0)" onClick={() => model.motion.glide(model.whole)}>
          Fit
        </button>
      </div>
      <Download
        label="PNG"
        items={[{ label: "What is in view", file: `${name}-timeline.png`, make: () => picture(model) }]}
      />
    </>
  );
}

function zoom(model: TimelineModel, factor: number): void {
  const { start, end } = model.scene.viewport;
  const middle = (start + end) / 2;
  const half = ((end - start) / 2) * factor;
  model.motion.glide({ start: middle - half, end: middle + half });
}

function SearchBox({ model }: { readonly model: TimelineModel }) {
  const query = params.value.q ?? "";
  const { found, current, problem } = model.search;
  const matches = found.value;
  const at = current.value ? model.search.position : null;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") {
      event.preventDefault();
      void model.search.go(!event.shiftKey);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      set({ q: null });
      (event.currentTarget as HTMLElement).blur();
    }
  };
  return (
    <search class="tl-search">
      <Icon name="search" />
      <input
        type="search"
        placeholder="Search events  /"
        aria-label="Search events by name"
        value={query}
        onInput={(event) => set({ q: event.currentTarget.value })}
        onKeyDown={onKey}
      />
      {query === "" ? null : (
        <span class="tl-found" role="status" title={problem.value}>
          {problem.value !== ""
            ? "failed"
            : matches === null
              ? "…"
              : matches.total === 0
                ? "none"
                : `${at === null ? "" : `${count(at)} of `}${count(matches.total)}`}
        </span>
      )}
      <button
        type="button"
        class="plain small"
        title="Previous match (Shift-Enter, N)"
        aria-label="Previous match"
        disabled={!matches?.total}
        onClick={() => void model.search.go(false)}
      >
        <span class="tl-up">
          <Icon name="down" />
        </span>
      </button>
      <button
        type="button"
        class="plain small"
        title="Next match (Enter, n)"
        aria-label="Next match"
        disabled={!matches?.total}
        onClick={() => void model.search.go(true)}
      >
        <Icon name="down" />
      </button>
    </search>
  );
}
