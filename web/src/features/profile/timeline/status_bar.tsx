// SPDX-License-Identifier: Apache-2.0
// Below the tracks: the categories as a legend that lights one of them, and what the capture lacks.

import { shortenMiddle, visible } from "../../../lib/text";
import { shownName } from "../../../lib/timeline_names";
import { clockNote, omissions } from "../../../lib/timeline_summary";
import { time } from "../../../lib/units";
import { pageAddress, params, set } from "../../../state/route";
import { hasOldStacks } from "../../../ui/again";
import { Marks } from "./marks";
import type { TimelineModel } from "./model";

export function StatusBar({ model }: { readonly model: TimelineModel }) {
  const lit = (params.value.lit ?? "").split(",").filter(Boolean);
  const name = params.value.name;
  const byName = model.byName.value;
  const { tracks } = model.layout;
  const problem = model.loader.problem.value;
  const marks = model.marks.value;
  return (
    <footer class="tl-status">
      {problem === "" ? null : (
        <span class="tl-problem" role="alert">
          {problem}{" "}
          <button type="button" class="plain small" onClick={() => model.loader.retry()}>
            Try again
          </button>
        </span>
      )}
      <SearchNote model={model} />
      <label class="tl-colour">
        Colour by{" "}
        <select
          value={byName ? "name" : "category"}
          onChange={(event) => set({ colour: event.currentTarget.value === "name" ? "name" : null })}
        >
          <option value="category">category</option>
          <option value="name">name</option>
        </select>
      </label>
      <fieldset class="tl-legend" aria-label="Light one category">
        {model.categories.value.map((category) => (
          <button
            type="button"
            class="plain small"
            key={category}
            aria-pressed={lit.includes(category)}
            title={lit.includes(category) ? "Light everything" : `Dim everything but ${category}`}
            onClick={() => set({ lit: lit.includes(category) ? null : category, name: null })}
          >
            {byName ? null : <span class="swatch" style={{ background: `var(--c-${category})` }} />}
            {category}
          </button>
        ))}
      </fieldset>
      {name === undefined ? null : (
        <button type="button" class="chip" onClick={() => set({ name: null })}>
          only {visible(shortenMiddle(shownName(name), 40))} ✕
        </button>
      )}
      {params.value.zero === undefined ? null : (
        <button type="button" class="chip" onClick={() => set({ zero: null })}>
          time from {time(Number(params.value.zero))} ✕
        </button>
      )}
      {marks.length === 0 ? null : <Marks model={model} />}
      <span class="tl-notes muted">
        {omissions(model.layout)} {clockNote(model.layout)}{" "}
        {tracks.some((track) => track.kind === "python") ? null : <NoPython />}
      </span>
    </footer>
  );
}

// What of a search was not understood, or not as it may have been meant.
function SearchNote({ model }: { readonly model: TimelineModel }) {
  const { problem, found } = model.search;
  if ((params.value.q ?? "") === "") return null;
  if (problem.value !== "") {
    return (
      <span class="tl-problem" role="alert">
        {visible(problem.value)}
      </span>
    );
  }
  const unknown = found.value?.not_kept ?? [];
  if (unknown.length === 0) return null;
  return (
    <span class="muted">
      {visible(unknown.join(", "))}: no argument that can be searched, looked for in names.
    </span>
  );
}

function NoPython() {
  return hasOldStacks() ? (
    <>
      No Python stack: this version of torch kept{" "}
      <a href={pageAddress("operators", { by: "stack" })}>call stacks with the operators</a> only; 1.12 or
      later records it with <code>with_stack=True</code>.
    </>
  ) : (
    <>
      No Python stack: capture with <code>with_stack=True</code>.
    </>
  );
}
