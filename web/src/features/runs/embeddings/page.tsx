// SPDX-License-Identifier: Apache-2.0
// Points of many dimensions on a plane: principal components at once, neighbourhoods (t-SNE) in a worker.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getBinary, getJson, getText, messageOf } from "../../../api/client";
import type { Run } from "../../../api/runs";
import { colour } from "../../../charts/theme";
import { nthColour } from "../../../lib/runs/colours";
import { parseCsv } from "../../../lib/runs/csv_rows";
import { pca } from "../../../lib/runs/pca";
import { plural, visible } from "../../../lib/text";
import { percent } from "../../../lib/units";
import { params, set } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { dark } from "../../../state/theme";
import { Icon } from "../../../ui/icon";
import { Empty, Failed, Page, Panel, Skeleton } from "../../../ui/page";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { RunsProps } from "../../page_props";
import { useScopeRuns } from "../shared/scope_runs";
import "../shared/runs.css";
import "./embeddings.css";
import TsneWorker from "./runs_tsne_worker?worker";

interface Tensor {
  readonly name: string;
  readonly metadata: boolean; // labels of its points are there
}
interface Tensors {
  readonly embeddings: readonly Tensor[];
}
interface Cloud {
  readonly data: Float32Array;
  readonly points: number;
  readonly dimensions: number;
  readonly columns: readonly string[]; // of the labels
  readonly labels: readonly (readonly string[])[]; // of each point
}

// u32 points, u32 dimensions, then the numbers, point by point.
function cloudOf(buffer: ArrayBuffer, text: string): Cloud {
  const head = new DataView(buffer);
  const [points, dimensions] = [head.getUint32(0, true), head.getUint32(4, true)];
  // Labels of one column have no head, those of several have one, as in TensorBoard.
  const { head: first, rows } = parseCsv(text, "	");
  const alone = first.length === 1;
  return {
    data: new Float32Array(buffer, 8, points * dimensions),
    points,
    dimensions,
    columns: alone ? ["label"] : first,
    labels: text === "" ? [] : alone ? [first, ...rows] : rows,
  };
}

const MOST_TSNE = 3000; // points: it compares each with each
const HEIGHT = 560;
const MOST_LOOKED_AT = 100; // runs
const KINDS = [
  { key: "pca", title: "Principal components" },
  { key: "tsne", title: "t-SNE" },
] as const;

