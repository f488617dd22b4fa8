// SPDX-License-Identifier: Apache-2.0
// A page about what was logged under tags of some kind: which of them, by an expression, and of which runs.
import type { ComponentChildren } from "preact";
import type { Run, TagInfo } from "../../../api/runs";
import { search } from "../../../lib/runs/tags";
import { plural } from "../../../lib/text";
import { params, set } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { Empty, Failed, Page, Skeleton } from "../../../ui/page";
import "./runs.css";
import { type ScopeProps, useScopeRuns, useTags } from "./scope_runs";
import { WhereBox } from "./where_box";

export interface TagPageProps {
  readonly of: ScopeProps;
  readonly title: string;
  readonly plugins: readonly string[];
  readonly what: readonly [one: string, many: string]; // "histogram"
  readonly needs: string; // where there is nothing: how to log some
  readonly tools?: ComponentChildren;
  // `runsOf`: those that have all or some of the tags.
  readonly children: (
    tags: readonly TagInfo[],
    runsOf: (...tags: readonly TagInfo[]) => readonly Run[],
  ) => ComponentChildren;
}

const RUNS_AT_FIRST = 6;
const n = (count: number): string => count.toLocaleString("en-US");

export function TagPage({ of, title, plugins, what, needs, tools, children }: TagPageProps) {
  const runs = useScopeRuns(of);
  const tags = useTags(of, plugins);
  const expression = params.value.q ?? "";
  const most = Number(params.value.most ?? RUNS_AT_FIRST) || RUNS_AT_FIRST;
  const failed = runs.state === "failed" ? runs.message : tags.state === "failed" ? tags.message : null;
  if (failed !== null)
    return (
      <Page title={title}>
        <Failed message={failed} />
      </Page>
    );
  if (runs.state !== "ready" || tags.state !== "ready")
    return (
      <Page title={title} sentence={null}>
        <Skeleton lines={10} />
      </Page>
    );
  const all = runs.data.shown;
  const runsOf = (...of: readonly TagInfo[]): readonly Run[] => {
    // The server names the first of very many runs only: then any run may have the tag.
    const named = ({ ids, runs: count }: TagInfo): boolean => ids !== undefined && ids.length >= count;
    const ids = new Set(of.flatMap((tag) => (named(tag) ? (tag.ids ?? []) : all.map(({ id }) => id))));
    return all.filter(({ id }) => ids.has(id)).slice(0, most);
  };
  const cut = tags.data.some(({ runs: count }) => count > most) && all.length > most;
  const { matches, error } = search(expression);
  const found = tags.data.filter(({ tag }) => matches(tag));
  const several = of.run === undefined;
  const sentence =
    tags.data.length === 0
      ? `These runs have logged no ${what[1]}.`
      : `${n(tags.data.length)} ${plural(tags.data.length, what[0], what[1])}${several ? ` of ${n(all.length)} ${plural(all.length, "run")}` : ""}.`;
  return (
    <Page
      title={title}
      sentence={sentence}
      {...(several && cut ? { aside: `Of each the first ${most} runs are shown.` } : {})}
    >
      <div class="tag-bar" role="toolbar" aria-label={`Which ${what[1]}`}>
        <label class="t-filter">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search tags"
            aria-label="Search tags by a regular expression"
            aria-invalid={error !== null}
            value={expression}
            onInput={(event) => set({ q: event.currentTarget.value })}
          />
        </label>
        {of.run === undefined && of.runs === undefined ? <WhereBox /> : null}
        {tools}
        {cut ? (
          <button type="button" onClick={() => set({ most: String(most * 4) })}>
            More runs
          </button>
        ) : null}
      </div>
      {tags.data.length === 0 ? (
        <Empty what={needs} />
      ) : found.length === 0 ? (
        <Empty what={`No tag fits “${expression}”.`} />
      ) : (
        children(found, runsOf)
      )}
    </Page>
  );
}
