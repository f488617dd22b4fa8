// SPDX-License-Identifier: Apache-2.0
// Hyper-parameters beside what came of them: a table, parallel axes, a matrix of scatter plots, and how strongly each goes
// along with a metric.
import { useMemo } from "preact/hooks";
import type { ConfigValue } from "../../../api/runs";
import { type Logged, numberOf, shortNumber } from "../../../lib/runs/numbers";
import { byInterest } from "../../../lib/runs/run_columns";
import { plural } from "../../../lib/text";
import { ofRun, pageAddress, params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Empty, Failed, Page, Panel, Skeleton } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { RunsProps } from "../../page_props";
import "../shared/runs.css";
import { WhereBox } from "../shared/where_box";
import { ParallelView } from "./parallel_view";
import { ScatterMatrix } from "./scatter_matrix";
import "./hparams.css";

export interface HParamRow {
  readonly id: string;
  readonly name: string;
  readonly hparams: Readonly<Record<string, ConfigValue>>;
  readonly metrics: Readonly<Record<string, Logged>>;
}
interface HParams {
  readonly hparams: readonly {
    readonly name: string;
    readonly kind: string;
    readonly values: readonly ConfigValue[];
  }[];
  readonly metrics: readonly string[];
  readonly rows: readonly HParamRow[];
  readonly importance: readonly Importance[];
  readonly sentence?: string;
}
interface Importance {
  readonly metric: string;
  readonly hparam: string;
  readonly correlation: number | null;
  readonly n: number;
}

const VIEWS = [
  { key: "table", title: "Table" },
  { key: "parallel", title: "Parallel axes" },
  { key: "scatter", title: "Scatter matrix" },
  { key: "importance", title: "Importance" },
] as const;
const MOST_AXES = 8;

export default function HParamsPage({ run, runs }: RunsProps) {
  const ids = run !== undefined ? [run] : (runs ?? null);
  const data = useRunsJson<HParams>(
    "series/hparams",
    { where: ids === null ? params.value.where : ids.map((id) => `id = "${id}"`).join(" or ") },
    { stay: true },
  );
  if (data.state === "failed")
    return (
      <Page title="HParams">
        <Failed message={data.message} />
      </Page>
    );
  if (data.state === "loading")
    return (
      <Page title="HParams" sentence={null}>
        <Skeleton lines={10} />
      </Page>
    );
  return <Shown data={data.data} whole={ids === null} />;
}