export default function EmbeddingsPage(props: RunsProps) {
  const runs = useScopeRuns(props);
  const list = runs.state === "ready" ? runs.data.shown : [];
  const [having, setHaving] = useState<string | null>(null);
  const run = list.find((one) => one.id === (params.value.of ?? having)) ?? list[0];
  const ids = list
    .slice(0, MOST_LOOKED_AT)
    .map(({ id }) => id)
    .join();
  // Nobody lists which runs have some: the first that has is shown.
  useEffect(() => {
    if (params.value.of !== undefined || ids === "") return;
    const abort = new AbortController();
    const look = async (): Promise<void> => {
      for (const id of ids.split(",")) {
        const { embeddings } = await getJson<Tensors>("series/embeddings", { run: id }, abort.signal);
        if (embeddings.length === 0) continue;
        setHaving(id);
        return;
      }
    };
    look().catch(() => {
      // The page asks for the run shown by itself, and says why it fails.
    });
    return () => abort.abort();
  }, [ids]);
  const tensors = useRunsJson<Tensors>(
    run === undefined ? null : "series/embeddings",
    { run: run?.id },
    { live: false },
  );
  if (runs.state === "failed" || tensors.state === "failed")
    return (
      <Page title="Embeddings">
        <Failed
          message={runs.state === "failed" ? runs.message : tensors.state === "failed" ? tensors.message : ""}
        />
      </Page>
    );
  if (runs.state === "loading" || (run !== undefined && tensors.state === "loading"))
    return (
      <Page title="Embeddings" sentence={null}>
        <Skeleton lines={8} />
      </Page>
    );
  const found = tensors.state === "ready" ? tensors.data.embeddings : [];
  const tensor = found.find(({ name }) => name === params.value.tensor) ?? found[0];
  const choice = (
    <div class="tag-bar">
      {list.length < 2 ? null : (
        <label>
          Run{" "}
          <select value={run?.id} onChange={(event) => set({ of: event.currentTarget.value, tensor: null })}>
            {list.map((one) => (
              <option key={one.id} value={one.id}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
      )}
      {found.length < 2 ? null : (
        <label>
          Tensor{" "}
          <select value={tensor?.name} onChange={(event) => set({ tensor: event.currentTarget.value })}>
            {found.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <Tabs param="by" tabs={KINDS} label="How points are placed" />
    </div>
  );
  if (run === undefined || tensor === undefined)
    return (
      <Page
        title="Embeddings"
        sentence={run === undefined ? "There are no runs." : `${visible(run.title)} has no embeddings.`}
      >
        {choice}
        <Empty what="add_embedding of SummaryWriter writes what is shown here: projector_config.pbtxt and the tensors beside it." />
      </Page>
    );
  return <CloudPage key={`${run.id} ${tensor.name}`} run={run} tensor={tensor} choice={choice} />;
}

interface CloudProps {
  readonly run: Run;
  readonly tensor: Tensor;
  readonly choice: ComponentChildren;
}

function CloudPage({ run, tensor, choice }: CloudProps) {
  const [cloud, setCloud] = useState<Cloud | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [tsne, setTsne] = useState<{ round: number; of: number; positions: Float32Array } | null>(null);
  const by = chosenTab("by", KINDS);
  useEffect(() => {
    const abort = new AbortController();
    const query = { run: run.id, name: tensor.name };
    const labels = tensor.metadata
      ? getText("series/embeddings", { ...query, part: "metadata" }, abort.signal)
      : Promise.resolve("");
    Promise.all([getBinary("series/embeddings", query, abort.signal), labels]).then(
      ([buffer, text]) => setCloud(cloudOf(buffer, text)),
      (error: unknown) => {
        if (!abort.signal.aborted) setProblem(messageOf(error));
      },
    );
    return () => abort.abort();
  }, [run.id, tensor.name]);
  const components = useMemo(() => (cloud === null ? null : pca(cloud.data, cloud.dimensions, 2)), [cloud]);
  useEffect(() => {
    if (by !== "tsne" || cloud === null) return;
    const worker = new TsneWorker();
    worker.onmessage = (event: MessageEvent<{ round: number; of: number; positions: Float32Array }>) =>
      setTsne(event.data);
    worker.onerror = () => setProblem("The worker that places the points stopped.");
    const { data, dimensions } = cloud;
    worker.postMessage({ data: data.slice(0, MOST_TSNE * dimensions), dimensions, perplexity: 30 });
    return () => worker.terminate();
  }, [by, cloud]);
  const column = Number(params.value.label ?? 0);
  const labels = useMemo(() => (cloud?.labels ?? []).map((row) => row[column] ?? ""), [cloud, column]);
  const positions = by === "tsne" ? (tsne?.positions ?? null) : (components?.positions ?? null);
  const count = positions === null ? 0 : positions.length / 2;
  const held = (components?.explained[0] ?? 0) + (components?.explained[1] ?? 0);
  const sentence =
    cloud === null
      ? null
      : `${cloud.points.toLocaleString("en-US")} ${plural(cloud.points, "point")} of ${cloud.dimensions} dimensions${
          by === "pca" ? `; the two axes shown hold ${percent(held)} of what differs` : ""
        }.`;
  return (
    <Page
      title="Embeddings"
      sentence={problem === null ? sentence : undefined}
      {...(by === "tsne" && (cloud?.points ?? 0) > MOST_TSNE
        ? { aside: `t-SNE places the first ${MOST_TSNE.toLocaleString("en-US")}.` }
        : {})}
    >
      {choice}
      {problem !== null ? <Failed message={problem} /> : null}
      <Panel
        title={visible(tensor.name) || "Embedding"}
        note={
          by === "tsne" && tsne !== null
            ? tsne.round < tsne.of
              ? `round ${tsne.round} of ${tsne.of}`
              : "distances between far groups say little"
            : undefined
        }
        actions={
          (cloud?.columns.length ?? 0) < 2 ? null : (
            <label class="muted">
              Colour{" "}
              <select
                value={String(column)}
                onChange={(event) =>
                  set({ label: event.currentTarget.value === "0" ? null : event.currentTarget.value })
                }
              >
                {cloud?.columns.map((name, i) => (
                  <option key={name} value={String(i)}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )
        }
      >
        {positions === null && problem === null ? <Skeleton height={`${HEIGHT}px`} /> : null}
        {positions === null ? null : (
          <Scatter positions={positions} labels={labels.slice(0, count)} what={sentence ?? ""} />
        )}
      </Panel>
    </Page>
  );
}

function Scatter({
  positions,
  labels,
  what,
}: {
  readonly positions: Float32Array;
  readonly labels: readonly string[];
  readonly what: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [text, setText] = useState("");
  const [hover, setHover] = useState<{ point: number; x: number; y: number } | null>(null);
  const shade = dark.value;
  const isDark = dark.value;
  const kinds = useMemo(() => [...new Set(labels)], [labels]);
  const count = positions.length / 2;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const place = useMemo(() => {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < count; ++i) {
      const [x, y] = [positions[2 * i] as number, positions[2 * i + 1] as number];
      if (!Number.isFinite(x + y)) continue;
      [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
    }
    const scale = Math.min((width - 40) / (x1 - x0 || 1), (HEIGHT - 40) / (y1 - y0 || 1));
    return (i: number): readonly [number, number] => [
      width / 2 + ((positions[2 * i] as number) - (x0 + x1) / 2) * scale,
      HEIGHT / 2 - ((positions[2 * i + 1] as number) - (y0 + y1) / 2) * scale,
    ];
  }, [positions, width]);
  useEffect(() => {
    const element = canvas.current;
    const c = element?.getContext("2d");
    if (!element || !c || width === 0) return;
    const ratio = devicePixelRatio || 1;
    element.width = width * ratio;
    element.height = HEIGHT * ratio;
    c.scale(ratio, ratio);
    const words = text.toLowerCase();
    const size = count > 5000 ? 2 : count > 1000 ? 3 : 4;
    const few = kinds.length > 1 && kinds.length <= 50;
    const order = kinds.length > 0 ? kinds : [""];
    for (const [k, kind] of order.entries()) {
      c.fillStyle = few ? nthColour(k, isDark) : colour("--c-kernel");
      for (let i = 0; i < count; ++i) {
        if (few && labels[i] !== kind) continue;
        c.globalAlpha = words === "" || (labels[i] ?? "").toLowerCase().includes(words) ? 0.85 : 0.1;
        const [x, y] = place(i);
        c.fillRect(x - size / 2, y - size / 2, size, size);
      }
      if (!few) break;
    }
    c.globalAlpha = 1;
  }, [place, text, kinds, isDark, shade, width]);
  const near = (event: PointerEvent): void => {
    const area = box.current?.getBoundingClientRect();
    if (!area) return;
    const [mx, my] = [event.clientX - area.left, event.clientY - area.top];
    let [best, distance] = [-1, 14 ** 2];
    for (let i = 0; i < count; ++i) {
      const [x, y] = place(i);
      const d = (x - mx) ** 2 + (y - my) ** 2;
      if (d < distance) [best, distance] = [i, d];
    }
    setHover(best < 0 ? null : { point: best, x: mx, y: my });
  };
  return (
    <>
      {labels.length === 0 ? null : (
        <label class="t-filter">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search labels"
            aria-label="Search labels"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      )}
      <div
        class="embedding"
        ref={box}
        style={{ height: `${HEIGHT}px` }}
        onPointerMove={near}
        onPointerLeave={() => setHover(null)}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={what}
          style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        />
        {hover === null ? null : (
          <div
            class="picture-tip"
            style={{ left: `${Math.min(hover.x + 12, width - 200)}px`, top: `${hover.y + 12}px` }}
          >
            <div class="picture-tip-title">point {hover.point.toLocaleString("en-US")}</div>
            {labels[hover.point] === undefined ? null : <div>{visible(labels[hover.point] ?? "")}</div>}
          </div>
        )}
      </div>
      {kinds.length > 1 && kinds.length <= 50 ? (
        <ul class="legend">
          {kinds.map((kind, k) => (
            <li key={kind}>
              <i style={{ background: nthColour(k, isDark) }} />
              {visible(kind).slice(0, 60)}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
