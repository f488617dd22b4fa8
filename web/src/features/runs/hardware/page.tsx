// SPDX-License-Identifier: Apache-2.0
// What the machine did meanwhile: every device over time, mean and largest value of all that was measured, and the
// energy.
import type { Hardware } from "../../../api/runs";
import { HARDWARE, type HardwareRow } from "../../../api/runs.generated";
import { momentOf } from "../../../lib/runs/moments";
import { duration, shortNumber } from "../../../lib/runs/numbers";
import { stretchOf, stretchText, wholeOf } from "../../../lib/runs/time_axis";
import { plural, visible } from "../../../lib/text";
import { ofRun, pageAddress, params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { KeyValue } from "../../../ui/key_value";
import { Empty, Failed, Page, Panel, Skeleton } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";
import { useRuns, useTags } from "../shared/scope_runs";
import "../shared/runs.css";
import { CurveLane, TimeLanes } from "../shared/time_lanes";
import "./hardware.css";

export default function HardwarePage({ run }: PageProps<"run">) {
  const found = useRuns([run]);
  useTags({ run }, []);
  const hardware = useRunsJson<Hardware>(`runs/${encodeURIComponent(run)}/hardware`, {}, { stay: true });
  const name = found.data?.[0]?.name;
  const title = name === undefined ? "Hardware" : `Hardware of ${visible(name)}`;
  if (hardware.state === "failed")
    return (
      <Page title={title}>
        <Failed message={hardware.message} />
      </Page>
    );
  if (hardware.state === "loading")
    return (
      <Page title={title} sentence={null}>
        <Skeleton lines={12} />
      </Page>
    );
  const data = hardware.data;
  return (
    <Page title={title} sentence={data.sentence}>
      {data.rows.length === 0 && data.energy.length === 0 ? (
        <Empty what="telltale run -- COMMAND measures while the program runs; telltale monitor --into FOLDER measures beside it." />
      ) : (
        <Measured run={run} data={data} />
      )}
    </Page>
  );
}

function Measured({ run, data }: { readonly run: string; readonly data: Hardware }) {
  const whole = wholeOf(data.from, data.to);
  const chosen = stretchOf(params.value.time);
  const marked = momentOf(params.value.t);
  const energy = data.energy.reduce((sum, one) => sum + one.watt_hours, 0);
  return (
    <>
      {data.energy.length === 0 ? null : (
        <Panel
          title="Energy"
          note={
            data.energy.every(({ counted }) => counted)
              ? "counted by the devices"
              : data.energy.some(({ counted }) => counted)
                ? "counted by the devices, or their power over time"
                : "power over time"
          }
        >
          <div class="hardware-energy">
            <p class="hardware-total">
              <b>{shortNumber(Number(energy.toPrecision(3)))}</b> Wh
            </p>
            <KeyValue
              facts={data.energy.map((one) => [
                visible(one.device),
                `${shortNumber(Number(one.watt_hours.toPrecision(3)))} Wh${one.counted ? "" : ", from its power"}`,
              ])}
            />
          </div>
        </Panel>
      )}
      {whole === null ? null : (
        <Panel
          title="Over time"
          note={`${data.interval_s === null ? "" : `a sample every ${duration(data.interval_s)}; `}drag to zoom, double click shows all`}
          actions={
            chosen === null ? undefined : (
              <button type="button" onClick={() => set({ time: null })}>
                Show all
              </button>
            )
          }
        >
          <TimeLanes
            label="Hardware over time"
            whole={whole}
            seen={chosen ?? whole}
            marked={marked === null ? null : marked / 1000}
            onSeen={(next) => set({ time: next === null ? null : stretchText(next) })}
          >
            {data.charts.map((chart) => (
              <CurveLane
                key={`${chart.title}${chart.unit}`}
                run={run}
                title={visible(chart.title)}
                unit={chart.unit}
                divisor={chart.divisor}
                lines={chart.lines}
                zoomedIn={chosen !== null}
                height={86}
              />
            ))}
          </TimeLanes>
        </Panel>
      )}
      <TablePanel<HardwareRow>
        title="Mean and largest"
        note={data.total > data.rows.length ? `the first ${data.rows.length} of ${data.total}` : undefined}
        id="hardware"
        of={HARDWARE}
        rows={data.rows}
        what={["series", plural(2, "series", "series")]}
        cells={{
          device: {
            href: (row) =>
              pageAddress("curves", { q: `^${row.tag.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$` }, ofRun(run)),
          },
        }}
        maxRows={24}
      />
    </>
  );
}
