// SPDX-License-Identifier: Apache-2.0
// Roofline: how close each operator comes to what the device can do, and how much time lies above that.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import {
  NO_FORMULA_REASONS,
  type NoFormulaRow,
  ROOFLINE,
  ROOFLINE_FAMILIES,
  type RooflineFamilyRow,
  type RooflineRow,
  WITHOUT_FORMULA,
} from "../../../api/generated";
import { si } from "../../../lib/scale";
import { visible } from "../../../lib/text";
import { percent } from "../../../lib/units";
import { useOrigin } from "../../../state/clock";
import { useReport } from "../../../state/report";
import { params, set } from "../../../state/route";
import { type Cells, Described } from "../../../ui/described";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { Findings } from "../shared/recommendations";
import { type Roofline, type RooflineReport, roofsOf, shapesText } from "./data";
import "./roofline.css";
import { Scatter } from "./scatter";

const scaled = (value: number | null, unit: number): number | null => (value === null ? null : value / unit);
const RATES: Cells<RooflineRow | RooflineFamilyRow> = {
  flops_per_second: { title: "TFLOP/s", value: (row) => scaled(row.flops_per_second, 1e12) },
  bytes_per_second: { title: "GB/s", value: (row) => scaled(row.bytes_per_second, 1e9) },
};
const ROWS: Cells<RooflineRow> = { ...RATES, input_shapes: { value: (row) => shapesText(row.input_shapes) } };
const REASONS: Cells<NoFormulaRow> = {
  reason: { value: (row) => NO_FORMULA_REASONS[row.reason as keyof typeof NO_FORMULA_REASONS] ?? row.reason },
};

export default function RooflinePage({ profile }: PageProps) {
  const peaks = params.value["device-peak"];
  const report = useReport<RooflineReport>(profile, "roofline", { "device-peak": peaks, limit: 1500 });
  const origin = useOrigin(profile);
  const findings = <Findings of={report} origin={origin} />;
  const roofline = report.state === "ready" ? report.data.roofline : null;
  if (report.state === "ready" && (roofline === null || roofline.rows.length === 0))
    return (
      <Nothing
        findings={findings}
        roofline={roofline}
        answer={
          profile.captured.includes("shapes") ? report.data.sentence : "This capture has no input shapes."
        }
      />
    );
  return (
    <Page
      title="Roofline"
      sentence={
        report.state === "failed"
          ? undefined
          : roofline === null || report.state !== "ready"
            ? null
            : report.data.sentence
      }
    >
      <Panel
        title="Operators under the roof"
        note={roofline ? `${roofline.time} time` : undefined}
        actions={<PeakForm key={peaks ?? ""} asked={peaks ?? ""} />}
      >
        <Load of={report} height="480px">
          {(data) =>
            data.roofline && (
              <>
                <Scatter roofline={data.roofline} />
                <Devices roofline={data.roofline} />
              </>
            )
          }
        </Load>
      </Panel>
      <TablePanel
        title="Operators by shape"
        note="by the time above their roof"
        from={report}
        of={ROOFLINE}
        id="roofline"
        label="Operators by shape against their roof"
        rows={(data) => data.roofline?.rows}
        cells={ROWS}
      />
      {roofline === null ? null : (
        <div class="columns roomy">
          <Panel title="Families" flush>
            <Described
              of={ROOFLINE_FAMILIES}
              id="families"
              label="Families of operators"
              rows={roofline.families}
              cells={RATES}
              toolbar={false}
              maxRows={10}
            />
          </Panel>
          {roofline.without_formula.length === 0 ? null : (
            <Panel
              title="Without a formula"
              note={percent(1 - roofline.covered_ns / roofline.total_ns)}
              flush
            >
              <Without rows={roofline.without_formula} />
            </Panel>
          )}
        </div>
      )}
      {findings}
    </Page>
  );
}

function Without({ rows }: { readonly rows: readonly NoFormulaRow[] }) {
  return (
    <Described
      of={WITHOUT_FORMULA}
      id="without"
      label="Without a formula"
      rows={rows}
      cells={REASONS}
      toolbar={false}
      maxRows={10}
    />
  );
}

// Other peaks than those of the table: part of the address, so a shared link keeps them.
function PeakForm({ asked }: { readonly asked: string }) {
  const [text, setText] = useState(asked);
  return (
    <form
      class="roofline-peaks"
      onSubmit={(event) => {
        event.preventDefault();
        set({ "device-peak": text.trim() || null });
      }}
    >
      <label>
        Peaks{" "}
        <input
          type="text"
          placeholder="fp16=989e12,memory=3.35e12"
          title="fp64, fp32, fp32_matrix, tf32, fp16, bf16, fp8, int8, memory; per second"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Apply</button>
      {asked === "" ? null : (
        <button type="button" onClick={() => set({ "device-peak": null })}>
          Reset
        </button>
      )}
    </form>
  );
}

const FROM = {
  table: "published peaks of",
  option: "peaks given by you for",
  unknown: "peaks not known of",
} as const;

function Devices({ roofline }: { readonly roofline: Roofline }) {
  return (
    <ul class="roofline-devices">
      {roofline.devices.map((device, i) => (
        <li key={`${i}`}>
          <strong>{visible(device.name ?? "Unnamed device")}</strong>{" "}
          <span class="muted">
            {FROM[device.peaks]} {visible(device.known_as ?? device.name ?? "this device")}
            {device.peaks === "unknown" ? "; give them above" : ""}
          </span>
          {roofsOf(device).map((roof) => (
            <span key={roof.label}>
              {roof.label} {si(roof.flops, "FLOP/s")}
            </span>
          ))}
          {device.memory_per_second ? <span>memory {si(device.memory_per_second, "B/s")}</span> : null}
        </li>
      ))}
    </ul>
  );
}

interface NothingProps {
  readonly roofline: Roofline | null;
  readonly answer: string;
  readonly findings: ComponentChildren;
}

function Nothing({ roofline, answer, findings }: NothingProps) {
  return (
    <Page title="Roofline" sentence={answer}>
      <Panel>
        <Empty
          what="Operations and bytes follow from the shapes of the operators' inputs."
          flag="record_shapes=True"
        />
      </Panel>
      {roofline !== null && roofline.without_formula.length > 0 ? (
        <Panel title="Without a formula" flush>
          <Without rows={roofline.without_formula} />
        </Panel>
      ) : null}
      {findings}
    </Page>
  );
}
