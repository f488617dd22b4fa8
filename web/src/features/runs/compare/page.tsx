// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: what differs in their settings first, then their curves, then how they ended.
import { useMemo } from "preact/hooks";
import type { RunWhole } from "../../../api/runs";
import { curveView } from "../../../lib/runs/curve_view";
import { numberOf, shortNumber } from "../../../lib/runs/numbers";
import { byInterest } from "../../../lib/runs/run_columns";
import { chartKey } from "../../../lib/runs/tags";
import { plural, visible } from "../../../lib/text";
import { pageAddress } from "../../../state/route";
import { Failed, Page, Panel, Skeleton } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import type { PageProps } from "../../page_props";
import { CurveCard } from "../shared/curve_card";
import "../shared/curves.css";
import { DoneBar } from "../shared/done_bar";
import { RunLink } from "../shared/run_link";
import "../shared/runs.css";
import { useRuns, useTags } from "../shared/scope_runs";

const CURVES = 9;

interface Row {
  readonly name: string;
  readonly values: readonly (string | number | null)[]; // of each run
  readonly differs: boolean;
}

function settingsOf(runs: readonly RunWhole[]): readonly Row[] {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.config)))];
  return names
    .map((name) => {
      const values = runs.map((run) => {
        const value = run.config[name];
        return value === undefined ? null : typeof value === "number" ? value : String(value);
      });
      return { name, values, differs: new Set(values.map(String)).size > 1 };
    })
    .sort((a, b) => Number(b.differs) - Number(a.differs));
}

function lastOf(runs: readonly RunWhole[]): readonly Row[] {
  const names = byInterest(
    [...new Set(runs.flatMap((run) => Object.keys(run.metrics)))].map((name) => ({ name, runs: 1 })),
  );
  return names.map((name) => ({
    name,
    values: runs.map((run) => numberOf(run.metrics[name]?.last)),
    differs: true,
  }));
}

function columnsOf(runs: readonly RunWhole[], title: string, numbers: boolean): readonly Column<Row>[] {
  return [
    { key: "name", title, quantity: "text", value: ({ name }) => name, width: 220 },
    ...runs.map(
      (run, i): Column<Row> => ({
        key: run.id,
        title: visible(run.title),
        quantity: numbers ? "number" : "text",
        width: 130,
        value: ({ values }) => values[i],
        cell: ({ values, differs }) => {
          const value = values[i];
          const text =
            value === null || value === undefined
              ? "–"
              : typeof value === "number"
                ? shortNumber(value)
                : visible(value);
          return (
            <span
              class={differs ? "" : "muted"}
              title={value === null || value === undefined ? "not recorded" : String(value)}
            >
              {text}
            </span>
          );
        },
      }),
    ),
  ];
}

export default function ComparePage({ runs: ids }: PageProps<"runs">) {
  const found = useRuns(ids);
  useTags({ runs: ids }, []);
  const runs = found.state === "ready" ? found.data : null;
  const settings = useMemo(() => (runs === null ? [] : settingsOf(runs)), [runs]);
  const last = useMemo(() => (runs === null ? [] : lastOf(runs)), [runs]);
  const settingColumns = useMemo(() => columnsOf(runs ?? [], "Setting", false), [runs]);
  const lastColumns = useMemo(() => columnsOf(runs ?? [], "Metric", true), [runs]);
  const view = useMemo(() => curveView({}), []);
  if (found.state === "failed")
    return (
      <Page title="Compare runs">
        <Failed message={found.message} />
      </Page>
    );
  if (runs === null)
    return (
      <Page title="Compare runs" sentence={null}>
        <Skeleton lines={10} />
      </Page>
    );
  const differing = settings.filter((row) => row.differs);
  const names = differing.slice(0, 4).map((row) => row.name);
  const sentence =
    settings.length === 0
      ? `${runs.length} runs, of which no settings were recorded.`
      : differing.length === 0
        ? `${runs.length} runs with the same ${settings.length} ${plural(settings.length, "setting")}.`
        : `${runs.length} runs differ in ${differing.length} of ${settings.length} ${plural(settings.length, "setting")}: ${names.join(", ")}${differing.length > names.length ? " …" : ""}.`;
  const gone = ids.length - runs.length;
  return (
    <Page
      title="Compare runs"
      sentence={sentence}
      {...(gone > 0
        ? { aside: `${gone} of the chosen runs ${gone === 1 ? "is" : "are"} not here any more.` }
        : {})}
    >
      <Panel title="Runs">
        <ul class="run-list run-compared">
          {runs.map((run) => (
            <li key={run.id}>
              <RunLink run={run} />
            </li>
          ))}
        </ul>
      </Panel>
      {settings.length === 0 ? null : (
        <Panel title="Settings" note="what differs first" flush>
          <Table
            id="settings"
            label="Settings"
            columns={settingColumns}
            rows={settings}
            what={["setting", "settings"]}
            maxRows={14}
          />
        </Panel>
      )}
      {last.length === 0 ? null : (
        <Panel
          title="Curves"
          actions={<a href={pageAddress("curves")}>All {last.length.toLocaleString("en-US")} curves</a>}
        >
          <div class="run-curves">
            {last.slice(0, CURVES).map(({ name }) => (
              <CurveCard
                key={name}
                id={chartKey([name])}
                title={name}
                tags={[name]}
                runs={runs}
                groups={null}
                view={view}
                height={230}
              />
            ))}
          </div>
        </Panel>
      )}
      {last.length === 0 ? null : (
        <Panel title="Last values" flush>
          <Table
            id="last"
            label="Last values"
            columns={lastColumns}
            rows={last}
            what={["metric", "metrics"]}
            maxRows={20}
          />
        </Panel>
      )}
      <DoneBar />
    </Page>
  );
}
