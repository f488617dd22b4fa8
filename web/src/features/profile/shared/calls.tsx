// SPDX-License-Identifier: Apache-2.0
// The calls of an operator or a kernel, longest first, each leading to its place in the timeline.
import type { ProfileInfo } from "../../../api/types";
import { shapesText } from "../../../lib/stack";
import { useJson } from "../../../state/resource";
import { go, pageParams, params } from "../../../state/route";
import { Load } from "../../../ui/page";
import { Stack } from "../../../ui/stack";
import { type Column, Table } from "../../../ui/table";

export interface Call {
  readonly file: number;
  readonly row: number;
  readonly start_ns: number; // from the profile's origin
  readonly duration_ns: number;
  readonly step?: string | null;
  readonly device_total_ns?: number | null;
  readonly input_shapes?: unknown;
  readonly stack?: string | readonly string[] | null;
  readonly operator?: string | { readonly name: string } | null;
  readonly stream?: number | null;
  readonly kernels?: readonly { readonly name: string; readonly duration_ns?: number }[] | null;
}

interface CallsDocument {
  readonly total?: number;
  readonly calls: readonly Call[];
}

const SHOWN = 500;
const LONGEST_ASKED = 4000; // characters that a request can hold for sure

const operatorOf = (call: Call): string | null =>
  typeof call.operator === "string" ? call.operator : (call.operator?.name ?? null);

function columnsOf(calls: readonly Call[]): readonly Column<Call>[] {
  const has = (test: (call: Call) => unknown): boolean =>
    calls.some((call) => test(call) !== null && test(call) !== undefined);
  const columns: Column<Call>[] = [
    { key: "start_ns", title: "At", quantity: "time", width: 92, sum: false, value: (c) => c.start_ns },
    {
      key: "duration_ns",
      title: "Duration",
      quantity: "time",
      width: 104,
      bar: true,
      value: (c) => c.duration_ns,
    },
  ];
  if (has((c) => c.device_total_ns))
    columns.push({
      key: "device_total_ns",
      title: "Device",
      quantity: "time",
      width: 92,
      value: (c) => c.device_total_ns,
    });
  if (has((c) => c.step))
    columns.push({ key: "step", title: "Step", quantity: "text", width: 64, value: (c) => c.step });
  if (has((c) => c.stream))
    columns.push({
      key: "stream",
      title: "Stream",
      quantity: "text",
      width: 70,
      value: (c) => (c.stream === null || c.stream === undefined ? null : String(c.stream)),
    });
  if (has((c) => c.operator))
    columns.push({ key: "operator", title: "Operator", quantity: "text", value: operatorOf });
  if (has((c) => c.input_shapes))
    columns.push({
      key: "input_shapes",
      title: "Shapes",
      quantity: "text",
      mono: true,
      value: (c) => shapesText(c.input_shapes),
    });
  return columns;
}

function open(call: Call): void {
  const room = Math.max(500, call.duration_ns * 2);
  go(
    pageParams("timeline", {
      start: String(Math.max(0, Math.round(call.start_ns - room))),
      end: String(Math.round(call.start_ns + call.duration_ns + room)),
      event: `${call.file}:${call.row}`,
    }),
  );
}

export interface CallsProps {
  readonly profile: ProfileInfo;
  readonly operator?: string;
  readonly kernel?: string;
}

export function Calls({ profile, operator, kernel }: CallsProps) {
  const tooLong = (operator ?? kernel ?? "").length > LONGEST_ASKED;
  const calls = useJson<CallsDocument>(tooLong ? null : `profiles/${profile.id}/calls`, {
    operator,
    kernel,
    limit: SHOWN,
    rank: params.value.rank,
  });
  if (tooLong) {
    return (
      <p class="detail-section muted">The name is too long to ask for its calls; the timeline shows them.</p>
    );
  }
  return (
    <div class="detail-section detail-flush">
      <h3>Calls, longest first</h3>
      <Load of={calls} lines={5}>
        {(data) => {
          const longest = data.calls[0];
          const stack = Array.isArray(longest?.stack)
            ? longest.stack.join(";")
            : (longest?.stack as string | null | undefined);
          const total = data.total ?? data.calls.length;
          return (
            <>
              <p class="muted detail-note">
                {total > data.calls.length
                  ? `The ${data.calls.length.toLocaleString("en-US")} longest of ${total.toLocaleString("en-US")}. `
                  : ""}
                Enter or a click shows the call in the timeline.
              </p>
              <Table
                id="calls"
                label="Calls"
                columns={columnsOf(data.calls)}
                rows={data.calls}
                toolbar={false}
                maxRows={8}
                what={["call", "calls"]}
                onOpen={open}
              />
              {stack ? (
                <div class="detail-section">
                  <h3>Stack of the longest call</h3>
                  <Stack text={stack} />
                </div>
              ) : null}
            </>
          );
        }}
      </Load>
    </div>
  );
}
