// SPDX-License-Identifier: Apache-2.0
// One run: what it is, when and where it ran, its settings, how it ended, its curves in small, its profiles and files.
import { useMemo, useState } from "preact/hooks";
import { type ConfigValue, type Metric, type RunStory, type RunWhole, seconds } from "../../../api/runs";
import { curveView } from "../../../lib/runs/curve_view";
import { duration, numberOf, shortNumber } from "../../../lib/runs/numbers";
import { byInterest } from "../../../lib/runs/run_columns";
import { chartKey } from "../../../lib/runs/tags";
import { plural, visible } from "../../../lib/text";
import { bytes } from "../../../lib/units";
import { ofProfile, ofRun, pageAddress } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Icon } from "../../../ui/icon";
import { KeyValue } from "../../../ui/key_value";
import { Moment } from "../../../ui/moment";
import { Name } from "../../../ui/name";
import { Empty, Failed, Load, Page, Panel, Skeleton } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import type { PageProps } from "../../page_props";
import { CellEditor, type Field } from "../shared/cell_editor";
import { CurveCard } from "../shared/curve_card";
import "../shared/curves.css";
import { DoneBar } from "../shared/done_bar";
import { edit } from "../shared/edits";
import { Progress } from "../shared/progress";
import { StatusDot, Swatch, statusText } from "../shared/run_link";
import "../shared/runs.css";
import { useRuns, useTags } from "../shared/scope_runs";
import { ChosenTime } from "./chosen_time";
import "./run.css";
import { chosenTime, Story } from "./story";

const SMALL = 6; // curves
const NO_GROUPS = null;

interface Setting {
  readonly name: string;
  readonly value: ConfigValue;
}
const SETTINGS: readonly Column<Setting>[] = [
  { key: "name", title: "Setting", quantity: "text", value: ({ name }) => name, width: 220 },
  {
    key: "value",
    title: "Value",
    quantity: "text",
    value: ({ value }) => (value === null ? "null" : String(value)),
  },
];

interface Ended extends Metric {
  readonly tag: string;
}
const metricColumns = (run: string): readonly Column<Ended>[] => {
  const number = (
    key: "last" | "min" | "max",
    title: string,
    step: "last_step" | "min_step" | "max_step",
  ): Column<Ended> => ({
    key,
    title,
    quantity: "number",
    width: 96,
    value: (row) => numberOf(row[key]),
    cell: (row) => <span title={`${row[key]} at step ${row[step]}`}>{shortNumber(numberOf(row[key]))}</span>,
  });
  return [
    {
      key: "tag",
      title: "Metric",
      quantity: "text",
      value: ({ tag }) => tag,
      href: ({ tag }) =>
        pageAddress("curves", { q: `^${tag.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$` }, ofRun(run)),
    },
    number("last", "Last", "last_step"),
    number("min", "Least", "min_step"),
    number("max", "Largest", "max_step"),
    { key: "last_step", title: "Last step", quantity: "count", value: (row) => row.last_step, width: 92 },
    { key: "points", title: "Points", quantity: "count", value: (row) => row.points, width: 84 },
  ];
};

export default function RunPage({ run: id }: PageProps<"run">) {
  const found = useRuns([id]);
  useTags({ run: id }, []);
  if (found.state === "failed")
    return (
      <Page title="Run">
        <Failed message={found.message} />
      </Page>
    );
  if (found.state === "loading")
    return (
      <Page title="Run" sentence={null}>
        <Skeleton lines={10} />
      </Page>
    );
  const run = found.data[0];
  if (run === undefined)
    return (
      <Page title="Not here" sentence="The run of this address is not here any more.">
        <Empty what="Its folder may have been moved or deleted.">
          <a href={pageAddress("overview", {}, { kind: "workspace" })}>All runs</a>
        </Empty>
      </Page>
    );
  return <Shown run={run} />;
}

