// SPDX-License-Identifier: Apache-2.0
// One operator: its times, its shapes, the kernels it launched, where it was called from, its calls.
import { useMemo } from "preact/hooks";
import { KERNELS, type KernelRow, OPERATORS, type OperatorRow } from "../../../api/generated";
import type { ProfileInfo } from "../../../api/types";
import type { ColumnDescription } from "../../../lib/table_description";
import { keyOf } from "../../../lib/text";
import { bytes, count, percent, time } from "../../../lib/units";
import { useReport } from "../../../state/report";
import { go, pageParams, set } from "../../../state/route";
import { Described } from "../../../ui/described";
import { KeyValue } from "../../../ui/key_value";
import { Load } from "../../../ui/page";
import { Detail } from "../../../ui/split";
import { Stack } from "../../../ui/stack";
import { Calls } from "../shared/calls";

const only = (keys: readonly string[]) => (column: ColumnDescription) => keys.includes(column.key);
const SHAPES = OPERATORS.filter(only(["input_shapes", "calls", "device_self_ns", "host_self_ns"]));
const LAUNCHED = KERNELS.filter(only(["name", "calls", "total_ns", "mean_ns"]));

function Facts({ row }: { readonly row: OperatorRow }) {
  return (
    <div class="detail-section">
      <KeyValue
        facts={[
          ["Calls", count(row.calls)],
          ["Device, self", time(row.device_self_ns)],
          ["Device, total", time(row.device_total_ns)],
          ["CPU, self", time(row.host_self_ns)],
          ["CPU, total", time(row.host_total_ns)],
          ["Memory, self", row.memory_self_bytes === null ? null : bytes(row.memory_self_bytes)],
          ["Tensor cores", row.tensor_core_eligible ? percent(row.tensor_core_self_share) : null],
        ]}
      />
    </div>
  );
}

export interface OperatorDetailProps {
  readonly profile: ProfileInfo;
  readonly name: string;
  readonly row: OperatorRow | undefined;
}

export function OperatorDetail({ profile, name, row }: OperatorDetailProps) {
  const shapes = useReport<{ operators?: readonly OperatorRow[] }>(profile, "operators", {
    "group-by": "shape",
  });
  const stacks = useReport<{ operators?: readonly OperatorRow[] }>(profile, "operators", {
    "group-by": "stack",
  });
  const kernels = useReport<{ kernels?: readonly KernelRow[] }>(profile, "kernels", { "group-by": "launch" });
  const own = (rows: readonly OperatorRow[] | undefined): readonly OperatorRow[] =>
    (rows ?? []).filter((r) => r.name === name);
  const shapeRows = useMemo(() => own(shapes.data?.operators), [shapes, name]);
  const places = useMemo(
    () =>
      own(stacks.data?.operators)
        .filter((r) => r.stack !== null)
        .slice(0, 5),
    [stacks, name],
  );
  const kernelRows = useMemo(() => {
    const byName = new Map<string, KernelRow>();
    for (const r of kernels.data?.kernels ?? []) {
      if (r.operator !== name) continue;
      const known = byName.get(r.name);
      const calls = r.calls + (known?.calls ?? 0);
      const total = r.total_ns + (known?.total_ns ?? 0);
      byName.set(r.name, { ...r, calls, total_ns: total, mean_ns: Math.round(total / calls) });
    }
    return [...byName.values()];
  }, [kernels, name]);
  const recorded = shapeRows.some((r) => r.input_shapes !== null);
  return (
    <Detail title={name} onClose={() => set({ open: null })}>
      {row === undefined ? null : <Facts row={row} />}
      <Calls profile={profile} operator={name} />
      {kernelRows.length === 0 ? null : (
        <div class="detail-section detail-flush">
          <h3>Kernels it launched</h3>
          <Described
            of={LAUNCHED}
            id="launched"
            label="Kernels it launched"
            rows={kernelRows}
            sort="-total_ns"
            toolbar={false}
            maxRows={6}
            onOpen={(r) => go(pageParams("kernels", { open: keyOf(r.name) }))}
          />
        </div>
      )}
      <div class="detail-section detail-flush">
        <h3>Input shapes</h3>
        <Load of={shapes} lines={3}>
          {() =>
            recorded ? (
              <Described
                of={SHAPES}
                id="shapes"
                label="Input shapes"
                rows={shapeRows}
                sort="-device_self_ns"
                toolbar={false}
                maxRows={6}
              />
            ) : (
              <p class="muted detail-note">
                Not captured: <code>record_shapes=True</code>
              </p>
            )
          }
        </Load>
      </div>
      <div class="detail-section">
        <h3>Called from</h3>
        <Load of={stacks} lines={3}>
          {() =>
            places.length === 0 ? (
              <p class="muted detail-note">
                No stacks at its calls: <code>with_stack=True</code>
              </p>
            ) : (
              <ul class="places">
                {places.map((place, i) => (
                  <li key={i}>
                    <div class="muted">
                      {count(place.calls)} calls,{" "}
                      {time(place.device_self_ns > 0 ? place.device_self_ns : place.host_self_ns)}
                    </div>
                    <Stack text={place.stack ?? ""} />
                  </li>
                ))}
              </ul>
            )
          }
        </Load>
      </div>
    </Detail>
  );
}
