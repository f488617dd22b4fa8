// SPDX-License-Identifier: Apache-2.0
// What the capture holds and what it lacks, with the setting of torch.profiler that would have added it.
import { type Captured as CapturedPart, isRead, type ProfileInfo } from "../../../api/types";
import { plural } from "../../../lib/text";
import { bytes, count } from "../../../lib/units";
import type { ReportHead } from "../../../state/report";
import { pageAddress } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { KeyValue } from "../../../ui/key_value";
import { Moment } from "../../../ui/moment";
import { Name } from "../../../ui/name";
import "./captured.css";

export interface CapturedProps {
  readonly profile: ProfileInfo;
  readonly head: ReportHead;
}

interface Part {
  readonly what: string;
  readonly any: readonly CapturedPart[]; // one of these shows it
  readonly flag: string;
}

const PARTS: readonly Part[] = [
  { what: "Operators", any: ["operators"], flag: "ProfilerActivity.CPU in activities" },
  { what: "Device events", any: ["device_events"], flag: "ProfilerActivity.CUDA in activities" },
  { what: "Steps", any: ["steps"], flag: "prof.step() at the end of each iteration" },
  { what: "Input shapes", any: ["shapes"], flag: "record_shapes=True" },
  { what: "Call stacks", any: ["stacks", "python"], flag: "with_stack=True" },
  { what: "Memory events", any: ["memory"], flag: "profile_memory=True" },
];

export function Captured({ profile, head }: CapturedProps) {
  const lost = head.diagnostics.filter((d) => d.severity !== "info");
  return (
    <div class="captured">
      <ul class="captured-list">
        {PARTS.map(({ what, any, flag }) => {
          const has = !isRead(profile) || any.some((part) => profile.captured.includes(part));
          return (
            <li key={what} class={has ? "" : "lacking"}>
              <Icon name={has ? "check" : "close"} />
              <span class="captured-what">{what}</span>
              {has ? null : (
                <span class="muted">
                  not captured: <code>{flag}</code>
                </span>
              )}
            </li>
          );
        })}
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
