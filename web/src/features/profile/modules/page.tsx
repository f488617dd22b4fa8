// SPDX-License-Identifier: Apache-2.0
// Modules: which layers cost the time, forward and backward, as they nest and side by side.
import { useMemo } from "preact/hooks";
import { MODULES_ON_DEVICE, MODULES_ON_HOST, type ModuleRow } from "../../../api/generated";
import { useOrigin } from "../../../state/clock";
import { useReport } from "../../../state/report";
import { address, changed } from "../../../state/route";
import { StackAdvice } from "../../../ui/again";
import type { Cells } from "../../../ui/described";
import { Hints } from "../../../ui/hints";
import { Empty, Load, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";
import { ReportPage } from "../shared/report_page";
import { type ModulesReport, type Side, totalOf } from "./data";
import { LayerBars, ModuleIcicle } from "./pictures";

const SIDES = [
  { key: "device", title: "Device time" },
  { key: "host", title: "Host time" },
] as const;
const HOST_FIRST = [SIDES[1]] as const;

type Modules = NonNullable<ModulesReport["modules"]>;

export default function ModulesPage({ profile }: PageProps) {
  const report = useReport<ModulesReport>(profile, "modules");
  const origin = useOrigin(profile);
  const modules = report.data?.modules;
  const empty = report.state === "ready" && !modules?.rows.length;
  const tabs = modules && !(modules.device_ns ?? 0) ? HOST_FIRST : SIDES;
  const side = chosenTab("time", tabs) as Side;
  const cells = useMemo<Cells<ModuleRow>>(
    () => ({
      name: { href: (row) => (row.path === null ? null : address(changed({ module: row.path }))) },
      share: { value: (row) => (modules ? totalOf(row, side) / wholeOf(modules, side) : null) },
    }),
    [modules, side],
  );
  return (
    <ReportPage
      title="Modules"
      of={report}
      origin={origin}
      empty={empty}
      sentence={
        empty
          ? "This capture does not say which module an operator belongs to."
          : modules && side === "host" && modules.host_sentence
      }
      nothing={NOTHING}
      after={!modules ? null : <Hints hints={HINTS} />}
    >
      <Panel title="As they nest" actions={<Tabs param="time" tabs={tabs} label="Whose time" />}>
        <Load of={report} height="260px">
          {(data) => <ModuleIcicle rows={data.modules?.rows ?? []} side={side} />}
        </Load>
      </Panel>
      <Panel title="By layer" note="time of the module itself, without the modules inside">
        <Load of={report} height="320px">
          {(data) => <LayerBars rows={data.modules?.rows ?? []} side={side} />}
        </Load>
      </Panel>
      <TablePanel
        title="Modules"
        from={report}
        lines={12}
        of={TABLES[side]}
        id="modules"
        label="Modules as they are called"
        rows={modules?.rows}
        cells={cells}
        depth={(row) => row.depth}
        openDepth={3}
        what={["module", "modules"]}
        maxRows={22}
      />
    </ReportPage>
  );
}

const wholeOf = (modules: Modules, side: Side): number =>
  (side === "device" ? modules.device_ns : modules.host_ns) ?? 0;

const TABLES = { device: MODULES_ON_DEVICE, host: MODULES_ON_HOST };

const HINTS = [
  <>
    The operators of one module: restrict a page with “inside” in the top bar, or zoom here and open the
    timeline.
  </>,
];

const NOTHING = (
  <Empty captured>
    <StackAdvice />
    <p class="muted">
      <code>with_modules=True</code> has no effect in eager mode. Lightning's <code>PyTorchProfiler</code>{" "}
      writes modules by itself (<code>record_module_names=True</code>, its default).
    </p>
  </Empty>
);
