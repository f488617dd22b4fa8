// SPDX-License-Identifier: Apache-2.0
// Operators of a range, single blocks, and what steps leave behind.
import { useMemo } from "preact/hooks";
import { ALLOCATIONS, type LeakRow } from "../../../api/generated";
import { allocatedIn, type Block, type Sum, sumBy, touching } from "../../../lib/memory_blocks";
import { timelineAddress } from "../../../state/clock";
import { pageAddress } from "../../../state/route";
import { field } from "../../../ui/columns";
import { type Cells, Described } from "../../../ui/described";
import { type Column, Table } from "../../../ui/table";

const IN_RANGE: readonly Column<Sum>[] = [
  field("name", "Operator", "text"),
  field("count", "Allocations", "count"),
  field("bytes", "Allocated", "bytes", { bar: true }),
  field("kept", "Alive at its end", "bytes", { bar: true, help: "Not released by the end of the range" }),
];
export function RangeTable({
  blocks,
  range,
}: {
  readonly blocks: readonly Block[];
  readonly range: readonly [number, number];
}) {
  const rows = useMemo(
    () => sumBy(allocatedIn(blocks, range[0], range[1]), "operator", range[1]),
    [blocks, range[0], range[1]],
  );
  return (
    <Table
      id="range"
      label="Operators in the range"
      columns={IN_RANGE}
      rows={rows}
      what={["operator", "operators"]}
      maxRows={12}
    />
  );
}

const blockCells = (base: number, origin: number | null): Cells<Block> => ({
  owner: {
    href: (r) =>
      timelineAddress(
        origin,
        r.allocated_ns ?? r.released_ns ?? base,
        r.allocated_ns === null ? 1000 : (r.life_ns ?? 1000),
      ),
  },
  address: {
    quantity: "text",
    width: 150,
    hidden: true,
    mono: true,
    value: (r) => (r.address === null ? null : `0x${r.address.toString(16)}`),
  },
});
export interface BlockTableProps {
  readonly blocks: readonly Block[];
  readonly range: readonly [number, number] | null;
  readonly base: number;
  readonly origin: number | null;
  readonly note: string;
}
export function BlockTable({ blocks, range, base, origin, note }: BlockTableProps) {
  const rows = useMemo(
    () => (range === null ? blocks : touching(blocks, range[0], range[1])),
    [blocks, range?.[0], range?.[1]],
  );
  const cells = useMemo(() => blockCells(base, origin), [base, origin]);
  return (
    <Described
      of={ALLOCATIONS}
      id="blocks"
      label="Blocks"
      rows={rows}
      origin={base}
      cells={cells}
      sort="-bytes"
      what={["block", "blocks"]}
      maxRows={14}
      {...(note ? { note } : {})}
    />
  );
}

export const LEAK_CELLS: Cells<LeakRow> = {
  operator: {
    href: (r) => (r.operator ? pageAddress("operators", { open: r.operator.replace(/ \(.*\)$/, "") }) : null),
  },
};
