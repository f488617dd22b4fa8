// SPDX-License-Identifier: Apache-2.0
// Kernels: by name, by launch configuration; and memory copies and sets.
import { COPIES, type CopyRow, KERNELS, type KernelRow } from "../../../api/generated";
import { kernelName } from "../../../lib/kernel_names";
import { keyOf, shortenMiddle, visible } from "../../../lib/text";
import { count, percent, time } from "../../../lib/units";
import { answerUnlessEmpty, useReport } from "../../../state/report";
import { pageAddress, params, set } from "../../../state/route";
import type { Cells } from "../../../ui/described";
import { KeyValue } from "../../../ui/key_value";
import { Empty, Page } from "../../../ui/page";
import { Detail, Split } from "../../../ui/split";
import { TablePanel } from "../../../ui/table_panel";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";
import { Calls } from "../shared/calls";

const TABS = [
  { key: "name", title: "By name" },
  { key: "launch", title: "By launch" },
  { key: "copies", title: "Copies and sets" },
] as const;

const dimensions = (value: readonly number[] | null | undefined): string | null => value?.join(" × ") ?? null;
const KERNEL_CELLS: Cells<KernelRow> = {
  grid: { value: (row) => dimensions(row.grid) },
  block: { value: (row) => dimensions(row.block) },
};
// What launches differ by stays longer than what they have in common.
const LAUNCH_CELLS: Cells<KernelRow> = {
  ...KERNEL_CELLS,
  registers_per_thread: { spare: 36 },
  shared_memory_bytes: { spare: 37 },
};

interface KernelsDocument {
  readonly kernels?: readonly KernelRow[];
}

export default function Kernels({ profile }: PageProps) {
  const tab = chosenTab("by", TABS);
  const byName = useReport<KernelsDocument>(profile, "kernels");
  const byLaunch = useReport<KernelsDocument>(tab === "launch" ? profile : null, "kernels", {
    "group-by": "launch",
  });
  const copies = useReport<{ copies?: readonly CopyRow[] }>(profile, "copies");
  const shown = tab === "launch" ? byLaunch : byName;
  const named = byName.data && (byName.data.kernels ?? []);
  const opened = params.value.open;
  const row = named?.find((r) => keyOf(r.name) === opened);
  return (
    <Page title="Kernels" sentence={answerUnlessEmpty(byName, named, "This capture has no kernels.")}>
      <Tabs param="by" tabs={TABS} label="Kernels" />
      <Split
        aside={
          opened === undefined ? null : (
            <Detail
              title={row?.name ?? opened}
              shown={kernelName(row?.name ?? opened)}
              mono
              onClose={() => set({ open: null })}
            >
              <Facts row={row} />
              <Calls profile={profile} kernel={row?.name ?? opened} />
            </Detail>
          )
        }
      >
        {tab === "copies" ? (
          <TablePanel
            {...LOOK}
            from={copies}
            height="200px"
            of={COPIES}
            id="copies"
            label="kinds of copies"
            rows={copies.data?.copies}
            none={<Empty what="Nothing was copied or set." flag={FLAG} />}
            what={["kind of copy", "kinds of copies"]}
          />
        ) : (
          <TablePanel
            {...LOOK}
            from={shown}
            height="480px"
            of={KERNELS}
            id="k"
            label="kernels"
            rows={shown.data?.kernels}
            none={<Empty flag={FLAG} />}
            cells={tab === "launch" ? LAUNCH_CELLS : KERNEL_CELLS}
            what={["kernel", "kernels"]}
          />
        )}
      </Split>
    </Page>
  );
}

const FLAG = "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]";
const LOOK = {
  sort: "-total_ns",
  fill: true,
  onOpen: (row: { readonly name: string }) => set({ open: keyOf(row.name) }),
  isOpen: (row: { readonly name: string }) => keyOf(row.name) === params.value.open,
};

function Facts({ row }: { readonly row: KernelRow | undefined }) {
  if (row === undefined) return null;
  return (
    <div class="detail-section">
      <p class="mono detail-name">{visible(shortenMiddle(row.name, 1500))}</p>
      <KeyValue
        facts={[
          ["Calls", count(row.calls)],
          ["Total", time(row.total_ns)],
          ["Mean", time(row.mean_ns)],
          ["Shortest", time(row.min_ns)],
          ["Longest", time(row.max_ns)],
          [
            "Occupancy, mean",
            row.mean_achieved_occupancy_share === null ? null : percent(row.mean_achieved_occupancy_share),
          ],
          ["Blocks per SM, mean", row.mean_blocks_per_sm === null ? null : row.mean_blocks_per_sm.toFixed(2)],
          ["Tensor cores", row.tensor_core ? "yes" : "no"],
          [
            "Launched by",
            row.operator === null ? null : (
              <a key="op" href={pageAddress("operators", { open: keyOf(row.operator) })}>
                {visible(shortenMiddle(row.operator, 80))}
              </a>
            ),
          ],
        ]}
      />
    </div>
  );
}
