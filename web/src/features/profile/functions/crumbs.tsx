// SPDX-License-Identifier: Apache-2.0
// The way from the root to what is shown. Each step leads back there. The address has the ids of the whole way:
// what is far down may not be among the nodes that were sent for the whole tree.
import type { CallTree } from "../../../lib/calltree";
import { shortenMiddle, visible } from "../../../lib/text";
import { plainName, rangeText } from "../../../lib/tree_text";
import { address, changed } from "../../../state/route";
import { Way } from "../../../ui/way";

export const wayOf = (root: string | undefined): readonly string[] =>
  root === undefined || root === "" ? [] : root.split(".").slice(0, 400);
export const wayText = (way: readonly string[]): string | null => (way.length === 0 ? null : way.join("."));

function named(trees: readonly CallTree[], id: string): { name: string; value: string } {
  for (const tree of trees) {
    const node = tree.ids.indexOf(id);
    if (node < 0) continue;
    const name = plainName(tree.functions[tree.fn[node] as number]?.name ?? "");
    return { name: visible(shortenMiddle(name, 40)), value: rangeText(tree, node) };
  }
  return { name: "…", value: "" };
}

interface CrumbsProps {
  readonly trees: readonly CallTree[];
  readonly way: readonly string[];
}

export const Crumbs = ({ trees, way }: CrumbsProps) => (
  <Way
    label="Callers of what is shown"
    whole="everything"
    href={address(changed({ root: null }))}
    steps={way.map((id, i) => ({
      key: id,
      ...named(trees, id),
      href: address(changed({ root: wayText(way.slice(0, i + 1)) })),
    }))}
  />
);
