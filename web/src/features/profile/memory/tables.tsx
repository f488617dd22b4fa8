// SPDX-License-Identifier: Apache-2.0
// Operators by what they allocate, single blocks, and what steps leave behind.
import { useMemo } from "preact/hooks";
import { allocatedIn, type Block, ownerOf, type Sum, sumBy, touching } from "../../../lib/memory_blocks";
import { timelineAddress } from "../../../state/clock";
import { pageAddress } from "../../../state/route";
import { field, operatorName } from "../../../ui/columns";
import { type Column, Table } from "../../../ui/table";
import { deviceName, type Leak, type OperatorMemory } from "./data";

const OPERATORS: readonly Column<OperatorMemory>[] = [
  operatorName(),
  field("calls", "Calls", "count"),
  field("self_size_increase_bytes", "Kept self", "bytes", {
    bar: true,
    help: "Allocated less released while the operator itself ran",
  }),
  field("size_increase_bytes", "Kept total", "bytes", { sum: false }),
  field("self_allocation_count", "Allocations", "count"),
  field("self_allocation_bytes", "Allocated self", "bytes", { bar: true }),
  field("allocation_bytes", "Allocated total", "bytes", { sum: false }),
];
export function OperatorTable({ rows }: { readonly rows: readonly OperatorMemory[] }) {
  return (
    <Table
      id="operators"
      label="Operators by memory"
      columns={OPERATORS}
      rows={rows}
      what={["operator", "operators"]}
      maxRows={12}
    />
  );
}

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

const blockColumns = (base: number, origin: number | null): readonly Column<Block>[] => {
  const moment = (ns: number | null): number | null => (ns === null ? null : ns - base);
  return [
    {
      key: "operator",
      title: "Operator",
      quantity: "text",
      value: (r) => ownerOf(r),
      href: (r) =>
        timelineAddress(
          origin,
          r.allocated_ns ?? r.released_ns ?? base,
          r.allocated_ns === null ? 1000 : (r.life_ns ?? 1000),
        ),
    },
    field("bytes", "Size", "bytes", { bar: true }),
    {
      key: "allocated_ns",
      title: "Allocated",
      quantity: "time",
      width: 112,
      sum: false,
      value: (r) => moment(r.allocated_ns),
      help: "From the beginning of the recording; –: before it",
    },
    {
      key: "released_ns",
      title: "Released",
      quantity: "time",
      width: 112,
      sum: false,
      value: (r) => moment(r.released_ns),
      help: "–: never, as far as recorded",
    },
    field("life_ns", "Life", "time", { sum: false }),
    field("step", "Step", "text", { width: 80 }),
    field("module", "Module", "text"),
    {
      key: "address",
      title: "Address",
      quantity: "text",
      width: 150,
      hidden: true,
      mono: true,
      value: (r) => (r.address === null ? null : `0x${r.address.toString(16)}`),
    },
  ];
};
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
  const columns = useMemo(() => {
    const modules = blocks.some((block) => block.module !== null);
    return blockColumns(base, origin).filter((column) => modules || column.key !== "module");
  }, [blocks, base, origin]);
  return (
    <Table
      id="blocks"
      label="Blocks"
      columns={columns}
      rows={rows}
      sort="-bytes"
      what={["block", "blocks"]}
      maxRows={14}
      {...(note ? { note } : {})}
    />
  );
}

const LEAKS: readonly Column<Leak>[] = [
  field("operator", "Operator", "text", {
    href: (r) => (r.operator ? pageAddress("operators", { open: r.operator.replace(/ \(.*\)$/, "") }) : null),
  }),
  field("module", "Module", "text"),
  {
    key: "device",
    title: "Device",
    quantity: "text",
    width: 90,
    value: (r) => deviceName(r.device_type, r.device_id),
  },
  {
    key: "per_step",
    title: "A step",
    quantity: "bytes",
    bar: true,
    width: 110,
    value: (r) => r.bytes / Math.max(1, r.steps.length),
  },
  field("bytes", "In all", "bytes"),
  field("count", "Blocks", "count"),
  { key: "steps", title: "Steps", quantity: "count", width: 80, value: (r) => r.steps.length },
];
export function LeakTable({ rows }: { readonly rows: readonly Leak[] }) {
  return (
    <Table
      id="leaks"
      label="Left behind by every step"
      columns={LEAKS}
      rows={rows}
      toolbar={false}
      maxRows={8}
    />
  );
}
