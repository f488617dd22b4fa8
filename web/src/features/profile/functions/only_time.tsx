// SPDX-License-Identifier: Apache-2.0
// Says that only some of the time is shown, and leads back to all of it. The sentence on top says from when to when.
import type { FunctionsSection } from "../../../api/report";
import { time } from "../../../lib/units";
import { address, changed } from "../../../state/route";

export function OnlyTime({ between }: { readonly between: FunctionsSection["between"] }) {
  if (between === undefined) return null;
  const { start_ns, end_ns, whole_slots } = between;
  return (
    <p class="functions-chosen" role="note">
      Only {time(end_ns - start_ns)} of the recording
      {whole_slots ? ", in the file's own parts of a second" : ""}.{" "}
      <a href={address(changed({ between: null, root: null }))}>Show all of it</a>
    </p>
  );
}
