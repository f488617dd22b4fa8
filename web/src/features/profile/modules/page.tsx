// SPDX-License-Identifier: Apache-2.0
// Modules: which layers cost the time, forward and backward, as they nest and side by side.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { MODULES_ON_DEVICE, MODULES_ON_HOST, type ModuleRow } from "../../../api/generated";
import { visible } from "../../../lib/text";
import { percent, time } from "../../../lib/units";
import { useOrigin } from "../../../state/clock";
import { useReport } from "../../../state/report";
import { address, changed } from "../../../state/route";
import { StackAdvice } from "../../../ui/again";
import { type Cells, Described } from "../../../ui/described";
import { Hints } from "../../../ui/hints";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";
import { Findings } from "../shared/recommendations";
import { type ModulesReport, type Side, selfOf, totalOf } from "./data";
import "./modules.css";
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
  const findings = <Findings of={report} origin={origin} />;
  const modules = report.state === "ready" ? report.data.modules : null;
  if (report.state === "ready" && (modules === null || modules.rows.length === 0))
    return <Nothing findings={findings} />;
  const tabs = modules !== null && !(modules.device_ns ?? 0) ? HOST_FIRST : SIDES;
  const side = chosenTab("time", tabs) as Side;
  return (
    <Page
      title="Modules"
      sentence={
        modules === null || report.state !== "ready"
          ? null
          : side === "device"
            ? report.data.sentence
            : sentenceOf(modules, side)
      }
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
      <Panel title="Modules" flush>
        <Load of={report} lines={12}>
          {(data) => data.modules && <ModuleTable modules={data.modules} side={side} />}
        </Load>
      </Panel>
      {findings}
      {modules === null ? null : <Hints hints={HINTS} />}
    </Page>
  );
}

const wholeOf = (modules: Modules, side: Side): number =>
  (side === "device" ? modules.device_ns : modules.host_ns) ?? 0;

function sentenceOf(modules: Modules, side: Side): string {
  const whole = wholeOf(modules, side);
  const outside = modules.rows.filter((r) => r.class === null).reduce((sum, r) => sum + selfOf(r, side), 0);
  const inside = modules.rows.filter((r) => r.class !== null);
  const top = inside.reduce<ModuleRow | null>(
    (a, b) => (a === null || selfOf(b, side) > selfOf(a, side) ? b : a),
    null,
  );
  const first = `Modules take ${percent((whole - outside) / whole)} of the ${side} time (${time(whole - outside)} of ${time(whole)}).`;
  if (top === null) return first;
  return (
    `${first} The most in one module itself: ${visible(top.path ?? top.name)}, ${percent(selfOf(top, side) / whole)} ` +
    `(${time(top[`forward_${side}_self_ns`])} forward, ${time(top[`backward_${side}_self_ns`])} backward).`
  );
}

const TABLES = { device: MODULES_ON_DEVICE, host: MODULES_ON_HOST };

function ModuleTable({ modules, side }: { readonly modules: Modules; readonly side: Side }) {
  const cells = useMemo<Cells<ModuleRow>>(
    () => ({
      name: { href: (row) => (row.path === null ? null : address(changed({ module: row.path }))) },
      share: { value: (row) => totalOf(row, side) / wholeOf(modules, side) },
    }),
    [modules, side],
  );
  return (
    <Described
      of={TABLES[side]}
      id="modules"
      label="Modules as they are called"
      rows={modules.rows}
      cells={cells}
      depth={(row) => row.depth}
      openDepth={3}
      what={["module", "modules"]}
      maxRows={22}
    />
  );
}

const HINTS = [
  <>
    The operators of one module: restrict a page with “inside” in the top bar, or zoom here and open the
    timeline.
  </>,
];

function Nothing({ findings }: { readonly findings: ComponentChildren }) {
  return (
    <Page title="Modules" sentence="This capture does not say which module an operator belongs to.">
      <Panel>
        <Empty captured>
          <StackAdvice />
          <p class="muted">
            <code>with_modules=True</code> has no effect in eager mode. Lightning's{" "}
            <code>PyTorchProfiler</code> writes modules by itself (<code>record_module_names=True</code>, its
            default).
          </p>
        </Empty>
      </Panel>
      {findings}
    </Page>
  );
}
