// SPDX-License-Identifier: Apache-2.0
// Name, tags or note of a run, changed where they stand.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../../../api/runs";
import { edit } from "./edits";

export type Field = "name" | "tags" | "note";
const textOf = (run: Run, field: Field): string =>
  field === "tags" ? run.tags.join(", ") : field === "name" ? run.title : (run[field] ?? "");

// In place of the cell; Enter and leaving it keep what was typed, Escape does not.
export function CellEditor({
  run,
  field,
  onDone,
}: {
  readonly run: Run;
  readonly field: Field;
  readonly onDone: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(textOf(run, field));
  const left = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const keep = (): void => {
    if (left.current) return;
    left.current = true;
    onDone();
    const trimmed = text.trim();
    if (trimmed === textOf(run, field) || (field === "name" && trimmed === "")) return;
    const tags = trimmed
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean);
    edit([run], field === "tags" ? { tags } : { [field]: trimmed });
  };
  return (
    <input
      ref={input}
      type="text"
      class="run-edit"
      aria-label={`${field === "name" ? "Name" : field === "tags" ? "Tags, with commas between them" : "Note"} of ${run.title}`}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") keep();
        else if (event.key === "Escape") {
          left.current = true;
          onDone();
        }
      }}
    />
  );
}