function Shown({ data, whole }: { readonly data: HParams; readonly whole: boolean }) {
  const metrics = useMemo(() => byInterest(data.metrics.map((name) => ({ name, runs: 1 }))), [data]);
  const metric = metrics.find((name) => name === params.value.metric) ?? metrics[0];
  const differing = data.hparams.filter(
    ({ name }) => new Set(data.rows.map((row) => String(row.hparams[name]))).size > 1,
  );
  const view = chosenTab("view_as", VIEWS);
  const strongest = data.importance
    .filter((entry) => entry.metric === metric && entry.correlation !== null)
    .toSorted((a, b) => Math.abs(b.correlation ?? 0) - Math.abs(a.correlation ?? 0))[0];
  const sentence =
    data.sentence ??
    (data.hparams.length === 0
      ? "No hyper-parameters were recorded."
      : `${data.rows.length.toLocaleString("en-US")} ${plural(data.rows.length, "run")} with ${data.hparams.length} ${plural(data.hparams.length, "hyper-parameter")}, of which ${differing.length} ${differing.length === 1 ? "differs" : "differ"}${
          strongest && Math.abs(strongest.correlation ?? 0) >= 0.3
            ? `. ${metric} goes along most with ${strongest.hparam}`
            : ""
        }.`);
  return (
    <Page title="HParams" sentence={sentence}>
      <div class="tag-bar">
        {whole ? <WhereBox /> : null}
        <label>
          Metric{" "}
          <select value={metric} onChange={(event) => set({ metric: event.currentTarget.value })}>
            {metrics.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Tabs param="view_as" tabs={VIEWS} label="How hyper-parameters are shown" />
      </div>
      {data.hparams.length === 0 ? (
        <Empty what="add_hparams of SummaryWriter, Lightning's hparams.yaml and Hydra's config.yaml are read, and args.txt." />
      ) : view === "parallel" ? (
        <ParallelView
          rows={data.rows}
          hparams={(differing.length > 0 ? differing : data.hparams)
            .slice(0, MOST_AXES)
            .map(({ name }) => name)}
          metric={metric}
        />
      ) : view === "scatter" ? (
        <ScatterMatrix
          rows={data.rows}
          hparams={(differing.length > 0 ? differing : data.hparams)
            .slice(0, MOST_AXES)
            .map(({ name }) => name)}
          metrics={metrics.slice(0, 3)}
        />
      ) : view === "importance" ? (
        <ImportancePanel
          rows={data.importance.filter((entry) => entry.metric === metric)}
          metric={metric ?? ""}
        />
      ) : (
        <HParamTable data={data} hparams={data.hparams.map(({ name }) => name)} metrics={metrics} />
      )}
    </Page>
  );
}

function HParamTable({
  data,
  hparams,
  metrics,
}: {
  readonly data: HParams;
  readonly hparams: readonly string[];
  readonly metrics: readonly string[];
}) {
  const columns = useMemo<readonly Column<HParamRow>[]>(
    () => [
      {
        key: "name",
        title: "Run",
        quantity: "text",
        value: ({ name }) => name,
        href: ({ id }) => pageAddress("overview", {}, ofRun(id)),
      },
      ...hparams.map((name): Column<HParamRow> => {
        const numeric = data.rows.every((row) => typeof (row.hparams[name] ?? 0) === "number");
        return {
          key: `h.${name}`,
          title: name,
          quantity: numeric ? "number" : "text",
          width: 110,
          value: (row) => row.hparams[name] ?? null,
          ...(numeric
            ? { cell: (row: HParamRow) => <span>{shortNumber(row.hparams[name] as number | null)}</span> }
            : {}),
        };
      }),
      ...metrics.map(
        (name, i): Column<HParamRow> => ({
          key: `m.${name}`,
          title: name,
          quantity: "number",
          width: 110,
          hidden: i >= 6,
          value: (row) => numberOf(row.metrics[name]),
          cell: (row) => (
            <span title={String(row.metrics[name] ?? "")}>{shortNumber(numberOf(row.metrics[name]))}</span>
          ),
        }),
      ),
    ],
    [data, hparams, metrics],
  );
  return (
    <Panel flush>
      <Table
        id="hparams"
        label="Hyper-parameters"
        columns={columns}
        rows={data.rows}
        what={["run", "runs"]}
        fill
      />
    </Panel>
  );
}

function ImportancePanel({
  rows,
  metric,
}: {
  readonly rows: readonly Importance[];
  readonly metric: string;
}) {
  const columns: readonly Column<Importance>[] = [
    { key: "hparam", title: "Hyper-parameter", quantity: "text", value: ({ hparam }) => hparam },
    {
      key: "strength",
      title: "Strength",
      quantity: "number",
      bar: true,
      width: 160,
      value: ({ correlation }) => (correlation === null ? null : Math.abs(correlation)),
      help: "Spearman's rank correlation, without its sign",
    },
    {
      key: "correlation",
      title: "Correlation",
      quantity: "number",
      width: 110,
      value: ({ correlation }) => correlation,
      cell: ({ correlation }) => <span>{correlation === null ? "–" : correlation.toFixed(2)}</span>,
    },
    { key: "n", title: "Runs", quantity: "count", width: 80, value: ({ n }) => n },
  ];
  return (
    <Panel title={`What goes along with ${metric}`} note="rank correlation over runs" flush>
      <p class="hparams-caution">
        A correlation is no cause: with few runs it may be chance, with settings that were changed together it
        cannot tell them apart, and what first helps and then harms shows none.
      </p>
      {rows.length === 0 ? (
        <Empty what="There are too few runs, or the settings do not differ." />
      ) : (
        <Table
          id="importance"
          label="Importance"
          columns={columns}
          rows={rows}
          sort="-strength"
          what={["hyper-parameter", "hyper-parameters"]}
        />
      )}
    </Panel>
  );
}
