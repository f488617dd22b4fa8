// SPDX-License-Identifier: Apache-2.0
// What the run did in the time that is chosen: the functions that ran then, the operators of the captured steps that are
// nearest, its actions, and the log. Each profile of the run says itself what it has of that time.
import { useMemo } from "preact/hooks";
import type { ActionRow, OperatorRow } from "../../../api/generated";
import { ACTIONS, OPERATORS } from "../../../api/generated";
import type { LogLines, ProfileMoment, RunWhole } from "../../../api/runs";
import { paint } from "../../../charts/tree_look";
import { TreeView } from "../../../charts/tree_view";
import { highOf, type NodeColumns, pathTo, type TreeHead, treeOfColumns } from "../../../lib/calltree";
import { classOf, pieces } from "../../../lib/runs/ansi";
import { shownRows } from "../../../lib/runs/moment_log";
import { clock, momentText, msOf, nsOf, utc } from "../../../lib/runs/moments";
import type { Stretch } from "../../../lib/runs/time_axis";
import { keyOf, plural, visible } from "../../../lib/text";
import type { ReportHead } from "../../../state/report";
import { useJson } from "../../../state/resource";
import { go, ofProfile, ofRun, pageAddress, pageParams } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { dark } from "../../../state/theme";
import { Load, Panel, together } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import "./chosen_time.css";

const MOST_PROFILES = 8; // of a run, that are looked into
const ROWS = 8; // of tables
const LEVELS = 14;
const CUTOFF = 0.004;
const LOG_LINES = 12;

type RunProfile = RunWhole["profiles"][number];

export function ChosenTime({
  run,
  log,
  time,
}: {
  readonly run: RunWhole;
  readonly log: string | null;
  readonly time: Stretch;
}) {
  const asked = run.profiles.slice(0, MOST_PROFILES);
  const more = run.profiles.length - asked.length;
  return (
    <section class="chosen-time" aria-label="What ran in this time">
      {asked.map((profile) => (
        <FunctionsOf key={profile.id} profile={profile} time={time} />
      ))}
      {asked.map((profile) => (
        <StepsOf key={profile.id} profile={profile} time={time} />
      ))}
      {more > 0 ? (
        <p class="muted">
          {more.toLocaleString("en-US")} further {plural(more, "profile")} of this run{" "}
          {more === 1 ? "is" : "are"} listed below, and not looked into here.
        </p>
      ) : null}
      {log === null ? null : <LogThere run={run.id} path={log} time={time} />}
    </section>
  );
}

interface OfProfile {
  readonly profile: RunProfile;
  readonly time: Stretch;
}

// Null until it is known, and of what is no profile of any time; why one cannot be read is said on its own page.
function useMoment({ profile, time }: OfProfile): ProfileMoment | null {
  return useJson<ProfileMoment>(`profiles/${profile.id}/moment`, {
    start: nsOf(time[0] * 1000),
    end: nsOf(time[1] * 1000),
  }).data;
}

function FunctionsOf(props: OfProfile) {
  const between = useMoment(props)?.between ?? null;
  return between === null ? null : <Functions profile={props.profile} between={between} />;
}

function StepsOf(props: OfProfile) {
  const steps = useMoment(props)?.steps ?? null;
  return steps === null ? null : <Steps profile={props.profile} steps={steps} />;
}

interface TreeAnswer extends TreeHead {
  readonly nodes: NodeColumns;
}

function Functions({ profile, between }: { readonly profile: RunProfile; readonly between: string }) {
  const query = { between, thread: "main" };
  const report = useJson<ReportHead>(`profiles/${profile.id}/report`, {
    view: "functions",
    limit: 1,
    ...query,
  });
  const tree = useJson<TreeAnswer>(`profiles/${profile.id}/calltree`, {
    ...query,
    min_share: CUTOFF / 4,
    nodes: 4000,
  });
  return (
    <Panel
      title="Functions in this time"
      note="the thread that worked most; click a box to go into it"
      actions={
        <a href={pageAddress("functions", { between }, ofProfile(profile.id))}>All threads, table, callers</a>
      }
    >
      {report.state === "ready" ? <p class="chosen-sentence">{together(report.data.sentence)}</p> : null}
      <Load of={tree} height="220px">
        {(answer) => <Icicle profile={profile} between={between} answer={answer} />}
      </Load>
    </Panel>
  );
}

