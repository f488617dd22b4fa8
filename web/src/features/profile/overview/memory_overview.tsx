// SPDX-License-Identifier: Apache-2.0
// The overview of a memory profile: the peak of each device, and the way to the curve.
import { MEMORY_DEVICES, type MemoryDeviceRow } from "../../../api/generated";
import type { ProfileInfo } from "../../../api/types";
import { useReport } from "../../../state/report";
import { go, pageAddress, pageParams } from "../../../state/route";
import { type Cells, Described } from "../../../ui/described";
import { Empty, Load, Page, Panel } from "../../../ui/page";

const CELLS: Cells<MemoryDeviceRow> = {
  device: {
    value: (row) => [row.type, row.id, row.name].filter((part) => part !== null && part !== "").join(" "),
  },
  name: { hidden: true },
};

export function MemoryOverview({ profile }: { readonly profile: ProfileInfo }) {
  const report = useReport<{ memory?: { readonly devices: readonly MemoryDeviceRow[] } }>(profile, "memory");
  const devices = report.state === "ready" ? (report.data.memory?.devices ?? []) : null;
  const sentence = report.state === "ready" ? report.data.sentence : null;
  return (
    <Page title="Overview" sentence={sentence}>
      <Panel title="Devices" flush actions={<a href={pageAddress("memory")}>Curve and blocks</a>}>
        <Load of={report} lines={4}>
          {() =>
            devices === null || devices.length === 0 ? (
              <Empty what="No allocations." />
            ) : (
              <Described
                of={MEMORY_DEVICES}
                id="devices"
                label="Devices"
                rows={devices}
                files={report.state === "ready" ? report.data.files : []}
                cells={CELLS}
                toolbar={false}
                onOpen={() => go(pageParams("memory"))}
              />
            )
          }
        </Load>
      </Panel>
    </Page>
  );
}
