// SPDX-License-Identifier: Apache-2.0
// Curves of everything that was logged as numbers: a card for each tag, by what stands before the first slash; charts of
// several tags and pinned ones above; the runs beside them, as a legend that switches them on and off.
import { useMemo } from "preact/hooks";
import type { TagInfo } from "../../../api/runs";
import { curveView, grouped } from "../../../lib/runs/curve_view";
import { byPrefix, chartKey, chartTags, search } from "../../../lib/runs/tags";
import { plural } from "../../../lib/text";
import { params, set } from "../../../state/route";
import { Empty, Failed, Page, Skeleton } from "../../../ui/page";
import type { RunsProps } from "../../page_props";
import "../shared/runs.css";
import "../shared/curves.css";
import { DoneBar } from "../shared/done_bar";
import { useScopeRuns, useTags } from "../shared/scope_runs";
import { WhereBox } from "../shared/where_box";
import { type Card, Cards } from "./cards";
import { Legend } from "./legend";
import { Toolbar } from "./toolbar";

const n = (count: number): string => count.toLocaleString("en-US");

export default function CurvesPage(props: RunsProps) {
  const runs = useScopeRuns(props);
  const tags = useTags(props, ["scalars"]);
  const address = params.value;
  const view = useMemo(() => curveView(address), [address]);
  const list = tags.state === "ready" ? tags.data : null;
  const shown = runs.state === "ready" ? runs.data.shown : null;
  const ids = shown?.map((run) => run.id).join() ?? "";
  const looks = shown?.map((run) => `${run.title}${run.color}`).join() ?? "";
  // The same list as long as the same runs are in it: charts ask again when it changes.
  const drawn = useMemo(() => shown ?? [], [ids, looks]);
  const groups = useMemo(
    () => (view.group === null ? null : grouped(drawn, view.group)),
    [drawn, view.group],
  );
  const found = search(view.search);

  const sections = useMemo(() => {
    if (list === null) return [];
    const byName = new Map(list.map((tag) => [tag.tag, tag]));
    const cardOf = (key: string): Card => {
      const of = chartTags(key).filter((tag) => byName.has(tag));
      const info = of.length === 1 ? byName.get(of[0] as string) : undefined;
      return {
        key,
        tags: of,
        title: info?.display_name || of.join(" + ") || chartTags(key).join(" + ") || "(no name)",
        note: info?.description ?? "",
      };
    };
    const matching = list.filter(({ tag }: TagInfo) => found.matches(tag));
    return [
      ...(view.pinned.length > 0 ? [{ name: "Pinned", members: view.pinned.map(cardOf) }] : []),
      ...(view.joined.length > 0 ? [{ name: "Several tags", members: view.joined.map(cardOf) }] : []),
      ...byPrefix(matching, ({ tag }) => tag).map(({ name, members }) => ({
        name,
        members: members.map(({ tag }) => cardOf(chartKey([tag]))),
      })),
    ];
  }, [list, view.search, view.pinned.join(), view.joined.join()]);

  const count = sections.reduce((sum, { members }) => sum + members.length, 0);
  const sentence =
    runs.state === "loading" || tags.state === "loading" || shown === null || list === null
      ? runs.state === "failed" || tags.state === "failed"
        ? undefined
        : null
      : list.length === 0
        ? "These runs have logged no numbers."
        : `${n(list.length)} ${plural(list.length, "curve")} of ${n(shown.length)} ${plural(shown.length, "run")}${
            groups === null ? "" : `, as the mean of ${n(groups.length)} ${plural(groups.length, "group")}`
          }.`;
  const aside =
    runs.state !== "ready"
      ? undefined
      : [
          runs.data.runs.length - runs.data.shown.length > 0
            ? `${n(runs.data.runs.length - runs.data.shown.length)} switched off.`
            : "",
          runs.data.hidden > 0 ? `${n(runs.data.hidden)} hidden.` : "",
          runs.data.total > runs.data.runs.length + runs.data.hidden
            ? `The first ${n(runs.data.runs.length)} of ${n(runs.data.total)}: filter to choose others.`
            : "",
        ]
          .filter(Boolean)
          .join(" ");
  const whole = props.run === undefined && props.runs === undefined;
  return (
    <Page title="Curves" sentence={sentence} {...(aside ? { aside } : {})}>
      {runs.state === "failed" ? <Failed message={runs.message} /> : null}
      {tags.state === "failed" ? <Failed message={tags.message} /> : null}
      <Toolbar view={view} tags={list ?? []} runs={drawn} problem={found.error} matching={count} />
      {list === null || runs.state === "loading" ? (
        <Skeleton height="420px" />
      ) : list.length === 0 ? (
        <Empty what="A curve appears as soon as a number is logged: add_scalar of SummaryWriter, log of Lightning." />
      ) : (
        <div class={props.run === undefined ? "curves" : "curves curves-alone"}>
          {props.run === undefined && runs.state === "ready" ? (
            <Legend runs={runs.data.runs} groups={groups} filter={whole ? <WhereBox /> : null} />
          ) : null}
          {count === 0 ? (
            <Empty what={`No tag fits “${view.search}”.`}>
              <button type="button" onClick={() => set({ q: null })}>
                Show all tags
              </button>
            </Empty>
          ) : (
            <Cards sections={sections} runs={drawn} groups={groups} view={view} />
          )}
        </div>
      )}
      <DoneBar />
    </Page>
  );
}