function Editable({
  run,
  field,
  children,
}: {
  readonly run: RunWhole;
  readonly field: Field;
  readonly children: preact.ComponentChildren;
}) {
  const [editing, setEditing] = useState(false);
  if (editing) return <CellEditor run={run} field={field} onDone={() => setEditing(false)} />;
  return (
    <span class="run-editable">
      {children}
      <button
        type="button"
        class="plain small"
        aria-label={`Change the ${field}`}
        title={`Change the ${field}`}
        onClick={() => setEditing(true)}
      >
        <Icon name="edit" />
      </button>
    </span>
  );
}

// "4: 3 Completed, 1 Failed"
function ranksText({ ranks }: RunStory): string {
  const counts = new Map<string, number>();
  for (const { status } of ranks) if (status !== null) counts.set(status, (counts.get(status) ?? 0) + 1);
  const states = [...counts].map(([status, count]) => `${count} ${visible(status)}`);
  return `${ranks.length}${states.length === 0 ? "" : `: ${states.join(", ")}`}`;
}

const MOST_FRAMES = 6; // of the traceback, the last ones

function Ended({ error }: { readonly error: NonNullable<RunStory["error"]> }) {
  const frames = error.frames.slice(-MOST_FRAMES);
  return (
    <div class="run-error" role="note">
      <strong>{visible(error.type || "It failed")}</strong>
      {error.message === "" ? null : <p>{error.message.split("\n").map(visible).join("\n")}</p>}
      {frames.length === 0 ? null : (
        <ol start={error.frames.length - frames.length + 1}>
          {frames.map((frame, i) => (
            <li key={i}>
              {visible(frame.file)}
              {frame.line === null ? "" : `:${frame.line}`} {visible(frame.function)}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Shown({ run }: { readonly run: RunWhole }) {
  const tags = useMemo(
    () =>
      byInterest(
        Object.keys(run.metrics)
          .filter((name) => !/^(monitor|telltale)\//.test(name)) // those are above
          .map((name) => ({ name, runs: 1 })),
      ),
    [run],
  );
  const settings = useMemo(() => Object.entries(run.config).map(([name, value]) => ({ name, value })), [run]);
  const ended = useMemo(
    () => Object.entries(run.metrics).map(([tag, metric]) => ({ tag, ...metric })),
    [run],
  );
  const columns = useMemo(() => metricColumns(run.id), [run.id]);
  const view = useMemo(() => curveView({}), []);
  const alone = useMemo(() => [run], [run.id, run.color, run.title]);
  const start = run.start_ns === null ? null : Number(run.start_ns);
  const end = run.end_ns === null ? null : Number(run.end_ns);
  const story = useRunsJson<RunStory>(`runs/${encodeURIComponent(run.id)}/story`, {}, { stay: true });
  const told = story.state === "ready" ? story.data : null;
  const chosen = chosenTime();
  return (
    <Page
      title={visible(run.title)}
      sentence={story.state === "failed" ? undefined : (told?.sentence ?? null)}
      actions={
        <>
          <button type="button" onClick={() => edit([run], { pinned: !run.pinned })}>
            <Icon name="pin" /> {run.pinned ? "Unpin" : "Pin"}
          </button>
          <button type="button" onClick={() => edit([run], { deleted: !run.deleted })}>
            <Icon name="trash" /> {run.deleted ? "Restore" : "Delete"}
          </button>
        </>
      }
    >
      {run.diagnostics.length === 0 ? null : (
        <div class="run-diagnostics" role="note">
          <strong>Not everything could be read.</strong>
          <ul>
            {run.diagnostics.map((d) => (
              <li key={`${d.kind}${d.message}`}>
                {visible(d.message)}
                {d.count > 1 ? ` (${d.count.toLocaleString("en-US")} times)` : ""}
                {d.first_offset === null ? "" : ` First at byte ${d.first_offset.toLocaleString("en-US")}.`}
              </li>
            ))}
          </ul>
        </div>
      )}
      {told?.error ? <Ended error={told.error} /> : null}
      <Load of={story} height="420px">
        {(data) => <Story run={run.id} story={data} />}
      </Load>
      {told === null || chosen === null ? null : <ChosenTime run={run} log={told.log} time={chosen} />}
      <div class="columns">
        <Panel title="Run">
          <KeyValue
            facts={[
              [
                "Name",
                <Editable key="name" run={run} field="name">
                  <Swatch run={run} /> {visible(run.title)}
                </Editable>,
              ],
              [
                "Status",
                <span key="status" class="run-editable">
                  <StatusDot status={run.status} /> {statusText(run.status)}
                </span>,
              ],
              ["Progress", run.progress ? <Progress key="progress" of={run.progress} /> : null],
              ["Started", start === null ? null : <Moment ns={start} />],
              ["Ended", end === null ? null : <Moment ns={end} />],
              ["Took", seconds(run.duration_ns) === null ? null : duration(seconds(run.duration_ns))],
              ["Experiment", run.experiment === null ? null : visible(run.experiment)],
              ["Group", run.group === null ? null : visible(run.group)],
              ["Written by", run.kind],
              [
                "Command",
                told === null || told.command.length === 0 ? null : (
                  <Name key="command" text={told.command.join(" ")} />
                ),
              ],
              ["Ranks", told === null || told.ranks.length < 2 ? null : ranksText(told)],
              ["Folder", <Name key="path" text={run.path} />],
              [
                "Tags",
                <Editable key="tags" run={run} field="tags">
                  {run.tags.length === 0 ? (
                    <span class="muted">none</span>
                  ) : (
                    run.tags.map((tag) => (
                      <span key={tag} class="run-tag">
                        {visible(tag)}
                      </span>
                    ))
                  )}
                </Editable>,
              ],
              [
                "Note",
                <Editable key="note" run={run} field="note">
                  {run.note ? visible(run.note) : <span class="muted">none</span>}
                </Editable>,
              ],
              [
                "Profiles",
                run.profiles.length === 0 ? null : (
                  <ul key="profiles" class="run-list">
                    {run.profiles.map((profile) => (
                      <li key={profile.id}>
                        <a href={pageAddress("overview", {}, ofProfile(profile.id))}>
                          <Name text={profile.name} />
                        </a>
                      </li>
                    ))}
                  </ul>
                ),
              ],
              [
                "Event files",
                run.event_files.length === 0 ? null : (
                  <details key="files">
                    <summary>
                      {run.event_files.length.toLocaleString("en-US")}{" "}
                      {plural(run.event_files.length, "file")},{" "}
                      {bytes(run.event_files.reduce((sum, file) => sum + (file.bytes ?? 0), 0))}
                    </summary>
                    <ul class="run-list">
                      {run.event_files.slice(0, 200).map((file) => (
                        <li key={file.path}>
                          <Name text={file.path} />
                        </li>
                      ))}
                    </ul>
                  </details>
                ),
              ],
              [
                "All files",
                <a key="all" href={pageAddress("files", {}, ofRun(run.id))}>
                  Files of this run
                </a>,
              ],
            ]}
          />
        </Panel>
        <Panel title="Settings" note={settings.length === 0 ? undefined : `${settings.length}`} flush>
          {settings.length === 0 ? (
            <Empty what="No settings were recorded: add_hparams, hparams.yaml, .hydra/config.yaml or args.txt would be read." />
          ) : (
            <Table
              id="config"
              label="Settings"
              columns={SETTINGS}
              rows={settings}
              what={["setting", "settings"]}
              maxRows={14}
            />
          )}
        </Panel>
      </div>
      {tags.length === 0 ? null : (
        <Panel
          title="Curves"
          actions={
            <a href={pageAddress("curves", {}, ofRun(run.id))}>
              All {tags.length.toLocaleString("en-US")} curves
            </a>
          }
        >
          <div class="run-curves">
            {tags.slice(0, SMALL).map((tag) => (
              <CurveCard
                key={tag}
                id={chartKey([tag])}
                title={tag}
                tags={[tag]}
                runs={alone}
                groups={NO_GROUPS}
                view={view}
                height={210}
              />
            ))}
          </div>
        </Panel>
      )}
      {ended.length === 0 ? null : (
        <Panel title="Last values" flush>
          <Table
            id="metrics"
            label="Last values"
            columns={columns}
            rows={ended}
            what={["metric", "metrics"]}
            maxRows={18}
          />
        </Panel>
      )}
      <DoneBar />
    </Page>
  );
}
