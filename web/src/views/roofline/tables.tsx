// SPDX-License-Identifier: Apache-2.0
// Operators by shape against their roof, families, and what has no formula.
import { type Column, Table } from "../../components/table";
import { pageAddress } from "../../state/route";
import { type Roofline, type RoofRow, shapesText } from "./data";

const tera = (value: number | null): number | null => (value === null ? null : value / 1e12);
const giga = (value: number | null): number | null => (value === null ? null : value / 1e9);

const ROWS: readonly Column<RoofRow>[] = [
  {
    key: "name",
    title: "Operator",
    quantity: "text",
    value: (r) => r.name,
    href: (r) => pageAddress("operators", { open: r.name }),
  },
  { key: "phase", title: "Phase", quantity: "text", width: 90, value: (r) => r.phase },
  { key: "shapes", title: "Shapes", quantity: "text", value: (r) => shapesText(r.input_shapes), mono: true },
  { key: "type", title: "Type", quantity: "text", width: 64, value: (r) => r.type },
  { key: "calls", title: "Calls", quantity: "count", width: 76, value: (r) => r.calls },
  { key: "time_ns", title: "Time", quantity: "time", bar: true, value: (r) => r.time_ns },
  {
    key: "lost_ns",
    title: "Above roof",
    quantity: "time",
    bar: true,
    width: 112,
    value: (r) => r.lost_ns,
    help: "Time beyond what the device's peaks would allow",
  },
  {
    key: "roof_share",
    title: "Of roof",
    quantity: "percent",
    width: 84,
    value: (r) => r.roof_share,
    help: "Ideal time ÷ time; above 100 % data came from a cache",
  },
  { key: "bound", title: "Bound", quantity: "text", width: 80, value: (r) => r.bound },
  {
    key: "flops_per_second",
    title: "TFLOP/s",
    quantity: "number",
    sum: false,
    value: (r) => tera(r.flops_per_second),
  },
  {
    key: "bytes_per_second",
    title: "GB/s",
    quantity: "number",
    sum: false,
    value: (r) => giga(r.bytes_per_second),
  },
  { key: "flops_per_byte", title: "FLOP/B", quantity: "number", sum: false, value: (r) => r.flops_per_byte },
  { key: "family", title: "Family", quantity: "text", width: 120, hidden: true, value: (r) => r.family },
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
  { key: "family", title: "Family", quantity: "text", value: (r) => r.family },
  { key: "phase", title: "Phase", quantity: "text", width: 90, value: (r) => r.phase },
  { key: "calls", title: "Calls", quantity: "count", width: 76, value: (r) => r.calls },
  { key: "time_ns", title: "Time", quantity: "time", bar: true, value: (r) => r.time_ns },
  { key: "lost_ns", title: "Above roof", quantity: "time", bar: true, width: 112, value: (r) => r.lost_ns },
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
  { key: "events", title: "Events", quantity: "count", width: 84, value: (r) => r.events },
  { key: "time_ns", title: "Time", quantity: "time", bar: true, value: (r) => r.time_ns },
  { key: "time_share", title: "Share", quantity: "percent", width: 76, value: (r) => r.time_share },
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
