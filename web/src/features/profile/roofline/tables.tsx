// SPDX-License-Identifier: Apache-2.0
// Operators by shape against their roof, families, and what has no formula.

import { pageAddress } from "../../../state/route";
import { field, operatorName } from "../../../ui/columns";
import { type Column, Table } from "../../../ui/table";
import { type Roofline, type RoofRow, shapesText } from "./data";

const tera = (value: number | null): number | null => (value === null ? null : value / 1e12);
const giga = (value: number | null): number | null => (value === null ? null : value / 1e9);

const ROWS: readonly Column<RoofRow>[] = [
  operatorName(),
  field("phase", "Phase", "text", { width: 90, spare: 1 }),
  { key: "shapes", title: "Shapes", quantity: "text", value: (r) => shapesText(r.input_shapes), mono: true },
  field("type", "Type", "text", { width: 64, spare: 4 }),
  field("calls", "Calls", "count", { spare: 3 }),
  field("time_ns", "Time", "time", { bar: true }),
  field("lost_ns", "Above roof", "time", {
    bar: true,
    help: "Time beyond what the device's peaks would allow",
  }),
  field("roof_share", "Of roof", "percent", {
    help: "Ideal time ÷ time; above 100 % data came from a cache",
  }),
  field("bound", "Bound", "text", { width: 86, whole: true }),
  {
    key: "flops_per_second",
    title: "TFLOP/s",
    quantity: "number",
    sum: false,
    spare: 2,
    value: (r) => tera(r.flops_per_second),
  },
  {
    key: "bytes_per_second",
    title: "GB/s",
    quantity: "number",
    sum: false,
    spare: 5,
    value: (r) => giga(r.bytes_per_second),
  },
  field("flops_per_byte", "FLOP/B", "number", { sum: false, spare: 6 }),
  field("family", "Family", "text", { width: 120, hidden: true }),
];

export function RoofTable({ rows }: { readonly rows: readonly RoofRow[] }) {
  return (
    <Table
      id="roofline"
      label="Operators by shape against their roof"
      columns={ROWS}
      rows={rows}
      what={["row", "rows"]}
      maxRows={16}
    />
  );
}

type Family = Roofline["families"][number];
const FAMILIES: readonly Column<Family>[] = [
  field("family", "Family", "text"),
  field("phase", "Phase", "text", { width: 90 }),
  field("calls", "Calls", "count"),
  field("time_ns", "Time", "time", { bar: true }),
  field("lost_ns", "Above roof", "time", { bar: true }),
];
export function FamilyTable({ rows }: { readonly rows: readonly Family[] }) {
  return (
    <Table
      id="families"
      label="Families of operators"
      columns={FAMILIES}
      rows={rows}
      toolbar={false}
      maxRows={10}
    />
  );
}

type Without = Roofline["without_formula"][number];
const REASONS: Readonly<Record<string, string>> = {
  no_formula: "no formula",
  arguments_missing: "shapes, types or values not captured",
  transfer: "copy between host and device",
  communication: "communication",
  no_operator: "no operator around it",
};
const WITHOUT: readonly Column<Without>[] = [
  {
    key: "name",
    title: "Operator",
    quantity: "text",
    value: (r) => r.name ?? "(none)",
    href: (r) => (r.name === null ? null : pageAddress("operators", { open: r.name })),
  },
  { key: "reason", title: "Why", quantity: "text", width: 200, value: (r) => REASONS[r.reason] ?? r.reason },
  field("events", "Events", "count"),
  field("time_ns", "Time", "time", { bar: true }),
  field("time_share", "Share", "percent"),
];
export function WithoutTable({ rows }: { readonly rows: readonly Without[] }) {
  return (
    <Table
      id="without"
      label="Without a formula"
      columns={WITHOUT}
      rows={rows}
      toolbar={false}
      maxRows={10}
    />
  );
}
