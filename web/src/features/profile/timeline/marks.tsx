// SPDX-License-Identifier: Apache-2.0
// The marks as a list: their moments, their labels to be edited, how far they are apart.

import { labelled, type Mark, writeMarks } from "../../../lib/timeline_marks";
import { count, time } from "../../../lib/units";
import { set } from "../../../state/route";
import { IconButton } from "../../../ui/icon_button";
import type { TimelineModel } from "./model";

const MOST_LISTED = 12;

export function Marks({ model }: { readonly model: TimelineModel }) {
  const marks = model.marks.value;
  const first = marks[0]?.time ?? 0;
  const last = marks[marks.length - 1]?.time ?? 0;
  return (
    <span class="tl-marks">
      {marks.slice(0, MOST_LISTED).map((mark) => (
        <OneMark key={mark.time} model={model} mark={mark} />
      ))}
      {marks.length > MOST_LISTED ? `and ${count(marks.length - MOST_LISTED)} more` : null}
      {marks.length > 1 ? ` ${time(last - first)} apart` : null}{" "}
      <button type="button" class="plain small" onClick={() => set({ marks: null })}>
        Clear
      </button>
    </span>
  );
}

function OneMark({ model, mark }: { readonly model: TimelineModel; readonly mark: Mark }) {
  const at = time(mark.time - model.scene.zero);
  const write = (label: string): void =>
    set({ marks: writeMarks(labelled(model.marks.value, mark.time, label)) });
  const { start, end } = model.scene.viewport;
  const half = (end - start) / 2;
  return (
    <span class="tl-mark">
      <button
        type="button"
        class="plain small"
        title="Show it"
        onClick={() => model.motion.glide({ start: mark.time - half, end: mark.time + half })}
      >
        {at}
      </button>
      <input
        type="text"
        class="tl-mark-label"
        value={mark.label}
        placeholder="label"
        aria-label={`Label of the mark at ${at}`}
        data-mark={mark.time}
        maxLength={80}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "Escape") {
            event.stopPropagation();
            document.querySelector<HTMLElement>(".tl-canvas")?.focus();
          }
        }}
      />
      <IconButton
        icon="close"
        label={`Remove the mark at ${at}`}
        onClick={() => set({ marks: writeMarks(model.marks.value.filter((other) => other !== mark)) })}
      />
    </span>
  );
}
