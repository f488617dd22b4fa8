// SPDX-License-Identifier: Apache-2.0
// What is alive at a moment: at the peak as the report says, elsewhere from the blocks, by operator, module, step,
// place in the program or category.
import { useMemo } from "preact/hooks";
import { MEMORY_SHARES } from "../../../api/generated";
import { aliveAt, type Block, type Key, sumBy, valueAt } from "../../../lib/memory_blocks";
import { bytes, count } from "../../../lib/units";
import { pageAddress } from "../../../state/route";
import { type Cells, Described } from "../../../ui/described";
import { chosenTab, Tabs } from "../../../ui/tabs";
import { categoryTitle, type MemoryDevice } from "./data";

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly count: number | null;
  readonly href: string | null;
}

const KINDS = [
  { key: "operators", title: "Operator", by: "operator" },
  { key: "modules", title: "Module", by: "module" },
  { key: "steps", title: "Step", by: "step" },
  { key: "frames", title: "Place", by: "frame" },
  { key: "categories", title: "Category", by: null },
] as const;

const cellsOf = (total: number, title: string): Cells<Row> => ({
  name: { title, href: (r) => r.href },
  share: { value: (r) => r.bytes / (total || 1) },
});

export interface AliveProps {
  readonly device: MemoryDevice;
  readonly blocks: readonly Block[] | null; // null: not here yet
  readonly moment: number | null; // ns since 1970; null: the peak
  readonly cut: boolean; // not all blocks are here
}

export function Alive({ device, blocks, moment, cut }: AliveProps) {
  const peak = device.at_peak;
  const tabs = KINDS.filter((kind) => peak?.[kind.key] != null);
  const kind = KINDS.find((k) => k.key === chosenTab("by", tabs)) ?? KINDS[0];
  const known =
    moment === null
      ? device.peak_allocated_bytes
      : valueAt(device.curve?.times_ns ?? [], device.curve?.allocated_bytes ?? [], moment);
  const total = known ?? 0;
  const rows = useMemo<readonly Row[]>(() => {
    if (moment === null) return peakRows(device, kind.key);
    if (kind.by === null) return categoryRows(device, moment);
    return blockRows(blocks ?? [], kind.by, moment, total, cut);
  }, [device, blocks, moment, kind, total, cut]);
  const cells = useMemo(() => cellsOf(total, kind.title), [total, kind]);
  if (tabs.length === 0)
    return (
      <p class="muted memory-note">
        The events carry no addresses (torch before 1.10), so what is alive at a moment is not known.
      </p>
    );
  if (known === null)
    return (
      <p class="muted memory-note">Before the first event of this device: what was alive is not known.</p>
    );
  return (
    <>
      {tabs.length > 1 ? <Tabs param="by" tabs={tabs} label="By what" /> : null}
      <Described
        of={MEMORY_SHARES}
        id="alive"
        label="What is alive"
        rows={rows}
        cells={cells}
        toolbar={false}
        maxRows={10}
      />
      <p class="muted memory-note">
        {bytes(total)} in all
        {moment !== null && blocks === null && kind.by !== null ? "; the blocks are still being loaded" : ""}.
      </p>
    </>
  );
}

const link = (kind: string, name: string): string | null => {
  const operator = / \((.*)\)$/.test(name) ? name.replace(/ \(.*\)$/, "") : name;
  return kind === "operators" && !name.startsWith("(") ? pageAddress("operators", { open: operator }) : null;
};

function peakRows(device: MemoryDevice, kind: (typeof KINDS)[number]["key"]): Row[] {
  const peak = device.at_peak;
  const rows = (peak?.[kind] ?? []).map((h): Row => {
    const name = kind === "categories" ? categoryTitle(h.name ?? "") : (h.name ?? "(none)");
    return { name, bytes: h.bytes, count: h.count, href: link(kind, name) };
  });
  if ((peak?.before_bytes ?? 0) > 0)
    rows.push({ name: "(before the recording)", bytes: peak?.before_bytes ?? 0, count: null, href: null });
  return rows.sort((a, b) => b.bytes - a.bytes);
}

function categoryRows(device: MemoryDevice, moment: number): Row[] {
  const { curve } = device;
  return (curve?.categories ?? [])
    .map((c) => ({
      name: categoryTitle(c.name),
      bytes: valueAt(curve?.times_ns ?? [], c.bytes, moment) ?? 0,
      count: null,
      href: null,
    }))
    .filter((row) => row.bytes !== 0)
    .sort((a, b) => b.bytes - a.bytes);
}

function blockRows(blocks: readonly Block[], by: Key, moment: number, total: number, cut: boolean): Row[] {
  const sums = sumBy(aliveAt(blocks, moment), by);
  const rows: Row[] = sums.map((s) => ({
    name: s.name,
    bytes: s.bytes,
    count: s.count,
    href: link(`${by}s`, s.name),
  }));
  const rest = total - sums.reduce((sum, s) => sum + s.bytes, 0);
  if (rest > 0)
    rows.push({
      name: cut
        ? `(before the recording, or not of the ${count(blocks.length)} largest blocks)`
        : "(before the recording)",
      bytes: rest,
      count: null,
      href: null,
    });
  return rows.sort((a, b) => b.bytes - a.bytes);
}
