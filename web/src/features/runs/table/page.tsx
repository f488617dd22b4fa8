// SPDX-License-Identifier: Apache-2.0
// All runs of what is open: the table that everything else begins at.
import { useMemo, useRef } from "preact/hooks";
import { askRuns, type Run, type RunColumns } from "../../../api/runs";
import { toCsv, toJson } from "../../../lib/csv";
import {
  byInterest,
  chosenColumns,
  columnKey,
  columnOf,
  columnTitle,
  defaultColumns,
  factNames,
  metricsOf,
  type RunColumn,
  sortName,
} from "../../../lib/runs/run_columns";
import { plural } from "../../../lib/text";
import { params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Menu, Popover } from "../../../ui/menu";
import { Download, Empty, Failed, Page, Skeleton } from "../../../ui/page";
import { DoneBar } from "../shared/done_bar";
import { useTags } from "../shared/scope_runs";
import { WhereBox } from "../shared/where_box";
import "../shared/runs.css";
import { Actions } from "./actions";
import { ColumnChoice } from "./column_choice";
import { RunGrid } from "./grid";
import { usePagedRuns } from "./paged";
import "./table.css";

const MOST_IN_FILE = 100_000;

const count = (n: number): string => n.toLocaleString("en-US");

const plain = (run: Run, { kind, name }: RunColumn) => {
  if (kind === "config") return run.config[name];
  if (kind === "fact") {
    if (name === "started") return run.start_ns;
    if (name === "duration") return run.duration_ns;
    if (name === "progress") return run.progress?.share ?? null;
    return name === "tags" ? run.tags.join(", ") : run[name as "note"];
  }
  return run.metrics[name]?.[kind === "spark" ? "last" : kind];
};

