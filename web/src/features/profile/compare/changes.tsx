// SPDX-License-Identifier: Apache-2.0
// The picture of a comparison: what takes more and what takes less, the largest effect first.
import { useCallback, useMemo } from "preact/hooks";
import { type ChangeBar, changesHeight, drawChanges } from "../../../charts/draw_changes";
import type { Painter } from "../../../charts/painter";
import { Picture } from "../../../charts/picture";
import {
  type Change,
  type DiffRow,
  type DiffTable,
  type DiffUnit,
  largestChanges,
  matters,
  quantityOf,
  sideOf,
  tableTitle,
  VERDICTS,
} from "../../../lib/diff";
import { visible } from "../../../lib/text";
import { format } from "../../../lib/units";
import { rowNames } from "./columns";

const MOST = 12;

export interface ChangesProps {
  readonly table: DiffTable;
  readonly unit: DiffUnit;
  readonly onOpen?: (row: DiffRow) => void;
}

export function Changes({ table, unit, onOpen }: ChangesProps) {
  const changes = useMemo(() => largestChanges(table, unit, MOST), [table, unit]);
  const draw = useCallback(
    (painter: Painter, width: number) => {
      const shown = rowNames(table);
      const quantity = quantityOf(unit);
      const bar = ({ row, change, share }: Change): ChangeBar => ({
        label: visible(shown(row)),
        title: visible(row.name === "step" ? shown(row) : row.name),
        change,
        share,
        // Where nothing can be told from noise the sign is all there is to show.
        certain: matters(row) || row.verdict === "no_spread",
        lines: [
          `${format(quantity, sideOf(row, "after", unit))} instead of ${format(quantity, sideOf(row, "before", unit))}`,
          VERDICTS[row.verdict] ?? row.verdict,
        ],
        ...(onOpen === undefined ? {} : { open: () => onOpen(row) }),
      });
      return drawChanges(
        painter,
        width,
        changes.shown.map(bar),
        quantity,
        unit === "ns" ? ["faster", "slower"] : ["less", "more"],
      );
    },
    [changes, table, unit, onOpen],
  );
  if (changes.shown.length === 0) return null;
  const [first] = changes.shown;
  const quantity = quantityOf(unit);
  return (
    <Picture
      name={`diff_${table.table}`}
      summary={`${tableTitle(table)}: what changed, the largest effect first. ${first === undefined ? "" : `${rowNames(table)(first.row)} by ${format(quantity, first.change)}.`}`}
      height={changesHeight(changes.shown.length)}
      draw={draw}
    >
      Behind each bar: the change, and its share of the whole change. Grey: no more than noise.
      {changes.others === 0 || table.rows.length < table.rows_total
        ? null
        : ` ${changes.others.toLocaleString("en-US")} more changed by ${format(quantity, changes.othersChange)} together.`}
    </Picture>
  );
}
