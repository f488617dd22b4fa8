// SPDX-License-Identifier: Apache-2.0
// Charts as the writer of the logs laid them out: several tags in one, by category.
import { useMemo } from "preact/hooks";
import { type CurveView, curveView } from "../../../lib/runs/curve_view";
import type { Margin } from "../../../lib/runs/margins";
import { chartKey } from "../../../lib/runs/tags";
import { plural } from "../../../lib/text";
import { params } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Empty, Failed, Page, Panel, Skeleton } from "../../../ui/page";
import type { RunsProps } from "../../page_props";
import { CurveCard } from "../shared/curve_card";
import "../shared/curves.css";
import "../shared/runs.css";
import { useScopeRuns, useTags } from "../shared/scope_runs";

interface Chart {
  readonly title: string;
  readonly multiline?: { readonly tag: readonly string[] }; // expressions, matched from the start
  readonly margin?: { readonly series: readonly Margin[] };
}
interface Layout {
  readonly category: readonly {
    readonly title: string;
    readonly closed: boolean;
    readonly chart: readonly Chart[];
  }[];
}

function tagsOf({ multiline, margin }: Chart, all: readonly string[]): readonly string[] {
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

export default function CustomScalarsPage(props: RunsProps) {
  const runs = useScopeRuns(props);
  const tags = useTags(props, ["scalars"]);
  const layouts = useTags(props, ["custom_scalars"]);
  const having = layouts.state === "ready" ? layouts.data.flatMap(({ ids }) => ids ?? []) : [];
  const all = runs.state === "ready" ? runs.data.shown : [];
  const first =
    layouts.state === "ready" ? (all.find(({ id }) => having.includes(id)) ?? all[0])?.id : undefined;
  const layout = useRunsJson<Layout>(first === undefined ? null : "series/custom_scalars", { run: first });
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
            {category.chart.map((chart) => {
              const of = tagsOf(chart, names);
              return (
                <CurveCard
                  key={chart.title}
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
