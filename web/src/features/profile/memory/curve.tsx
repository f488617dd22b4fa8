// SPDX-License-Identifier: Apache-2.0
// The curve of a device. Dragging over it, or two numbers below it, restrict the tables; a click, or a number,
// chooses the moment whose blocks are shown.
import { useMemo } from "preact/hooks";
import { LineChart } from "../../../charts/line_chart";
import { plural } from "../../../lib/text";
import { bytes, count, time, unitFor } from "../../../lib/units";
import { set } from "../../../state/route";
import { curvesOf, type MemoryDevice } from "./data";

export interface CurveProps {
  readonly device: MemoryDevice;
  readonly base: number;
  readonly range: readonly [number, number] | null; // ns from base
  readonly moment: number | null; // ns from base
  readonly onHover: (ns: number | null) => void;
}

const choose = (range: readonly [number, number] | null): void =>
  set({ from: range === null ? null : String(range[0]), to: range === null ? null : String(range[1]) });

export function Curve({ device, base, range, moment, onHover }: CurveProps) {
  const data = useMemo(() => curvesOf(device, base), [device, base]);
  if (data === null || device.curve === null)
    return <p class="muted">The file has no history, only the state at the end: there is no curve.</p>;
  const peakAt = device.peak_ns === null ? null : device.peak_ns - base;
  const { curve } = device;
  const less = curve.point_count > curve.times_ns.length;
  return (
    <>
      <LineChart
        name="memory"
        data={data}
        height={280}
        range={range}
        moment={moment ?? peakAt}
        onRange={choose}
        onMoment={(x) => set({ at: String(x) })}
        onHover={onHover}
        summary={`Memory of ${device.device} over ${time(data.x[data.x.length - 1])}: peak ${bytes(device.peak_allocated_bytes)} at ${time(peakAt)}.`}
      />
      <RangeFields range={range} moment={moment} last={data.x[data.x.length - 1] ?? 0} />
      <p class="muted memory-note">
        {curve.captured
          ? ""
          : "The events carry no totals: the curve is relative to where the recording began. "}
        {less
          ? `${count(curve.point_count)} changes, drawn by the least, greatest and last of each of 500 stretches of time.`
          : `${count(curve.point_count)} ${plural(curve.point_count, "change")}, all drawn.`}
      </p>
    </>
  );
}

interface FieldsProps {
  readonly range: readonly [number, number] | null;
  readonly moment: number | null;
  readonly last: number;
}

function RangeFields({ range, moment, last }: FieldsProps) {
  const unit = unitFor("time", last);
  const text = (ns: number | null | undefined): string =>
    ns === null || ns === undefined ? "" : String(Number((ns / unit.factor).toPrecision(9)));
  const number = (value: string): number | null =>
    value.trim() === "" || Number.isNaN(Number(value)) ? null : Math.round(Number(value) * unit.factor);
  return (
    <div class="memory-range">
      <label>
        Range from{" "}
        <input
          type="text"
          inputMode="decimal"
          value={text(range?.[0])}
          onChange={(event) => {
            const from = number(event.currentTarget.value);
            choose(from === null ? null : [from, range?.[1] ?? last]);
          }}
        />
      </label>
      <label>
        to{" "}
        <input
          type="text"
          inputMode="decimal"
          value={text(range?.[1])}
          onChange={(event) => {
            const to = number(event.currentTarget.value);
            choose(to === null ? null : [range?.[0] ?? 0, to]);
          }}
        />{" "}
        {unit.name}
      </label>
      <label>
        Moment{" "}
        <input
          type="text"
          inputMode="decimal"
          placeholder="peak"
          value={text(moment)}
          onChange={(event) => {
            const at = number(event.currentTarget.value);
            set({ at: at === null ? null : String(at) });
          }}
        />{" "}
        {unit.name}
      </label>
      {range === null ? (
        <span class="muted">Drag over the curve to restrict the tables, click for a moment.</span>
      ) : (
        <button type="button" onClick={() => choose(null)}>
          Whole recording
        </button>
      )}
      {moment === null ? null : (
        <button type="button" onClick={() => set({ at: null })}>
          At the peak
        </button>
      )}
    </div>
  );
}
