// SPDX-License-Identifier: Apache-2.0
// A run by name: its colour, its state, the way to its page.
import type { Run, RunStatus } from "../../../api/runs";
import { runColour } from "../../../lib/runs/colours";
import { ofRun, pageAddress } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Name } from "../../../ui/name";

export const statusText = (status: RunStatus | null): string => status ?? "status not recorded";

export function StatusDot({ status }: { readonly status: RunStatus | null }) {
  const text = statusText(status);
  return <span class={`run-dot run-${status ?? "none"}`} role="img" aria-label={text} title={text} />;
}

export const colourOf = (run: Run): string => runColour(run, dark.value);

export function Swatch({ run }: { readonly run: Run }) {
  return <span class="run-swatch" style={{ background: colourOf(run) }} />;
}

export function RunLink({ run, page = "overview" }: { readonly run: Run; readonly page?: string }) {
  return (
    <a class="run-link" href={pageAddress(page, {}, ofRun(run.id))}>
      <Swatch run={run} />
      <Name text={run.title} />
    </a>
  );
}
