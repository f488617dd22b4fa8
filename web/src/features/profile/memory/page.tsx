// SPDX-License-Identifier: Apache-2.0
// Memory: the curve of each device, what is alive at its peak or at any moment, who allocates, single blocks, and
// what steps leave behind.
import { useMemo, useState } from "preact/hooks";
import { LEAKS, MEMORY_OPERATORS } from "../../../api/generated";
import { type Block, parseRange } from "../../../lib/memory_blocks";
import { count, time } from "../../../lib/units";
import { useOrigin } from "../../../state/clock";
import { type FileInfo, type ReportHead, useReport } from "../../../state/report";
import type { Resource } from "../../../state/resource";
import { params } from "../../../state/route";
import { Empty, Failed, Panel, Skeleton } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";
import { ReportPage } from "../shared/report_page";
import { Alive } from "./alive";
import { Curve } from "./curve";
import { BLOCKS_ASKED, deviceKey, type Memory, type MemoryDevice, type MemoryReport } from "./data";
import { Facts } from "./facts";
import "./memory.css";
import { BlockTable, LEAK_CELLS, RangeTable } from "./tables";

export default function MemoryPage({ profile }: PageProps) {
  const report = useReport<MemoryReport>(profile, "memory");
  const origin = useOrigin(profile.kind === "memory" ? null : profile);
  const { data } = report;
  if (data?.memory?.devices.length)
    return <Shown profile={profile} origin={origin} report={report} memory={data.memory} head={data} />;
  return (
    <ReportPage
      title="Memory"
      of={report}
      origin={origin}
      empty
      sentence={report.state === "ready" && "This capture has no memory events."}
      nothing={NOTHING}
    >
      {report.state === "failed" ? (
        <Failed message={report.message} />
      ) : (
        <Panel title="Over time">
          <Skeleton height="300px" />
        </Panel>
      )}
    </ReportPage>
  );
}

const NOTHING = (
  <Empty flag="profile_memory=True">
    <p class="muted">
      Files of <code>export_memory_timeline</code> (.raw.json.gz) and allocator snapshots saved as JSON open
      here, too.
    </p>
  </Empty>
);

interface ShownProps extends PageProps {
  readonly origin: number | null;
  readonly report: Resource<ReportHead>;
  readonly memory: Memory;
  readonly head: ReportHead;
}

function Shown({ profile, origin, report, memory, head }: ShownProps) {
  const { files } = head;
  const first = memory.devices.flatMap((d) => d.curve?.times_ns.slice(0, 1) ?? []);
  const base = files[0]?.start_ns ?? (first.length > 0 ? Math.min(...first) : 0);
  const tabs = memory.devices.map((d) => ({ key: deviceKey(d, files.length), title: tabTitle(d, files) }));
  const key = chosenTab("device", tabs);
  const device =
    memory.devices.find((d) => deviceKey(d, files.length) === key) ?? (memory.devices[0] as MemoryDevice);
  const [hover, setHover] = useState<number | null>(null);
  const { from, to, at } = params.value;
  const local = useMemo(() => parseRange(from, to), [from, to]);
  const range = useMemo(
    () => (local === null ? null : ([local[0] + base, local[1] + base] as const)),
    [local, base],
  );
  const pinned = at === undefined || Number.isNaN(Number(at)) ? null : Number(at);
  const moment = hover ?? pinned;
  const { blocks, cut } = useBlocks(profile, device);
  const leaks = useMemo(() => memory.leaks.flatMap((l) => l.rows), [memory]);
  const blockNote = cut ? `the ${count(BLOCKS_ASKED)} largest` : "";
  return (
    <ReportPage
      title="Memory"
      of={report}
      origin={origin}
      empty={false}
      after={
        memory.left_out_count > 0 ? (
          <p class="muted">{count(memory.left_out_count)} events of further devices are left out.</p>
        ) : null
      }
      sentence={device.sentence}
    >
      <Panel
        title="Over time"
        actions={tabs.length > 1 ? <Tabs param="device" tabs={tabs} label="Device" /> : undefined}
      >
        <Curve device={device} base={base} range={local} moment={pinned} onHover={setHover} />
      </Panel>
      <div class="columns">
        <Panel
          title={moment === null ? "Alive at the peak" : `Alive at ${time(moment)}`}
          note={hover !== null ? "under the pointer" : pinned !== null ? "the chosen moment" : undefined}
          flush
        >
          <Alive device={device} blocks={blocks} cut={cut} moment={moment === null ? null : moment + base} />
        </Panel>
        <Panel title={`Numbers of ${device.device}`}>
          <Facts device={device} base={base} />
        </Panel>
      </div>
      {leaks.length === 0 ? null : (
        <TablePanel
          title="Left behind by every step"
          note="allocated in each of the checked steps, released in none"
          of={LEAKS}
          id="leaks"
          rows={leaks}
          cells={LEAK_CELLS}
          toolbar={false}
          maxRows={8}
        />
      )}
      {range !== null && blocks !== null ? (
        <Panel
          title="Operators in the range"
          note={blockNote === "" ? undefined : `of ${blockNote} blocks`}
          flush
        >
          <RangeTable blocks={blocks} range={range} />
        </Panel>
      ) : device.operators.length === 0 ? null : (
        <TablePanel
          title="Operators"
          note="by what they allocate and do not free themselves"
          of={MEMORY_OPERATORS}
          id="operators"
          label="Operators by memory"
          rows={device.operators}
          what={["operator", "operators"]}
          maxRows={12}
        />
      )}
      {device.type === null ? null : (
        <Panel title={range === null ? "Blocks" : "Blocks allocated or released in the range"} flush>
          {blocks === null ? (
            <Skeleton />
          ) : (
            <BlockTable blocks={blocks} range={range} base={base} origin={origin} note={blockNote} />
          )}
        </Panel>
      )}
    </ReportPage>
  );
}

function tabTitle(d: MemoryDevice, files: readonly FileInfo[]): string {
  const { rank = null, worker = null } = files[d.file] ?? {};
  return files.length > 1
    ? `${rank !== null ? `rank ${rank}` : (worker ?? `file ${d.file}`)}: ${d.device}`
    : d.device;
}

// The largest blocks of the device.
function useBlocks(
  profile: PageProps["profile"],
  device: MemoryDevice,
): { blocks: readonly Block[] | null; cut: boolean } {
  const asked = device.type === null ? null : "memory";
  const report = useReport<MemoryReport>(profile, asked, {
    allocations: true,
    sort: "bytes",
    limit: BLOCKS_ASKED,
    device: device.type === null ? undefined : `${device.type}${device.id === null ? "" : `:${device.id}`}`,
  });
  const all = report.data && (report.data.memory?.allocations ?? []);
  const blocks = useMemo(
    () =>
      all?.filter(
        (b) => b.file === device.file && b.device_type === device.type && b.device_id === device.id,
      ) ?? null,
    [all, device],
  );
  return { blocks, cut: (all?.length ?? 0) >= BLOCKS_ASKED };
}
