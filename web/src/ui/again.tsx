// SPDX-License-Identifier: Apache-2.0
// What an empty part of a page says beside what is missing: how to capture it, and whether it may have been captured
// but lies in the part of a file that is not there.
import { profile } from "../state/profiles";
import { useReport } from "../state/report";
import { pageAddress } from "../state/route";

// Said of every page, so that this asks for nothing new.
export function CutOff() {
  const report = useReport(profile.value, "diagnostics", {}, false);
  const cut = report.data?.diagnostics.some((d) => d.kind === "truncated");
  return cut ? (
    <p>The file ends in the middle: what is missing here may have been in the part that is not there.</p>
  ) : null;
}

// torch before 1.12 kept call stacks with the operators, and no functions.
export function hasOldStacks(): boolean {
  const captured = profile.value?.captured ?? [];
  return captured.includes("stacks") && !captured.includes("python");
}

// How Python functions come into a trace.
export function StackAdvice() {
  return hasOldStacks() ? (
    <p>
      The version of torch that wrote this kept call stacks with the operators only:{" "}
      <a href={pageAddress("operators", { by: "stack" })}>operators by call stack</a>. torch 1.12 or later
      records Python functions with <code>with_stack=True</code>.
    </p>
  ) : (
    <p>
      Capture again with <code>with_stack=True</code> to see it here.
    </p>
  );
}
