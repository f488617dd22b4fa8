// SPDX-License-Identifier: Apache-2.0
// The overview of a memory profile: the peak of each device, and the way to the curve.
import { MEMORY_DEVICES, type MemoryDeviceRow } from "../../../api/generated";
import type { ProfileInfo } from "../../../api/types";
import { sentenceOf, useReport } from "../../../state/report";
import { go, pageAddress, pageParams } from "../../../state/route";
import { Empty, Page } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";

export function MemoryOverview({ profile }: { readonly profile: ProfileInfo }) {
  const report = useReport<{ memory?: { readonly devices: readonly MemoryDeviceRow[] } }>(profile, "memory");
  return (
    <Page title="Overview" sentence={sentenceOf(report)}>
      <TablePanel
        title="Devices"
        actions={<a href={pageAddress("memory")}>Curve and blocks</a>}
        from={report}
        lines={4}
        of={MEMORY_DEVICES}
        id="devices"
        rows={report.data?.memory?.devices}
        none={<Empty what="No allocations." />}
        toolbar={false}
        onOpen={() => go(pageParams("memory"))}
      />
    </Page>
  );
}
