// SPDX-License-Identifier: Apache-2.0
// What the capture holds and what it lacks, with the setting of torch.profiler that would have added it.
import type { KernelRow, OperatorRow } from "../../api/report";
import type { ProfileInfo } from "../../api/types";
import { Icon } from "../../components/icon";
import { KeyValue } from "../../components/key_value";
import { Moment } from "../../components/moment";
import { Name } from "../../components/name";
import { plural } from "../../lib/text";
import { bytes, count } from "../../lib/units";
import { type ReportHead, useReport } from "../../state/report";
import { pageAddress } from "../../state/route";

export interface CapturedProps {
  readonly profile: ProfileInfo;
  readonly head: ReportHead;
  readonly operators: readonly OperatorRow[];
  readonly kernels: readonly KernelRow[];
  readonly marked: boolean; // steps are marked
}

interface Part {
  readonly what: string;
  readonly has: boolean | null; // null: not known yet
  readonly flag: string;
}

export function Captured({ profile, head, operators, kernels, marked }: CapturedProps) {
  // Whether shapes and stacks were recorded shows only where they tell rows apart.
  const shapes = useReport<{ operators?: readonly OperatorRow[] }>(profile, "operators", {
    "group-by": "shape",
    limit: 50,
  });
  const stacks = useReport<{ operators?: readonly OperatorRow[] }>(profile, "operators", {
    "group-by": "stack",
    limit: 50,
  });
  const some = (of: typeof shapes, has: (row: OperatorRow) => boolean): boolean | null =>
    of.state === "ready" ? (of.data.operators ?? []).some(has) : of.state === "failed" ? false : null;
  const python = profile.views.includes("functions") || profile.views.includes("modules");
  const parts: readonly Part[] = [
    { what: "Operators", has: operators.length > 0, flag: "ProfilerActivity.CPU in activities" },
    { what: "Device events", has: kernels.length > 0, flag: "ProfilerActivity.CUDA in activities" },
    { what: "Steps", has: marked, flag: "prof.step() at the end of each iteration" },
    {
      what: "Input shapes",
      has: some(shapes, (row) => row.input_shapes !== null),
      flag: "record_shapes=True",
    },
    {
      what: "Call stacks",
      has: python || some(stacks, (row) => row.stack !== null),
      flag: "with_stack=True",
    },
    {
      what: "Memory events",
      has: operators.some((row) => row.memory_self_bytes !== null),
      flag: "profile_memory=True",
    },
  ];
  const lost = head.diagnostics.filter((d) => d.severity !== "info");
  return (
    <div class="captured">
      <ul class="captured-list">
        {parts.map((part) => (
          <li key={part.what} class={part.has === false ? "lacking" : ""}>
            <Icon name={part.has === false ? "close" : "check"} />
            <span>{part.what}</span>
            {part.has === false ? (
              <span class="muted">
                not captured: <code>{part.flag}</code>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      <KeyValue
        facts={[
          [
            plural(head.files.length, "File", "Files"),
            head.files.slice(0, 8).map((file) => (
              <div key={file.path}>
                <Name text={file.path.split("/").at(-1) ?? file.path} />
              </div>
            )),
          ],
          ["Recorded", <Moment key="recorded" ns={head.files[0]?.start_ns} />],
          ["Events", count(head.files.reduce((sum, file) => sum + file.events, 0))],
          ["Size", sizes(head)],
          [
            "Problems",
            <a key="problems" href={pageAddress("diagnostics")}>
              {lost.length === 0 ? "none: everything in it could be used" : `${lost.length} found`}
            </a>,
          ],
        ]}
      />
    </div>
  );
}

function sizes(head: ReportHead): string {
  const packed = head.files.reduce((sum, file) => sum + file.bytes, 0);
  const plain = head.files.reduce((sum, file) => sum + file.decoded_bytes, 0);
  return plain > packed ? `${bytes(plain)} (${bytes(packed)} compressed)` : bytes(packed);
}
