// SPDX-License-Identifier: Apache-2.0
// Functions: where the time of a Python program went, as icicle, flame, sunburst, sandwich or table. Of a .prof,
// any other function profile, or the Python stack of a trace.
import { useMemo } from "preact/hooks";
import { theme } from "../../charts/theme";
import { Empty, Load, Page, Panel } from "../../components/page";
import { SourceLink } from "../../components/source_link";
import { chosenTab, Tabs } from "../../components/tabs";
import { buildTree, type CallTree, functionKey, highOf } from "../../lib/calltree";
import { shortPlace } from "../../lib/place";
import { plural } from "../../lib/text";
import { count } from "../../lib/units";
import { scope, useReport } from "../../state/report";
import { useJson } from "../../state/resource";
import { changed, go, params, set } from "../../state/route";
import type { PageProps } from "../registry";
import { Controls, choice } from "./controls";
import { Crumbs } from "./crumbs";
import { type FunctionsReport, plainName, ROWS_ASKED, SHAPES, type TreeAnswer } from "./data";
import { FunctionTable } from "./function_table";
import "./functions.css";
import { Legend } from "./legend";
import { paint } from "./look";
import { SandwichView } from "./sandwich_view";
import { sentenceOf } from "./sentence";
import { largestPlace, search, TreeView } from "./tree_view";

type Functions = NonNullable<FunctionsReport["functions"]>;

export default function FunctionsPage({ profile }: PageProps) {
  const report = useReport<FunctionsReport>(profile, "functions", { limit: ROWS_ASKED });
  const { cutoff } = choice();
  const tree = useJson<TreeAnswer>(`profiles/${profile.id}/calltree`, {
    ...scope(),
    min_share: Math.max(0.0001, cutoff),
  });
  const functions = report.state === "ready" ? report.data.functions : null;
  if (report.state === "ready" && (functions === null || functions.rows.length === 0)) return <Nothing />;
  const shape = chosenTab("shape", SHAPES);
  return (
    <Page title="Functions" sentence={functions === null ? null : sentenceOf(functions)}>
      <Panel actions={<Tabs param="shape" tabs={SHAPES} label="How functions are shown" />} title="Call tree">
        {shape === "table" ? (
          <Load of={report} lines={14}>
            {(data) =>
              data.functions && (
                <FunctionTable rows={data.functions.rows} unit={data.functions.unit ?? "ns"} full />
              )
            }
          </Load>
        ) : (
          <Load of={tree} height="440px">
            {(answer) => (
              <Pictures answer={answer} profile={profile} functions={functions} shape={shape as "icicle"} />
            )}
          </Load>
        )}
      </Panel>
      {shape === "table" ? null : (
        <Panel title="Functions" note="as pstats counts them" flush>
          <Load of={report} lines={10}>
            {(data) =>
              data.functions && (
                <FunctionTable rows={data.functions.rows} unit={data.functions.unit ?? "ns"} full={false} />
              )
            }
          </Load>
        </Panel>
      )}
      <WhatToTry functions={functions} />
    </Page>
  );
}

interface PicturesProps extends PageProps {
  readonly answer: TreeAnswer;
  readonly functions: Functions | null;
  readonly shape: "icicle" | "flame" | "sunburst" | "sandwich";
}

function Pictures({ answer, profile, functions, shape }: PicturesProps) {
  const tree = useMemo(() => buildTree(answer), [answer]);
  const shade = theme.value;
  const painted = useMemo(() => paint(tree), [tree, shade]);
  const { query, depth, cutoff } = choice();
  const found = useMemo(() => search(tree, query), [tree, query]);
  const root = params.value.root === undefined ? -1 : tree.ids.indexOf(params.value.root);
  const deepest = useMemo(() => depthOf(tree), [tree]);
  const zoomToFound = (): void => {
    if (found === null) return;
    const node = largestPlace(tree, found);
    if (node >= 0) go(changed({ root: tree.ids[node] ?? null }));
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
        <ChosenFunction tree={tree} profile={profile} functions={functions} />
      ) : (
        <>
          <Crumbs tree={tree} root={root} />
          <TreeView
            tree={tree}
            painted={painted}
            root={root}
            depth={depth}
            cutoff={cutoff}
            found={found}
            shape={shape}
          />
        </>
      )}
      <Legend tree={tree} painted={painted} />
    </>
  );
}

// The sandwich's function: asked for, else found by the search, else the one with the most time of its own.
function ChosenFunction({
  tree,
  profile,
  functions,
}: PageProps & { readonly tree: CallTree; readonly functions: Functions | null }) {
  const { fn, q } = params.value;
  const rows = functions?.rows ?? [];
  const places = rows.map((r) => ({ file: r.file ?? "", line: r.line, name: r.name }));
  const text = (q ?? "").toLowerCase();
  const chosen =
    (fn === undefined ? undefined : places.find((p) => functionKey(p) === fn)) ??
    (text === "" ? undefined : places.find((p) => functionKey(p).toLowerCase().includes(text))) ??
    places[0];
  if (chosen === undefined) return null;
  return (
    <>
      <p class="functions-chosen">
        <label>
          Function{" "}
          <select value={functionKey(chosen)} onChange={(event) => set({ fn: event.currentTarget.value })}>
            {[...new Set([chosen, ...places.slice(0, 60)])].map((p) => (
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
        profile={profile}
        tree={tree}
        chosen={chosen}
        whole={Math.max(functions?.total_ns ?? 0, highOf(tree, -1))}
      />
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
  return `${count(found.size)} ${plural(found.size, "function")} in ${count(places)} ${plural(places, "place")}${places > 0 ? " · Enter zooms to the largest" : ""}`;
}

function WhatToTry({ functions }: { readonly functions: Functions | null }) {
  if (functions === null) return null;
  return (
    <Panel title="What to try">
      <ul class="hints">
        <li>
          Click a box to zoom to it, the top box or a name above the picture to go back. Press / to search.
        </li>
        <li>
          Own code is in full colour, libraries are pale: follow the lowest full-coloured box down to find the
          line of yours that costs the time.
        </li>
        {functions.source === "pairs" ? (
          <li>
            A .prof does not hold whole call paths. <code>py-spy record -f speedscope</code>, viztracer or a
            torch trace with <code>with_stack=True</code> do, and open here without ranges.
          </li>
        ) : null}
      </ul>
    </Panel>
  );
}

function Nothing() {
  return (
    <Page title="Functions" sentence="This capture has no Python functions.">
      <Panel>
        <Empty what="A trace holds Python frames only if they were asked for." flag="with_stack=True">
          <p class="muted">
            Function profiles open here, too: <code>python -m cProfile -o x.prof train.py</code>, py-spy,
            viztracer, pyinstrument, speedscope files.
          </p>
        </Empty>
      </Panel>
    </Page>
  );
}
