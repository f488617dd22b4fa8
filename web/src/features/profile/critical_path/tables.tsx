// SPDX-License-Identifier: Apache-2.0
// The path's causes by name, and its longest pieces.
import { useMemo } from "preact/hooks";
import { timelineAddress } from "../../../state/clock";
import { pageAddress } from "../../../state/route";
import { field, kernelShown } from "../../../ui/columns";
import { type Column, Table } from "../../../ui/table";
import { type CauseRow, type CriticalPath, causeTitle, type Piece } from "./data";

const evidence = (row: { readonly cause: string; readonly name: string | null }): string | null => {
  if (row.name === null) return null;
  if (isKernel(row)) return pageAddress("kernels", { open: row.name });
  if (row.cause === "operator") return pageAddress("operators", { open: row.name });
  return pageAddress("timeline", { q: row.name });
};

const named = (row: { readonly cause: string; readonly name: string | null }): string =>
  row.name ?? `(${causeTitle(row.cause)})`;
const isKernel = (row: { readonly cause: string }): boolean =>
  row.cause === "kernel" || row.cause === "communication";

const CAUSE: Column<CauseRow | Piece> = {
  key: "cause",
  title: "Cause",
  quantity: "text",
  width: 150,
  whole: true,
  value: (row) => causeTitle(row.cause),
};

const causeColumns = (causes: readonly CauseRow[]): readonly Column<CauseRow>[] => [
  {
    key: "name",
    title: "Name",
    quantity: "text",
    value: named,
    shown: kernelShown(causes, (row) => (isKernel(row) ? row.name : null)),
    href: evidence,
  },
  CAUSE,
  field("pieces", "Pieces", "count"),
  field("average_ns", "A step", "time", { bar: true }),
  field("path_share", "Share", "percent"),
  field("average_if_free_ns", "Step without it", "time", {
    sum: false,
    help: "What a step would take if every piece of this cause took no time; computed for the ten largest",
  }),
];

export function CauseTable({ path }: { readonly path: CriticalPath }) {
  const columns = useMemo(() => causeColumns(path.causes), [path]);
  return (
    <Table
      id="causes"
      label="Causes on the critical path"
      columns={columns}
      rows={path.causes}
      what={["cause", "causes"]}
      maxRows={14}
    />
  );
}

const pieceColumns = (pieces: readonly Piece[], origin: number | null): readonly Column<Piece>[] => [
  {
    key: "name",
    title: "Name",
    quantity: "text",
    value: named,
    shown: kernelShown(pieces, (row) => (isKernel(row) ? row.name : null)),
    href: (row) => timelineAddress(origin, row.start_ns, row.duration_ns),
  },
  field("duration_ns", "Duration", "time", { bar: true }),
  CAUSE,
  field("region", "Step", "text", { width: 90 }),
  {
    key: "start_ns",
    title: "Start",
    quantity: "time",
    sum: false,
    value: (row) => (origin === null ? null : row.start_ns - origin),
    help: "From the beginning of the recording",
  },
  field("tid", "Thread or stream", "text", { width: 130 }),
];

export function PieceTable({
  pieces,
  origin,
}: {
  readonly pieces: readonly Piece[];
  readonly origin: number | null;
}) {
  const columns = useMemo(() => pieceColumns(pieces, origin), [pieces, origin]);
  return (
    <Table
      id="pieces"
      label="Longest pieces of the critical path"
      columns={columns}
      rows={pieces}
      what={["piece", "pieces"]}
      maxRows={12}
    />
  );
}
