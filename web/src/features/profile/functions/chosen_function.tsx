// SPDX-License-Identifier: Apache-2.0
// The sandwich's function: asked for in the address, else found by the search, else the one with the most time of
// its own.

import { type CallTree, type FunctionPlace, functionKey, highOf } from "../../../lib/calltree";
import { shortPlace } from "../../../lib/place";
import { plainName } from "../../../lib/tree_text";
import { params, set } from "../../../state/route";
import { SourceLink } from "../../../ui/source_link";
import type { PageProps } from "../../page_props";
import type { FunctionsReport } from "./data";
import { SandwichView } from "./sandwich_view";

interface Props extends PageProps {
  readonly tree: CallTree;
  readonly functions: FunctionsReport["functions"];
}

const OFFERED = 60;

export function ChosenFunction({ tree, profile, functions }: Props) {
  const { fn, q } = params.value;
  const places: readonly FunctionPlace[] = (functions?.rows ?? []).map((r) => ({
    file: r.file ?? "",
    line: r.line,
    name: r.name,
  }));
  const text = (q ?? "").toLowerCase();
  const find = (test: (key: string) => boolean): FunctionPlace | undefined =>
    places.find((p) => test(functionKey(p))) ?? tree.functions.find((p) => test(functionKey(p)));
  const chosen =
    (fn === undefined ? undefined : find((key) => key === fn)) ??
    (text === "" ? undefined : find((key) => key.toLowerCase().includes(text))) ??
    places[0];
  if (chosen === undefined) return null;
  const key = functionKey(chosen);
  const offered = places.slice(0, OFFERED).filter((p) => functionKey(p) !== key);
  return (
    <>
      <p class="functions-chosen">
        <label>
          Function{" "}
          <select value={key} onChange={(event) => set({ fn: event.currentTarget.value })}>
            {[chosen, ...offered].map((p) => (
              <option key={functionKey(p)} value={functionKey(p)}>
                {`${plainName(p.name).slice(0, 90)}  ${shortPlace(p.file, p.line)}`}
              </option>
            ))}
          </select>
        </label>{" "}
        {chosen.file === "" || chosen.file === "~" ? (
          <span class="muted">built-in</span>
        ) : (
          <SourceLink file={chosen.file} line={chosen.line} />
        )}
      </p>
      <SandwichView
        key={key}
        profile={profile}
        tree={tree}
        chosen={chosen}
        whole={Math.max(tree.total, highOf(tree, -1))}
      />
    </>
  );
}
