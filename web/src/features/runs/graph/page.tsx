// SPDX-License-Identifier: Apache-2.0
// The graph of a model, a scope at a time: nodes in layers along the data, a click opens a scope or tells about a node.
import { useMemo, useState } from "preact/hooks";
import type { Run } from "../../../api/runs";
import type { Painter } from "../../../charts/painter";
import type { Part } from "../../../charts/parts";
import { Picture } from "../../../charts/picture";
import { colour } from "../../../charts/theme";
import { textOn } from "../../../lib/colour";
import { layered } from "../../../lib/runs/graph_layers";
import { plural, shortenMiddle, visible } from "../../../lib/text";
import { toneOf } from "../../../lib/tones";
import { address, changed, go, params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { dark } from "../../../state/theme";
import { Icon } from "../../../ui/icon";
import { KeyValue } from "../../../ui/key_value";
import { Empty, Load, Panel } from "../../../ui/page";
import { Detail, Split } from "../../../ui/split";
import type { RunsProps } from "../../page_props";
import { TagPage } from "../shared/tag_page";
import "./graph.css";

interface GraphNode {
  readonly name: string;
  readonly children: number; // nodes inside; 0: it is one itself
  readonly op?: string;
  readonly device?: string;
  readonly inputs?: readonly string[];
  readonly shape?: string;
  readonly attrs?: Readonly<Record<string, string>>;
}
interface GraphPart {
  readonly total: number;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly (readonly [from: number, to: number, count: number])[]; // places in nodes
}

const WIDE = 190;
const HIGH = 40;
const ROW = 74;
const MOST_DRAWN = 400;

export default function GraphPage(props: RunsProps) {
  return (
    <TagPage
      of={props}
      title="Graph"
      plugins={["graphs", "meta_graphs", "graph_keras_model"]}
      what={["graph", "graphs"]}
      needs="add_graph of SummaryWriter and Keras's callback write what is shown here."
    >
      {(tags, runsOf) => {
        const runs = runsOf(...tags);
        const run = runs.find((one) => one.id === params.value.of) ?? runs[0];
        const tag = tags.find((one) => run !== undefined && (one.ids?.includes(run.id) ?? true));
        return (
          <>
            {runs.length < 2 ? null : (
              <label class="graph-choice">
                Run{" "}
                <select
                  value={run?.id}
                  onChange={(event) => set({ of: event.currentTarget.value, scope: null, node: null })}
                >
                  {runs.map((one) => (
                    <option key={one.id} value={one.id}>
                      {one.title}
                    </option>
                  ))}
                </select>
              </label>
            )}
            {run && tag ? <GraphView run={run} tag={tag.tag} /> : null}
          </>
        );
      }}
    </TagPage>
  );
}

const leaf = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

function GraphView({ run, tag }: { readonly run: Run; readonly tag: string }) {
  const scope = params.value.scope ?? "";
  const data = useRunsJson<GraphPart>("series/graph", { run: run.id, tag, scope }, { stay: true });
  const parts = scope === "" ? [] : scope.split("/");
  return (
    <>
      <nav class="graph-crumbs" aria-label="Scope">
        <a href={address(changed({ scope: null, node: null }))}>whole graph</a>
        {parts.map((part, i) => (
          <span key={i}>
            {" / "}
            <a href={address(changed({ scope: parts.slice(0, i + 1).join("/"), node: null }))}>
              {visible(part)}
            </a>
          </span>
        ))}
      </nav>
      <Load of={data} height="420px">
        {(part) => <Drawn part={part} scope={scope} />}
      </Load>
    </>
  );
}

function Drawn({ part, scope }: { readonly part: GraphPart; readonly scope: string }) {
  const [text, setText] = useState("");
  const shade = dark.value;
  const chosen = part.nodes.find((node) => node.name === params.value.node) ?? null;
  const words = text.toLowerCase();
  const matches = (node: GraphNode): boolean =>
    words !== "" && `${node.name} ${node.op ?? ""}`.toLowerCase().includes(words);
  const found = part.nodes.filter(matches);
  const shown = part.nodes.slice(0, MOST_DRAWN);
  const layout = useMemo(
    () =>
      layered(
        shown,
        part.edges.map(([from, to]) => [part.nodes[from]?.name ?? "", part.nodes[to]?.name ?? ""] as const),
      ),
    [part],
  );
  const openNode = (node: GraphNode): void =>
    go(node.children > 0 ? changed({ scope: node.name, node: null }) : changed({ node: node.name }));
  const height = layout.layers * ROW + 20;
  const draw = useMemo(
    () =>
      (painter: Painter, width: number): readonly Part[] => {
        const fit = Math.min(WIDE + 16, (width - 20) / Math.max(1, layout.widest));
        const wide = Math.max(26, fit - 14);
        const place = new Map(
          layout.nodes.map(({ node, layer, column }) => [
            node.name,
            [width / 2 + column * fit, 10 + layer * ROW + HIGH / 2] as const,
          ]),
        );
        for (const [from, to, count] of part.edges) {
          const [a, b] = [place.get(part.nodes[from]?.name ?? ""), place.get(part.nodes[to]?.name ?? "")];
          if (!a || !b) continue;
          const middle = (a[1] + b[1]) / 2;
          painter.line(
            [
              [a[0], a[1] + HIGH / 2],
              [a[0], middle],
              [b[0], middle],
              [b[0], b[1] - HIGH / 2],
            ],
            colour("--muted"),
            Math.min(4, 0.8 + Math.log2(1 + count) / 2),
          );
        }
        return layout.nodes.map(({ node }): Part => {
          const [cx, cy] = place.get(node.name) ?? [0, 0];
          const fill = node.children > 0 ? toneOf(node.name) : colour("--raised");
          const lit = matches(node) || node.name === chosen?.name;
          painter.rect(
            cx - wide / 2,
            cy - HIGH / 2,
            wide,
            HIGH,
            fill,
            lit ? colour("--accent") : colour("--border"),
          );
          if (lit)
            painter.rect(cx - wide / 2 - 2, cy - HIGH / 2 - 2, wide + 4, HIGH + 4, "", colour("--accent"));
          const letters = Math.floor(wide / 7);
          const ink = node.children > 0 ? textOn(fill) : colour("--text");
          painter.text(cx, cy - 7, shortenMiddle(visible(leaf(node.name)), letters), {
            fill: ink,
            align: "center",
            bold: node.children > 0,
          });
          painter.text(
            cx,
            cy + 9,
            shortenMiddle(
              node.children > 0
                ? `${node.children} ${plural(node.children, "node")}`
                : [visible(node.op ?? ""), node.shape ?? ""].filter(Boolean).join(" "),
              letters + 4,
            ),
            {
              fill: node.children > 0 ? ink : colour("--muted"),
              align: "center",
              size: 10,
            },
          );
          return {
            area: { kind: "rect", x: cx - wide / 2, y: cy - HIGH / 2, w: wide, h: HIGH },
            lines: [
              node.name,
              ...(node.op ? [node.op] : []),
              ...(node.shape ? [`shape ${node.shape}`] : []),
              node.children > 0 ? `${node.children} nodes inside; a click opens it` : "a click tells more",
            ],
            open: () => openNode(node),
          };
        });
      },
    [layout, part, words, chosen, shade],
  );
  if (part.nodes.length === 0) return <Empty what="There is nothing in this scope." />;
  return (
    <Split
      aside={
        chosen === null ? null : (
          <Detail title={chosen.name} mono onClose={() => set({ node: null })}>
            <div class="detail-section">
              <KeyValue
                facts={[
                  ["Operation", chosen.op || null],
                  ["Shape", chosen.shape || null],
                  ["Device", chosen.device || null],
                  [
                    "Inputs",
                    (chosen.inputs ?? []).length === 0 ? null : (
                      <ul class="graph-inputs">
                        {chosen.inputs?.map((input) => (
                          <li key={input}>{visible(input)}</li>
                        ))}
                      </ul>
                    ),
                  ],
                  ...Object.entries(chosen.attrs ?? {}).map(
                    ([name, value]) =>
                      [name, <code key={name}>{visible(value).slice(0, 2000)}</code>] as const,
                  ),
                ]}
              />
            </div>
          </Detail>
        )
      }
    >
      <Panel
        title={scope === "" ? "Whole graph" : scope}
        note={`${part.total.toLocaleString("en-US")} ${plural(part.total, "node")}${part.total > shown.length ? `, the first ${shown.length} are drawn` : ""}`}
        actions={
          <label class="t-filter">
            <Icon name="search" />
            <input
              type="search"
              placeholder="Search nodes"
              aria-label="Search nodes"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        }
      >
        {words === "" ? null : (
          <p class="muted" role="status">
            {found.length} {plural(found.length, "node")} found{found.length > 0 ? ": " : "."}
            {found.slice(0, 8).map((node) => (
              <button type="button" class="plain small" key={node.name} onClick={() => openNode(node)}>
                {visible(leaf(node.name))}
              </button>
            ))}
          </p>
        )}
        <Picture
          name="graph"
          summary={`Graph of ${scope === "" ? "the model" : scope}: ${part.nodes.length} nodes, ${part.edges.length} edges.`}
          height={height}
          draw={draw}
        />
      </Panel>
    </Split>
  );
}
