// SPDX-License-Identifier: Apache-2.0
// Causes: from today's step to the best reachable one, cause by cause, each with its evidence and what to do.
import { useMemo } from "preact/hooks";
import { CAUSES, type CauseRow } from "../../../api/generated";
import { writeEvent } from "../../../lib/timeline_url";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { sentenceOf, useReport } from "../../../state/report";
import { open } from "../../../state/route";
import { Load, Page, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { Findings } from "../shared/recommendations";
import { type CausesReport, isAbout } from "./data";
import { Waterfall } from "./waterfall";

export default function CausesPage({ profile }: PageProps) {
  const report = useReport<CausesReport>(profile, "causes");
  const origin = useOrigin(profile);
  const evidence = ({ file, start_ns, duration_ns, event }: CauseRow): string | undefined =>
    timelineAddress(
      origin,
      start_ns,
      duration_ns,
      event === null ? {} : { event: writeEvent({ file, row: event }) },
    );
  const cells = useMemo(() => ({ what: { href: evidence } }), [origin]);
  const rows = report.data && (report.data.causes?.rows ?? []);
  // What nobody can know the saving of is in the table alone.
  const drawn = rows?.filter((row) => row.saving_ns !== null) ?? [];
  return (
    <Page title="Causes" sentence={sentenceOf(report)}>
      {rows !== null && drawn.length === 0 ? null : (
        <Panel title="From today to the best reachable" note="each bar opens its evidence in the timeline">
          <Load of={report} height="240px">
            {({ causes, recommendations = [] }) =>
              causes && <Waterfall of={causes} rows={drawn} advice={recommendations} evidence={evidence} />
            }
          </Load>
        </Panel>
      )}
      {rows?.length === 0 ? null : (
        <TablePanel
          from={report}
          of={CAUSES}
          id="causes"
          label="Causes"
          rows={rows}
          cells={cells}
          onOpen={(row) => open(evidence(row))}
          what={["cause", "causes"]}
        />
      )}
      <Findings of={report} origin={origin} but={(found) => drawn.some(isAbout(found))} />
    </Page>
  );
}
