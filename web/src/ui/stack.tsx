// SPDX-License-Identifier: Apache-2.0
// A call stack, innermost frame first, each with its place in the source.
import { useState } from "preact/hooks";
import { framesOf } from "../lib/stack";
import { shortenMiddle, visible } from "../lib/text";
import { SourceLink } from "./source_link";

const AT_FIRST = 8;

export function Stack({ text }: { readonly text: string }) {
  const frames = framesOf(text);
  const [all, setAll] = useState(false);
  return (
    <ol class="stack">
      {frames.slice(0, all ? 400 : AT_FIRST).map((frame, i) => (
        <li key={i}>
          <span class="mono">{visible(shortenMiddle(frame.name, 120))}</span>
          {frame.file === "" ? null : <SourceLink file={frame.file} line={frame.line} />}
        </li>
      ))}
      {all || frames.length <= AT_FIRST ? null : (
        <li>
          <button type="button" class="plain" onClick={() => setAll(true)}>
            {frames.length - AT_FIRST} more
          </button>
        </li>
      )}
    </ol>
  );
}
