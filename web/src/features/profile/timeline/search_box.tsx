// SPDX-License-Identifier: Apache-2.0
// The box that events are looked for in, and what it understands.

import { count } from "../../../lib/units";
import { params, set } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { IconButton } from "../../../ui/icon_button";
import { Popover } from "../../../ui/menu";
import type { TimelineModel } from "./model";

export function SearchBox({ model }: { readonly model: TimelineModel }) {
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
        aria-label="Search events by name or argument"
        value={query}
        onInput={(event) => set({ q: event.currentTarget.value })}
        onKeyDown={onKey}
      />
      {query === "" ? null : (
        <span class="tl-found" role="status" title={problem.value}>
          {problem.value !== ""
            ? "not understood"
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
      <IconButton
        icon="down"
        label="Next match"
        title="Next match (Enter, n)"
        disabled={!matches?.total}
        onClick={() => void model.search.go(true)}
      />
      <Popover label="" icon="help" title="What a search understands" plain>
        {() => <SearchHelp model={model} />}
      </Popover>
    </search>
  );
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ["aten::mm", "names that contain it"],
  ["shape:[32,3,224,224]", "operators with such an input, and what they launched"],
  ["stream=7 duration>1ms", "both must hold"],
  ["collective:allreduce bytes>1MiB", ""],
  ['arg:"Input Dims"=[[2,3]]', "a key as the trace writes it"],
];

function SearchHelp({ model }: { readonly model: TimelineModel }) {
  return (
    <div class="tl-search-help">
      <p>Words of the name and conditions, between spaces. What matches is lit, the rest dimmed.</p>
      <dl>
        {EXAMPLES.map(([typed, what]) => (
          <div key={typed}>
            <dt>
              <button type="button" class="plain small tl-example" onClick={() => set({ q: typed })}>
                <code>{typed}</code>
              </button>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p>
        A condition is a key, one of <code>: = != &gt; &lt; &gt;= &lt;=</code>, and a value. The keys are the
        arguments that are kept for all events; others show in an event’s panel only.
      </p>
      <dl>
        {(model.layout.search_keys ?? []).map(({ key, what }) => (
          <div key={key}>
            <dt>
              <code>{key}</code>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
