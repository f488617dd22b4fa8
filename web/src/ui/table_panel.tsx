// SPDX-License-Identifier: Apache-2.0
// A table in a panel of its own; of a report, as soon as that is there.
import type { ComponentChildren } from "preact";
import type { ReportHead } from "../state/report";
import type { Resource } from "../state/resource";
import { Described, type DescribedProps } from "./described";
import { Load, Panel, type PanelProps } from "./page";

interface TablePanelProps<Row>
  extends Pick<PanelProps, "title" | "note" | "actions">,
    Omit<DescribedProps<Row>, "rows" | "label" | "note"> {
  readonly from?: Resource<ReportHead>; // what the rows are of
  readonly height?: string; // until they are there
  readonly lines?: number;
  readonly rows: readonly Row[] | null | undefined;
  readonly label?: string; // if not the title
  readonly remark?: ComponentChildren; // beside the number of rows
  readonly none?: ComponentChildren; // in place of a table without rows
}

const NONE: readonly never[] = [];

export function TablePanel<Row>(props: TablePanelProps<Row>) {
  const { title, note, actions, from, height, lines, rows, label, remark, none, ...table } = props;
  const shown = rows ?? NONE;
  const content = () =>
    none !== undefined && shown.length === 0 ? (
      none
    ) : (
      <Described
        files={from?.data?.files}
        {...table}
        label={label ?? String(title)}
        rows={shown}
        note={remark}
      />
    );
  return (
    <Panel title={title} note={note} actions={actions} flush>
      {from === undefined ? (
        content()
      ) : (
        <Load of={from} height={height} lines={lines}>
          {content}
        </Load>
      )}
    </Panel>
  );
}
