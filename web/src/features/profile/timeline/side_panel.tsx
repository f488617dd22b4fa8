// SPDX-License-Identifier: Apache-2.0
// What is chosen: an event, a range, or both below one another.
import { EventPanel } from "./event_panel";
import type { TimelineModel } from "./model";
import { RangePanel } from "./range_panel";

export function SidePanel({ model }: { readonly model: TimelineModel }) {
  const chosen = model.choice.chosen.value;
  const range = model.range.value;
  if (!chosen && !range) return null;
  return (
    <aside class="tl-panel" aria-label="What is chosen">
      {chosen ? <EventPanel model={model} chosen={chosen} /> : null}
      {range ? <RangePanel model={model} range={range} /> : null}
    </aside>
  );
}