function Icicle({
  profile,
  between,
  answer,
}: {
  readonly profile: RunProfile;
  readonly between: string;
  readonly answer: TreeAnswer;
}) {
  const tree = useMemo(() => treeOfColumns(answer, answer.nodes), [answer]);
  const shade = dark.value;
  const painted = useMemo(() => paint(tree.functions), [tree, shade]);
  const open = useMemo(
    () =>
      (node: number): void => {
        const root = pathTo(tree, node)
          .map((i) => tree.ids[i] as string)
          .join(".");
        go(pageParams("functions", { between, root }, ofProfile(profile.id)));
      },
    [tree, between, profile.id],
  );
  return (
    <TreeView
      tree={tree}
      painted={painted}
      root={-1}
      depth={LEVELS}
      cutoff={CUTOFF}
      found={null}
      shape="icicle"
      whole={Math.max(tree.total, highOf(tree, -1))}
      onZoom={open}
      deeper={
        <>
          More lies below level {LEVELS}.{" "}
          <a href={pageAddress("functions", { between }, ofProfile(profile.id))}>Show all of it</a>
        </>
      }
    />
  );
}

function Steps({
  profile,
  steps,
}: {
  readonly profile: RunProfile;
  readonly steps: NonNullable<ProfileMoment["steps"]>;
}) {
  const asked = `${steps.first}..${steps.last}`;
  const report = useJson<
    ReportHead & {
      readonly operators?: readonly OperatorRow[];
      readonly simple?: { readonly rows: readonly ActionRow[] };
    }
  >(`profiles/${profile.id}/report`, { view: steps.view, steps: asked, limit: ROWS });
  const to = ofProfile(profile.id);
  const page = steps.view === "operators" ? "operators" : "simple";
  const actions = (
    <>
      <a href={pageAddress(page, { steps: asked }, to)}>All of them</a>
      <a href={pageAddress("timeline", { steps: asked }, to)}>Timeline</a>
    </>
  );
  if (steps.view === "operators")
    return (
      <TablePanel
        id={`operators-${profile.id}`}
        title="Operators"
        note={steps.sentence}
        actions={actions}
        of={OPERATORS}
        rows={report.data?.operators}
        from={report}
        lines={6}
        cells={{
          name: {
            href: (row: OperatorRow) => pageAddress("operators", { steps: asked, open: keyOf(row.name) }, to),
          },
        }}
      />
    );
  return (
    <TablePanel
      id={`actions-${profile.id}`}
      title="Actions"
      note={steps.sentence}
      actions={actions}
      of={ACTIONS}
      rows={report.data?.simple?.rows}
      from={report}
      lines={6}
    />
  );
}

function LogThere({
  run,
  path,
  time,
}: {
  readonly run: string;
  readonly path: string;
  readonly time: Stretch;
}) {
  const [from, to] = [time[0] * 1000, time[1] * 1000];
  const log = useRunsJson<LogLines>(
    `runs/${encodeURIComponent(run)}/log`,
    { path, at: nsOf(from), limit: LOG_LINES * 2, width: 400 },
    { stay: true },
  );
  const rows = log.state === "ready" ? shownRows(log.data, to, LOG_LINES) : null;
  return (
    <Panel
      title="Log in this time"
      note={rows === null || rows.cut === 0 ? undefined : `the first ${rows.rows.length} lines`}
      actions={<a href={pageAddress("logs", { t: momentText(from), path }, ofRun(run))}>Open the log here</a>}
    >
      <Load of={log} lines={4}>
        {() =>
          rows === null || rows.rows.length === 0 ? (
            <p class="muted">Nothing was printed.</p>
          ) : (
            <ol class="chosen-log">
              {rows.rows.map((row) => (
                <li key={row.line} class={row.level ? `chosen-${row.level}` : undefined}>
                  <a
                    href={pageAddress(
                      "logs",
                      { t: momentText(msOf(row.time_ns ?? nsOf(from))), path },
                      ofRun(run),
                    )}
                    title={row.time_ns === null ? undefined : utc(msOf(row.time_ns))}
                  >
                    {row.time_ns === null ? "" : clock(msOf(row.time_ns))}
                  </a>
                  <code>
                    {pieces(row.text).map((piece, i) => (
                      <span key={i} class={classOf(piece.style)}>
                        {visible(piece.text)}
                      </span>
                    ))}
                  </code>
                </li>
              ))}
            </ol>
          )
        }
      </Load>
    </Panel>
  );
}
