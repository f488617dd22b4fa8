// SPDX-License-Identifier: Apache-2.0
// The way from the root to what is shown. Each step leads back there.
import { type CallTree, pathTo } from "../../lib/calltree";
import { shortenMiddle, visible } from "../../lib/text";
import { address, changed } from "../../state/route";
import { plainName, rangeText } from "./data";

export function Crumbs({ tree, root }: { readonly tree: CallTree; readonly root: number }) {
  const path = pathTo(tree, root);
  return (
    <nav class="functions-crumbs" aria-label="Callers of what is shown">
      {root < 0 ? (
        <span aria-current="true">everything</span>
      ) : (
        <a href={address(changed({ root: null }))}>everything</a>
      )}
      {path.map((node, i) => {
        const name = visible(
          shortenMiddle(plainName(tree.functions[tree.fn[node] as number]?.name ?? ""), 40),
        );
        const last = i === path.length - 1;
        return (
          <span key={node}>
            <span class="muted" aria-hidden="true">
              {" › "}
            </span>
            {last ? (
              <span aria-current="true">
                {name} <span class="muted">{rangeText(tree, node)}</span>
              </span>
            ) : (
              <a href={address(changed({ root: tree.ids[node] ?? null }))}>{name}</a>
            )}
          </span>
        );
      })}
    </nav>
  );
}
