// SPDX-License-Identifier: Apache-2.0
// Critical path: what decided how long a step took, by cause, by name, piece by piece, and what a step would take
// without each.
import { useMemo } from "preact/hooks";
import {
  PATH_CAUSES,
  PATH_PIECES,
  PATH_REGION_TITLES,
  type PathCauseRow,
  type PathPieceRow,
} from "../../../api/generated";
import type { BarRow } from "../../../charts/draw_bars";
import { StackedBars } from "../../../charts/stacked_bars";
import { kernelNames } from "../../../lib/kernel_names";
import { plural } from "../../../lib/text";
import { count, percent } from "../../../lib/units";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { useReport } from "../../../state/report";
import { address, changed, open, pageAddress } from "../../../state/route";
import type { Cells } from "../../../ui/described";
import { Hints } from "../../../ui/hints";
import { Empty, Load, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { ReportPage } from "../shared/report_page";
import { CAUSES, type CriticalPath, type CriticalPathReport, causeTitle } from "./data";

const PIECES = 300; // the longest
const STEPS = 40;

export default function CriticalPathPage({ profile }: PageProps) {
  const report = useReport<CriticalPathReport>(profile, "critical_path", {
    sort: "duration_ns",
    limit: PIECES,
  });
  const origin = useOrigin(profile);
  const path = report.data?.critical_path ?? null;
  const empty = report.state === "ready" && !path?.average_ns;
  const causes = useMemo(() => named(path?.causes ?? [], evidence), [path]);
  const pieces = useMemo(
    () =>
      named(path?.pieces ?? [], (row: PathPieceRow) =>
        timelineAddress(origin, row.start_ns, row.duration_ns),
      ),
    [path, origin],
  );
  return (
    <ReportPage
      title="Critical path"
      of={report}
      origin={origin}
      empty={empty}
      sentence={empty && (report.data?.sentence || "This profile has no events to follow.")}
      nothing={
        <Empty
          what="A critical path needs a trace with operators, and device work if there is a device."
          flag="activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
        />
      }
      after={path === null ? null : <OneStep path={path} />}
    >
      <Panel
        title="On the critical path"
        note={
          path === null
            ? undefined
            : `mean and each of ${count(path.regions.length)} ${plural(path.regions.length, PATH_REGION_TITLES[path.region])}`
        }
      >
        <Load of={report} height="240px">
          {(data) => data.critical_path && <Causes path={data.critical_path} origin={origin} />}
        </Load>
      </Panel>
      <TablePanel
        title="Causes"
        note="if it took no time, everything recomputed"
        from={report}
        of={PATH_CAUSES}
        id="causes"
        label="Causes on the critical path"
        rows={path?.causes}
        cells={causes}
        what={["cause", "causes"]}
        maxRows={14}
      />
      <TablePanel
        title="Longest pieces"
        note={`the ${PIECES} longest; each opens in the timeline`}
        from={report}
        of={PATH_PIECES}
        id="pieces"
        label="Longest pieces of the critical path"
        rows={path?.pieces}
        origin={origin}
        cells={pieces}
        what={["piece", "pieces"]}
        maxRows={12}
      />
    </ReportPage>
  );
}

const isKernel = (row: PathCauseRow | PathPieceRow): boolean =>
  row.cause === "kernel" || row.cause === "communication";

function named<Row extends PathCauseRow | PathPieceRow>(
  rows: readonly Row[],
  href: (row: Row) => string | null | undefined,
): Cells<Row> {
  const shown = kernelNames(rows.flatMap((row) => (isKernel(row) && row.name !== null ? [row.name] : [])));
  return {
    name: {
      value: (row) => row.name ?? `(${causeTitle(row.cause)})`,
      shown: (row) => (isKernel(row) && row.name !== null ? shown(row.name) : null),
      href,
    },
    cause: { value: (row) => causeTitle(row.cause) },
  };
}

function evidence(row: PathCauseRow): string | null {
  if (row.name === null) return null;
  if (isKernel(row)) return pageAddress("kernels", { open: row.name });
  if (row.cause === "operator") return pageAddress("operators", { open: row.name });
  return pageAddress("timeline", { q: row.name });
}

function Causes({ path, origin }: { readonly path: CriticalPath; readonly origin: number | null }) {
  const rows = useMemo<readonly BarRow[]>(() => {
    const segments = (causes: CriticalPath["shares"], show?: () => void) =>
      CAUSES.map(({ key, title, color }) => ({
        key,
        title,
        color,
        value: causes[key] ?? 0,
        ...(show === undefined ? {} : { open: show }),
      }));
    const each = path.regions.slice(0, STEPS).map((region) => ({
      label: `${PATH_REGION_TITLES[path.region]} ${region.name}`,
      segments: segments(region.causes, () =>
        open(timelineAddress(origin, region.start_ns, region.duration_ns)),
      ),
    }));
    return path.regions.length > 1
      ? [{ label: "mean", segments: segments(path.average_causes) }, ...each]
      : each;
  }, [path, origin]);
  const summary = CAUSES.filter((c) => (path.shares[c.key] ?? 0) > 0.0005)
    .map((c) => `${c.title} ${percent(path.shares[c.key])}`)
    .join(", ");
  return (
    <>
      <StackedBars
        name="critical_path"
        rows={rows}
        summary={`Share of each cause of the critical path: ${summary}.`}
      />
      {path.regions.length > STEPS ? (
        <p class="muted">
          The first {STEPS} of {count(path.regions.length)} are drawn; the mean is over all.
        </p>
      ) : null}
    </>
  );
}

function OneStep({ path }: { readonly path: CriticalPath }) {
  const first = path.regions[0]?.name ?? null;
  if (path.regions.length < 2) return null;
  return (
    <Hints
      hints={[
        <>
          One step at a time: <a href={address(changed({ steps: first }))}>only step {first}</a>, or choose
          steps above.
        </>,
      ]}
    />
  );
}
