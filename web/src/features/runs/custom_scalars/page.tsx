// SPDX-License-Identifier: Apache-2.0
// Charts as the writer of the logs laid them out: several tags in one, by category.
import { useEffect, useMemo, useState } from "preact/hooks";
import { getJson, messageOf } from "../../../api/client";
import { type CurveView, curveView } from "../../../lib/runs/curve_view";
import { type Layout, type LayoutChart, mergedLayout } from "../../../lib/runs/layouts";
import { chartKey } from "../../../lib/runs/tags";
import { plural } from "../../../lib/text";
import { recoveries } from "../../../state/profiles";
import type { Resource } from "../../../state/resource";
import { params } from "../../../state/route";
import { runsRevision } from "../../../state/run_events";
import { Empty, Failed, Page, Panel, Skeleton } from "../../../ui/page";
import type { RunsProps } from "../../page_props";
import { CurveCard } from "../shared/curve_card";
import "../shared/curves.css";
import "../shared/runs.css";
import { useScopeRuns, useTags } from "../shared/scope_runs";

const MOST_LAYOUTS = 50; // runs whose layouts are read

function tagsOf({ multiline, margin }: LayoutChart, all: readonly string[]): readonly string[] {
  if (margin)
    return [...new Set(margin.series.flatMap(({ value, lower, upper }) => [value, lower, upper]))].filter(
      (tag) => all.includes(tag),
    );
  const found = new Set<string>();
  for (const expression of multiline?.tag ?? []) {
    if (all.includes(expression)) found.add(expression);
    try {
      const regex = new RegExp(`^(?:${expression})`);
      for (const tag of all) if (regex.test(tag)) found.add(tag);
    } catch {
      // Not an expression: it is a name, looked for above.
    }
  }
  return [...found];
}

// The layouts of these runs, as one. null: of none yet.
function useLayout(ids: readonly string[] | null): Resource<Layout> {
  const key = ids?.join() ?? "";
  const [answer, setAnswer] = useState<{ key: string; resource: Resource<Layout> } | null>(null);
  useEffect(() => {
    if (ids === null) return;
    const abort = new AbortController();
    const ask = (run: string): Promise<Layout> => getJson("series/custom_scalars", { run }, abort.signal);
    Promise.all(ids.map(ask)).then(
      (layouts) => setAnswer({ key, resource: { state: "ready", data: mergedLayout(layouts) } }),
      (error: unknown) => {
        if (!abort.signal.aborted)
          setAnswer({ key, resource: { state: "failed", data: null, message: messageOf(error) } });
      },
    );
    return () => abort.abort();
  }, [key, runsRevision.value, recoveries.value]);
  return answer?.key === key ? answer.resource : { state: "loading", data: null };
}

export default function CustomScalarsPage(props: RunsProps) {
  const runs = useScopeRuns(props);
  const tags = useTags(props, ["scalars"]);
  const layouts = useTags(props, ["custom_scalars"]);
  const having = new Set(layouts.state === "ready" ? layouts.data.flatMap(({ ids }) => ids ?? []) : []);
  const all = runs.state === "ready" ? runs.data.shown : [];
  const of = all.map(({ id }) => id).filter((id) => having.has(id));
  const layout = useLayout(
    runs.state === "ready" && layouts.state === "ready" ? of.slice(0, MOST_LAYOUTS) : null,
  );
  const view: CurveView = useMemo(() => curveView(params.value), [params.value]);
  const failed = [runs, tags, layout].find((one) => one.state === "failed");
  const none = layouts.state === "ready" && layouts.data.length === 0;
  if (none || (runs.state === "ready" && runs.data.shown.length === 0))
    return (
      <Page title="Custom scalars" sentence="These runs have no layout of charts.">
        <Empty what="add_custom_scalars of SummaryWriter writes a layout. “Chart of …” on the page Curves puts several tags into one chart without it." />
      </Page>
    );
  if (failed?.state === "failed")
    return (
      <Page title="Custom scalars">
        <Failed message={failed.message} />
      </Page>
    );
  if (runs.state !== "ready" || tags.state !== "ready" || layout.state !== "ready")
    return (
      <Page title="Custom scalars" sentence={null}>
        <Skeleton lines={8} />
      </Page>
    );
  const names = tags.data.map(({ tag }) => tag);
  const categories = layout.data.category;
  const charts = categories.reduce((sum, { chart }) => sum + chart.length, 0);
  return (
    <Page
      title="Custom scalars"
      sentence={`${charts} ${plural(charts, "chart")} in ${categories.length} ${plural(categories.length, "category", "categories")}, of ${runs.data.shown.length} ${plural(runs.data.shown.length, "run")}.`}
    >
      {categories.map((category) => (
        <Panel key={category.title} title={category.title}>
          <div class="run-curves">
            {category.chart.map((chart, i) => {
              const of = tagsOf(chart, names);
              return (
                <CurveCard
                  key={`${i} ${chart.title}`}
                  id={chartKey([chart.title])}
                  title={chart.title || of.join(" + ")}
                  tags={of}
                  runs={runs.data.shown}
                  groups={null}
                  margins={chart.margin?.series}
                  view={view}
                  height={270}
                />
              );
            })}
          </div>
        </Panel>
      ))}
    </Page>
  );
}