export default function RunsPage() {
  const address = params.value;
  const known = useRunsJson<RunColumns>("runs/columns");
  useTags({}, []);
  const offered = known.state === "ready" ? known.data : null;
  // What differs between the runs that the filter leaves.
  const part = useRunsJson<RunColumns>(
    address.where ? "runs/columns" : null,
    { where: address.where },
    { stay: true },
  );
  const shown = address.where && part.data ? part.data : offered;
  const otherwise = useMemo(
    () =>
      shown === null
        ? []
        : defaultColumns(
            shown.config,
            byInterest(shown.metrics.filter(({ name }) => !/^(monitor|telltale|system)\//.test(name))),
            shown.statuses.includes("Running"),
          ),
    [shown],
  );
  const columns = useMemo(() => chosenColumns(address.cols, otherwise), [address.cols, otherwise]);
  const groupBy = columnOf(address.group ?? "");
  const group = groupBy?.kind === "config" ? groupBy : null;
  const sort = address.sort ?? "-start";
  const deleted = address.deleted === "1";
  const query = {
    where: address.where,
    sort,
    group: group === null ? null : sortName(group),
    metrics: metricsOf(columns).join(","),
    deleted: deleted ? "1" : null,
  };
  const paged = usePagedRuns(query);
  const selected = useMemo(
    () => new Set((address.selected ?? "").split(",").filter(Boolean)),
    [address.selected],
  );
  const select = (ids: ReadonlySet<string>): void => set({ selected: [...ids].join(",") || null });
  // Runs that were seen: what is selected may be out of view.
  const seen = useRef(new Map<string, Run>());
  const head = paged.head;
  for (let i = 0; i < Math.min(head?.total ?? 0, 20_000); ++i) {
    const run = paged.at(i);
    if (run) seen.current.set(run.id, run);
  }
  const chosen = [...selected].flatMap((id) => seen.current.get(id) ?? []);

  const sentence =
    head === null
      ? null
      : (head.sentence ??
        (head.all === 0
          ? "There are no runs yet: they appear here as soon as something is logged."
          : `${count(head.all)} ${plural(head.all, "run")}${head.running > 0 ? `, ${count(head.running)} of them running` : ""}.`));
  const all = async (): Promise<readonly Run[]> =>
    (await askRuns({ ...query, limit: MOST_IN_FILE, offset: 0 })).runs;
  const fileColumns: readonly RunColumn[] = columns.filter((c) => c.kind !== "spark");
  const keys = [
    "id",
    "name",
    "status",
    ...fileColumns.map((c) => (c.kind === "fact" || c.kind === "config" ? c.name : `${c.name}.${c.kind}`)),
  ];
  const rows = (runs: readonly Run[]) =>
    runs.map((run) => [run.id, run.name, run.status, ...fileColumns.map((c) => plain(run, c))]);
  return (
    <Page
      title="Runs"
      sentence={paged.problem !== null && head === null ? undefined : sentence}
      actions={
        <button type="button" aria-pressed={deleted} onClick={() => set({ deleted: deleted ? null : "1" })}>
          {deleted ? "Back to all runs" : "Deleted runs"}
        </button>
      }
    >
      <section class="panel panel-flush runs-panel">
        <div class="runs-bar">
          <WhereBox />
          <span class="muted runs-count" aria-live="polite">
            {head === null
              ? ""
              : deleted
                ? `${count(head.total)} deleted`
                : head.total === head.all
                  ? `${count(head.total)} ${plural(head.total, "run")}`
                  : `${count(head.total)} of ${count(head.all)} ${plural(head.all, "run")}`}
          </span>
          <div class="actions">
            <Menu
              label={group === null ? "Group" : `By ${group.name}`}
              title="Group"
              icon="group"
              items={[
                { label: "No groups", checked: group === null, action: () => set({ group: null }) },
                ...(offered?.config ?? [])
                  .filter((c) => c.distinct > 1)
                  .slice(0, 24)
                  .map((c) => ({
                    label: `By ${c.name}`,
                    checked: group?.name === c.name,
                    action: () => set({ group: columnKey({ kind: "config", name: c.name }) }),
                  })),
              ]}
            />
            <Popover label="Columns" title="Columns" icon="columns">
              {() => (
                <ColumnChoice
                  chosen={columns}
                  offered={offered}
                  facts={factNames}
                  onChange={(next) => set({ cols: next === null ? null : next.map(columnKey).join(",") })}
                />
              )}
            </Popover>
            <Download
              items={[
                {
                  label: "CSV",
                  file: "runs.csv",
                  make: async () => new Blob([toCsv(keys, rows(await all()))], { type: "text/csv" }),
                },
                {
                  label: "JSON",
                  file: "runs.json",
                  make: async () => new Blob([toJson(keys, rows(await all()))], { type: "application/json" }),
                },
              ]}
            />
          </div>
        </div>
        {selected.size === 0 ? null : (
          <Actions
            runs={chosen}
            count={selected.size}
            ids={[...selected]}
            deleted={deleted}
            onClear={() => select(new Set())}
          />
        )}
        {paged.problem !== null && head === null ? <Failed message={paged.problem} /> : null}
        {head === null && paged.problem === null ? <Skeleton lines={12} /> : null}
        {head?.total === 0 ? (
          <Empty
            what={
              deleted
                ? "No run is deleted."
                : head.all === 0
                  ? "Nothing has been logged here yet."
                  : "No run fits the filter."
            }
          />
        ) : null}
        {head === null || head.total === 0 ? null : (
          <RunGrid
            columns={columns}
            paged={paged}
            sort={sort}
            group={group}
            selected={selected}
            onSelect={select}
            onSort={(next) => set({ sort: next === "-start" ? null : next })}
          />
        )}
      </section>
      <p class="visually-hidden">
        Columns: {columns.map(columnTitle).join(", ")}. Keys: arrows move, Enter opens, Space selects, e
        renames, t tags, n notes, p pins, h hides, Delete deletes.
      </p>
      <DoneBar />
    </Page>
  );
}
