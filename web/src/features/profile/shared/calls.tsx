// SPDX-License-Identifier: Apache-2.0
// The calls of an operator or a kernel, longest first, each leading to its place in the timeline.
import type { ProfileInfo } from "../../../api/types";
import { shapesText } from "../../../lib/stack";
import { useJson } from "../../../state/resource";
import { go, pageParams, params } from "../../../state/route";
import { field } from "../../../ui/columns";
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

const ALWAYS = ["start_ns", "duration_ns"];
const COLUMNS: readonly Column<Call>[] = [
  field("start_ns", "At", "time", { width: 92, sum: false }),
  field("duration_ns", "Duration", "time", { width: 104, bar: true }),
  field("device_total_ns", "Device", "time", { width: 92 }),
  field("step", "Step", "text", { width: 64 }),
  field("stream", "Stream", "text", { width: 70 }),
  field("operator", "Operator", "text", { value: operatorOf }),
  field("input_shapes", "Shapes", "text", { mono: true, value: (c) => shapesText(c.input_shapes) }),
];

// Those that say something about one of the calls.
const columnsOf = (calls: readonly Call[]): readonly Column<Call>[] =>
  COLUMNS.filter(
    ({ key }) => ALWAYS.includes(key) || calls.some((call) => (call[key as keyof Call] ?? null) !== null),
  );

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
