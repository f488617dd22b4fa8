// SPDX-License-Identifier: Apache-2.0
// The lines that a function was in, where samples know them, each with its time; native code that they call and
// waiting there included.
import type { FunctionAnswer } from "../../../lib/sandwich";
import { valueIn } from "../../../lib/tree_text";
import { percent } from "../../../lib/units";
import { SourceLink } from "../../../ui/source_link";

const SHOWN = 12;

interface Props {
  readonly lines: NonNullable<FunctionAnswer["lines"]>;
  readonly file: string;
  readonly unit: string;
}

export function FunctionLines({ lines, file, unit }: Props) {
  const total = lines.reduce((sum, { self }) => sum + self, 0);
  if (total <= 0) return null;
  return (
    <ol aria-label="Lines of this function">
      {lines.slice(0, SHOWN).map(({ line, self }) => (
        <li key={line}>
          {line === null ? "line not known" : <SourceLink file={file} line={line} />} {valueIn(unit, self)}{" "}
          <span class="muted">{percent(self / total)}</span>
        </li>
      ))}
    </ol>
  );
}
