// SPDX-License-Identifier: Apache-2.0
// Roofline: how close each operator comes to what the device can do, and how much time lies above that.
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
import type { Cells } from "../../../ui/described";
import { Empty, Load, Panel } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { ReportPage } from "../shared/report_page";
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
  const roofline = report.data?.roofline;
  const without = !roofline?.without_formula.length ? null : (
    <TablePanel
      title="Without a formula"
      note={roofline.rows.length === 0 ? undefined : percent(1 - roofline.covered_ns / roofline.total_ns)}
      of={WITHOUT_FORMULA}
      id="without"
      rows={roofline.without_formula}
      cells={REASONS}
      toolbar={false}
      maxRows={10}
    />
  );
  const empty = report.state === "ready" && !roofline?.rows.length;
  return (
    <ReportPage
      title="Roofline"
      of={report}
      origin={origin}
      empty={empty}
      sentence={empty && !profile.captured.includes("shapes") && "This capture has no input shapes."}
      nothing={
        <Empty
          what="Operations and bytes follow from the shapes of the operators' inputs."
          flag="record_shapes=True"
        />
      }
      rest={without}
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
        rows={roofline?.rows}
        cells={ROWS}
      />
      {!roofline ? null : (
        <div class="columns roomy">
          <TablePanel
            title="Families"
            of={ROOFLINE_FAMILIES}
            id="families"
            label="Families of operators"
            rows={roofline.families}
            cells={RATES}
            toolbar={false}
            maxRows={10}
          />
          {without}
        </div>
      )}
    </ReportPage>
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
