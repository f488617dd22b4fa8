// SPDX-License-Identifier: Apache-2.0
// How far a run is that is under way: a bar where the end is known, and words.
import type { RunProgress } from "../../../api/runs";
import { howFar, howFast, howLong, progressText } from "../../../lib/runs/progress_text";

export function Progress({ of }: { readonly of: RunProgress }) {
  const rest = [howFast(of), howLong(of)].filter((part) => part !== null).join(", ");
  return (
    <span class="run-progress" title={progressText(of)}>
      {of.share === null ? null : (
        <span class="run-bar" aria-hidden="true">
          <span style={{ width: `${Math.min(100, of.share * 100)}%` }} />
        </span>
      )}
      <b>{howFar(of)}</b>
      {rest === "" ? null : <span class="muted">{rest}</span>}
    </span>
  );
}
