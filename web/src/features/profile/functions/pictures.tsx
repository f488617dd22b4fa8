// SPDX-License-Identifier: Apache-2.0
// The pictures of the page of functions with their controls. What is zoomed to is asked for anew: below it, more
// is large enough to be sent.
import { useMemo } from "preact/hooks";
import { paint } from "../../../charts/tree_look";
import { largestPlace, TreeView } from "../../../charts/tree_view";
import { type CallTree, findFunctions, highOf, pathTo, treeOfColumns } from "../../../lib/calltree";
import { plural } from "../../../lib/text";
import { count } from "../../../lib/units";
import { scope } from "../../../state/report";
import { useJson } from "../../../state/resource";
import { changed, go, params } from "../../../state/route";
import { dark } from "../../../state/theme";
import { Load, Skeleton } from "../../../ui/page";
import type { PageProps } from "../../page_props";
import { ChosenFunction } from "./chosen_function";
import { Controls, choice, Deeper } from "./controls";
import { Crumbs, wayOf, wayText } from "./crumbs";
import { type FunctionsReport, NODES_ASKED, type TreeAnswer } from "./data";
import { Legend } from "./legend";
import { threadQuery } from "./threads";

export type Shape = "icicle" | "flame" | "sunburst" | "sandwich";
export type Functions = NonNullable<FunctionsReport["functions"]>;

interface Props extends PageProps {
  readonly functions: Functions | null;
  readonly shape: Shape;
}

export function Pictures({ profile, functions, shape }: Props) {
  const { cutoff } = choice();
  const query = { ...scope(), ...threadQuery(), min_share: Math.max(0.0001, cutoff), nodes: NODES_ASKED };
  const way = wayOf(params.value.root);
  const at = way.at(-1);
  const path = `profiles/${profile.id}/calltree`;
  const whole = useJson<TreeAnswer>(path, query);
  const part = useJson<TreeAnswer>(at === undefined || shape === "sandwich" ? null : path, {
    ...query,
    root: at,
  });
  return (
    <Load of={whole} height="440px">
      {(answer) => (
        <Drawn
          profile={profile}
          functions={functions}
          shape={shape}
          answer={answer}
          part={at === undefined ? null : part.data}
          way={way}
        />
      )}
    </Load>
  );
}

interface DrawnProps extends Props {
  readonly answer: TreeAnswer;
  readonly part: TreeAnswer | null;
  readonly way: readonly string[];
}

function Drawn({ profile, functions, shape, answer, part, way }: DrawnProps) {
  const all = useMemo(() => treeOfColumns(answer, answer.nodes), [answer]);
  const below = useMemo(() => (part === null ? null : treeOfColumns(part, part.nodes)), [part]);
  const tree = below ?? all;
  const at = way.at(-1);
  const root = at === undefined ? -1 : tree.ids.indexOf(at);
  const shade = dark.value;
  const painted = useMemo(() => paint(tree.functions), [tree, shade]);
  const { query, depth, cutoff } = choice();
  const found = useMemo(() => findFunctions(tree.functions, query), [tree, query]);
  const deepest = useMemo(() => depthOf(tree), [tree]);
  const zoom = (node: number): void => {
    const ids = (of: number): string[] => pathTo(tree, of).map((i) => tree.ids[i] as string);
    // A tree that begins further down continues the way in the address.
    const before = below === null ? [] : way.slice(0, -1);
    // A click on the root itself goes back up to its caller.
    const next = node === root ? way.slice(0, -1) : [...before, ...ids(node)];
    go(changed({ root: wayText(next) }));
  };
  const zoomToFound = (): void => {
    const node = found === null ? -1 : largestPlace(tree, found);
    if (node >= 0) zoom(node);
  };
  return (
    <>
      <Controls
        deepest={deepest}
        found={foundText(tree, found)}
        onEnter={zoomToFound}
        pictures={shape !== "sandwich"}
      />
      {shape === "sandwich" ? (
        <ChosenFunction tree={all} profile={profile} functions={functions} />
      ) : (
        <>
          <Crumbs trees={below === null ? [all] : [below, all]} way={way} />
          {at !== undefined && root < 0 ? (
            <Skeleton height="300px" />
          ) : (
            <TreeView
              tree={tree}
              painted={painted}
              root={root}
              depth={depth}
              cutoff={cutoff}
              found={found}
              shape={shape}
              whole={Math.max(all.total, highOf(all, -1))}
              onZoom={zoom}
              deeper={<Deeper than={depth} />}
            />
          )}
        </>
      )}
      <Legend tree={tree} painted={painted} />
    </>
  );
}

function depthOf(tree: CallTree): number {
  const level = new Int32Array(tree.parent.length);
  let deepest = 0;
  for (let i = 0; i < level.length; i++) {
    const p = tree.parent[i] as number;
    level[i] = p < 0 ? 0 : (level[p] as number) + 1;
    deepest = Math.max(deepest, level[i] as number);
  }
  return deepest;
}

function foundText(tree: CallTree, found: ReadonlySet<number> | null): string {
  if (found === null) return "";
  let places = 0;
  for (const fn of tree.fn) if (found.has(fn)) places++;
  const hint = places > 0 ? " · Enter zooms to the largest" : "";
  return `${count(found.size)} ${plural(found.size, "function")} in ${count(places)} ${plural(places, "place")}${hint}`;
}
