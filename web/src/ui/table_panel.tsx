// SPDX-License-Identifier: Apache-2.0
// A table of a report in a panel of its own, as soon as the report is there.
import type { ReportHead } from "../state/report";
import type { Resource } from "../state/resource";
import { Described, type DescribedProps } from "./described";
import { Load, Panel, type PanelProps } from "./page";

export interface TablePanelProps<T, Row>
  extends Pick<PanelProps, "title" | "note">,
    Omit<DescribedProps<Row>, "rows" | "files" | "note"> {
  readonly from: Resource<T>;
  readonly rows: (report: T) => readonly Row[] | undefined;
}

export function TablePanel<T extends ReportHead, Row>(props: TablePanelProps<T, Row>) {
  const { title, note, from, rows, ...table } = props;
  return (
    <Panel title={title} note={note} flush>
      <Load of={from}>
        {(report) => <Described {...table} rows={rows(report) ?? []} files={report.files} />}
      </Load>
    </Panel>
  );
}
