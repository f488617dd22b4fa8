// SPDX-License-Identifier: Apache-2.0
// A server of made-up runs, for work on the pages of runs without the program: node e2e/run.mjs mock_runs PORT [RUNS]
// [POINTS] answers the routes that they ask for (docs/http-api.md) and hands out dist/. Every value follows from its
// run, tag and step, so that tests can tell what a page must show. It grows by a point a second.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join, normalize } from "node:path";
import { deflateSync } from "node:zlib";
import type { Run } from "../src/api/runs";
import { encodeLines, type GivenLine } from "../src/lib/runs/points_testing";

const DIST = new URL("../dist/", import.meta.url).pathname;
const START = 1_790_000_000; // seconds
const PREFIXES = ["train", "val", "test", "optim", "system"];
// MOCK_TAGS: how many groups of four tags there are beside these.
for (let i = 0; i < Number(process.env.MOCK_TAGS ?? 0); ++i) PREFIXES.push(`layer${i}`);
const TAGS = PREFIXES.flatMap((prefix) =>
  ["loss", "accuracy", "f1", "grad_norm"].map((name) => `${prefix}/${name}`),
);
const CYCLE = {
  model: ["resnet18", "resnet50", "vit_b16"],
  optimizer: ["adamw", "sgd"],
  lr: [0.1, 0.03, 0.01, 0.003],
  seed: [0, 1, 2],
};

function noise(n: number): number {
  let h = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296 - 0.5;
}
export function mockValue(run: number, tag: number, step: number, points: number): number {
  const at = (step + 1) / points;
  const rate = 2 + (run % 5) + (tag % 3);
  const base = TAGS[tag]?.match(/loss|norm/)
    ? 0.1 + (run % 7) * 0.05 + 2.5 * Math.exp(-rate * at)
    : 0.95 - (run % 7) * 0.03 - 0.8 * Math.exp(-rate * at);
  const spike = (step * 7 + run * 13) % 503 === 1 ? 1.5 : 0;
  return base + noise(run * 7919 + tag * 104729 + step) * 0.12 + spike;
}

interface Given {
  readonly runs: number;
  readonly points: number;
}

export function mockRuns({ runs: count, points: first }: Given) {
  let points = first;
  let revision = 1;
  const runs: Run[] = Array.from({ length: count }, (_, i) => ({
    id: `r${String(i).padStart(4, "0")}`,
    name: `exp${i % 4}/run_${i}`,
    path: `/logs/exp${i % 4}/run_${i}`,
    kind: i % 5 === 0 ? "lightning" : "tensorboard",
    experiment: `exp${i % 4}`,
    group: null,
    status:
      ([null, "Running", "Completed", "Failed", "Canceled", "Lost", "Completed"] as const)[i % 7] ?? null,
    start_ns: String((START + i * 3600) * 1e9),
    end_ns: null,
    duration_ns: String((500 + ((i * 977) % 90_000)) * 1e9),
    config: {
      lr: CYCLE.lr[i % 4] as number,
      model: CYCLE.model[i % 3] as string,
      optimizer: CYCLE.optimizer[i % 2] as string,
      seed: CYCLE.seed[i % 3] as number,
      "data.path": "/data/imagenet",
      epochs: 90,
    },
    metrics: {},
    tags: i % 6 === 0 ? ["baseline"] : i % 9 === 0 ? ["keep", "paper"] : [],
    note: i % 8 === 0 ? "lower learning rate after the warm-up <b>not markup</b>" : null,
    profiles: i % 10 === 0 ? [{ id: "p1", name: `run_${i}/trace.json` }] : [],
    color: "",
    order: i,
    pinned: false,
    hidden: false,
    deleted: false,
  }));
  const indexOf = new Map(runs.map((run, i) => [run.id, i]));
  const listeners = new Set<ServerResponse>();

  const metricOf = (run: number, tag: number) => {
    let [min, max, minStep, maxStep] = [Infinity, -Infinity, 0, 0];
    const every = Math.max(1, Math.floor(points / 200));
    for (let s = 0; s < points; s += every) {
      const v = mockValue(run, tag, s, points);
      if (v < min) [min, minStep] = [v, s];
      if (v > max) [max, maxStep] = [v, s];
    }
    const spark = Array.from({ length: 24 }, (_, i) =>
      mockValue(run, tag, Math.floor((i * points) / 24), points),
    );
    const last = mockValue(run, tag, points - 1, points);
    return {
      points,
      first_step: 0,
      last_step: points - 1,
      last,
      min,
      min_step: minStep,
      max,
      max_step: maxStep,
      spark,
    };
  };

  const fieldOf = (run: Run, name: string): unknown => {
    if (name === "start") return Number(run.start_ns);
    if (name in run.config) return run.config[name];
    const tag = TAGS.indexOf(name);
    if (tag >= 0) return metricOf(indexOf.get(run.id) as number, tag).last;
    return (run as unknown as Record<string, unknown>)[name];
  };
  class Wrong extends Error {
    constructor(
      message: string,
      readonly offset: number,
    ) {
      super(message);
    }
  }
  const matches = (where: string): ((run: Run) => boolean) => {
    const tests = where.split(/\band\b/).map((part) => {
      const found = /^\s*([\w./]+)\s*(<=|>=|!=|==|=|<|>|~|contains)\s*(.+?)\s*$/.exec(part);
      const offset = where.indexOf(part.trim());
      if (!found) throw new Wrong(`Expected a comparison like lr > 0.1, found "${part.trim()}".`, offset);
      const [, name = "", op = "", text = ""] = found;
      if (
        !["name", "status", "experiment", "kind", "tags", "note"].includes(name) &&
        !(name in (runs[0]?.config ?? {})) &&
        !TAGS.includes(name)
      )
        throw new Wrong(
          `There is no "${name}". Valid: name, status, experiment, kind, tags, note, lr, model, optimizer, seed, or a metric.`,
          offset,
        );
      const wanted = text.replace(/^["']|["']$/g, "");
      return (run: Run): boolean => {
        const value = fieldOf(run, name);
        const [a, b] = [Number(value), Number(wanted)];
        const numbers = !Number.isNaN(a) && !Number.isNaN(b) && value !== null;
        if (op === "<") return numbers && a < b;
        if (op === ">") return numbers && a > b;
        if (op === "<=") return numbers && a <= b;
        if (op === ">=") return numbers && a >= b;
        if (op === "~" || op === "contains") return String(value).includes(wanted);
        return (op === "!=") !== (numbers ? a === b : String(value) === wanted);
      };
    });
    return (run) => tests.every((test) => test(run));
  };
  const listOf = (query: URLSearchParams): readonly Run[] => {
    const where = query.get("where") ?? "";
    const ids = [...where.matchAll(/id = "([^"]+)"/g)].map(([, id]) => id);
    if (ids.length > 0) return runs.filter((run) => ids.includes(run.id));
    const test = where === "" ? () => true : matches(where);
    const deleted = query.get("deleted");
    const list = runs.filter((run) => (deleted === null ? !run.deleted : run.deleted) && test(run));
    const keys = (query.get("sort") ?? "").split(",").filter(Boolean);
    const value = (run: Run, key: string): unknown => {
      const name = key
        .replace(/^-/, "")
        .replace(/^config\./, "")
        .replace(/^metric[s]?\./, "");
      return fieldOf(run, name.replace(/\.(last|min|max)$/, ""));
    };
    return list.sort((a, b) => {
      if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
      for (const key of keys) {
        const [x, y] = [value(a, key), value(b, key)];
        const by =
          typeof x === "number" && typeof y === "number"
            ? x - y
            : String(x).localeCompare(String(y), "en", { numeric: true });
        if (by !== 0) return key.startsWith("-") ? -by : by;
      }
      return 0;
    });
  };

  const lineOf = (chart: number, at: number, run: number, tag: number, asked: Asked): GivenLine => {
    const { x: kind, from, to, width, smoothing } = asked;
    const xOf = (s: number): number =>
      kind === "relative"
        ? s * 2
        : kind === "wall"
          ? START + run * 3600 + s * 2
          : kind.startsWith("tag:")
            ? mockValue(run, Math.max(0, TAGS.indexOf(kind.slice(4))), s, first)
            : s;
    const [xs, ys, ss, walls, steps]: [number[], number[], number[], number[], number[]] = [
      [],
      [],
      [],
      [],
      [],
    ];
    let [m, n] = [0, 0];
    const raw: [number, number, number][] = [];
    for (let s = 0; s < points; ++s) {
      const y = mockValue(run, tag, s, first);
      m = smoothing * m + (1 - smoothing) * y;
      const smooth = smoothing > 0 ? m / (1 - smoothing ** ++n) : y;
      const x = xOf(s);
      if ((from !== null && x < from) || (to !== null && x > to)) continue;
      raw.push([s, y, smooth]);
    }
    const take = ([s, y, smooth]: readonly [number, number, number]): void => {
      xs.push(xOf(s));
      ys.push(run % 11 === 3 && s === Math.floor(first / 2) ? Number.NaN : y);
      ss.push(smooth);
      walls.push(START + run * 3600 + s * 2);
      steps.push(s);
    };
    const reduced = raw.length > 4 * width;
    if (!reduced) raw.forEach(take);
    else
      for (let b = 0; b < width; ++b) {
        const part = raw.slice(
          Math.floor((b * raw.length) / width),
          Math.floor(((b + 1) * raw.length) / width),
        );
        if (part.length === 0) continue;
        const low = part.reduce((a, p) => (p[1] < a[1] ? p : a));
        const high = part.reduce((a, p) => (p[1] > a[1] ? p : a));
        for (const p of [...new Set([part[0], low, high, part.at(-1)])].sort(
          (a, c) => (a?.[0] ?? 0) - (c?.[0] ?? 0),
        ))
          if (p) take(p);
      }
    if (run % 13 === 5 && xs.length > 20) {
      const middle = xs.length >> 1;
      for (const column of [xs, ys, ss, walls, steps]) column.splice(middle, 0, Number.NaN);
    }
    return {
      chart,
      run: at,
      x: xs,
      y: ys,
      smoothed: ss,
      wall: walls,
      step: steps,
      total: raw.length,
      reduced,
    };
  };
  interface Asked {
    readonly x: string;
    readonly from: number | null;
    readonly to: number | null;
    readonly width: number;
    readonly smoothing: number;
    readonly charts: readonly { readonly tag: string; readonly runs: readonly string[] }[];
    readonly group?: { readonly by: string; readonly band: string };
  }
  const pointsOf = (asked: Asked): ArrayBuffer => {
    const lines: GivenLine[] = [];
    asked.charts.forEach((chart, c) => {
      const tag = TAGS.indexOf(chart.tag);
      if (tag < 0) return;
      const own = chart.runs.flatMap((id, at) => {
        const run = indexOf.get(id);
        return run === undefined ? [] : [lineOf(c, at, run, tag, asked)];
      });
      if (!asked.group || own.length === 0) {
        lines.push(...own);
        return;
      }
      const length = Math.min(...own.map((l) => l.x.length));
      const mean = (of: (l: GivenLine) => readonly number[] | undefined, i: number): number =>
        own.reduce((sum, l) => sum + (of(l)?.[i] ?? 0), 0) / own.length;
      const each = <T>(make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
      lines.push({
        chart: c,
        run: 0,
        x: each((i) => own[0]?.x[i] ?? 0),
        y: each((i) => mean((l) => l.y, i)),
        smoothed: each((i) => mean((l) => l.smoothed, i)),
        wall: each((i) => own[0]?.wall?.[i] ?? 0),
        step: each((i) => own[0]?.step?.[i] ?? 0),
        low: each((i) => Math.min(...own.map((l) => l.y[i] ?? 0))),
        high: each((i) => Math.max(...own.map((l) => l.y[i] ?? 0))),
        total: own[0]?.total ?? 0,
        reduced: own[0]?.reduced ?? false,
      });
    });
    return encodeLines(lines);
  };

  const png = (seed: number): Buffer => {
    const [w, h] = [48, 32];
    const raw = Buffer.alloc(h * (1 + 3 * w));
    for (let y = 0; y < h; ++y)
      for (let x = 0; x < w; ++x) {
        const at = y * (1 + 3 * w) + 1 + 3 * x;
        raw[at] = (x * 5 + seed * 20) & 255;
        raw[at + 1] = (y * 8 + seed * 7) & 255;
        raw[at + 2] = ((x ^ y) * 4) & 255;
      }
    const crcTable = Array.from({ length: 256 }, (_, n) => {
      let c = n;
      for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      return c >>> 0;
    });
    const chunk = (type: string, data: Buffer): Buffer => {
      const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
      let crc = 0xffffffff;
      for (const byte of body) crc = (crcTable[(crc ^ byte) & 255] as number) ^ (crc >>> 8);
      const out = Buffer.alloc(body.length + 8);
      out.writeUInt32BE(data.length, 0);
      body.copy(out, 4);
      out.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
      return out;
    };
    const head = Buffer.alloc(13);
    head.writeUInt32BE(w, 0);
    head.writeUInt32BE(h, 4);
    head.set([8, 2, 0, 0, 0], 8);
    return Buffer.concat([
      Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
      chunk("IHDR", head),
      chunk("IDAT", deflateSync(raw)),
      chunk("IEND", Buffer.alloc(0)),
    ]);
  };
  const wav = (seed: number): Buffer => {
    const samples = 8000;
    const out = Buffer.alloc(44 + 2 * samples);
    out.write("RIFF", 0);
    out.writeUInt32LE(36 + 2 * samples, 4);
    out.write("WAVEfmt ", 8);
    out.writeUInt32LE(16, 16);
    out.writeUInt16LE(1, 20);
    out.writeUInt16LE(1, 22);
    out.writeUInt32LE(8000, 24);
    out.writeUInt32LE(16000, 28);
    out.writeUInt16LE(2, 32);
    out.writeUInt16LE(16, 34);
    out.write("data", 36);
    out.writeUInt32LE(2 * samples, 40);
    for (let i = 0; i < samples; ++i)
      out.writeInt16LE(Math.round(8000 * Math.sin(i * (0.1 + seed * 0.02))), 44 + 2 * i);
    return out;
  };

  const steps = <T>(make: (step: number, i: number) => T, n = 12): readonly T[] =>
    Array.from({ length: n }, (_, i) => make(i * 100, i));
  const histogram = (run: number, i: number): readonly (readonly number[])[] =>
    Array.from({ length: 30 }, (_, b) => {
      const left = -3 + b * 0.2;
      const middle = (left + 0.1 - 0.1 * i + 0.1 * (run % 5)) / (0.5 + 0.05 * i);
      return [left, left + 0.2, Math.round(1000 * Math.exp(-middle * middle))];
    });
  const TREE = {
    "": [
      { name: "encoder", op: "", children: 6, inputs: ["input"], shape: "", attrs: {} },
      { name: "decoder", op: "", children: 4, inputs: ["encoder"], shape: "", attrs: {} },
      { name: "input", op: "IO Node", children: 0, inputs: [], shape: "[32, 3, 224, 224]", attrs: {} },
      { name: "output", op: "IO Node", children: 0, inputs: ["decoder"], shape: "[32, 1000]", attrs: {} },
    ],
    encoder: ["conv1", "relu", "pool", "conv2", "norm", "flatten"].map((n, i, all) => ({
      name: `encoder/${n}`,
      op: `aten::${n}`,
      children: 0,
      inputs: i === 0 ? ["input"] : [`encoder/${all[i - 1]}`],
      shape: "[32, 64, 56, 56]",
      attrs: { stride: "[2, 2]" },
    })),
    decoder: ["fc1", "relu", "fc2", "softmax"].map((n, i, all) => ({
      name: `decoder/${n}`,
      op: `aten::${n}`,
      children: 0,
      inputs: i === 0 ? ["encoder/flatten"] : [`decoder/${all[i - 1]}`],
      shape: "[32, 1000]",
      attrs: {},
    })),
  } as const;

  const plugins: Readonly<Record<string, readonly string[]>> = {
    histograms: ["weights/conv1", "weights/fc", "grads/conv1"],
    images: ["samples/input", "samples/output"],
    audio: ["samples/voice"],
    text: ["notes/text_summary", "confusion/table"],
    pr_curves: ["pr/class_0", "pr/class_1"],
    graphs: ["graph"],
    mesh: ["shape/cube_VERTEX", "shape/cube_FACE", "shape/cube_COLOR"],
    custom_scalars: ["custom_scalars__config__"],
  };
  const tagList = [
    ...TAGS.map((tag) => ({
      tag,
      plugin: "scalars",
      runs: count,
      points: points * count,
      display_name: "",
      description: "",
    })),
    ...Object.entries(plugins).flatMap(([plugin, tags]) =>
      tags.map((tag) => ({ tag, plugin, runs: count, points: 12, display_name: "", description: "" })),
    ),
  ];

  const json = (query: URLSearchParams, path: string, body: string): unknown => {
    const run = indexOf.get(query.get("run") ?? "") ?? 0;
    if (path === "profiles")
      return { profiles: [], revision: 1, version: "0.2.0", title: "mock", searching: false };
    if (path === "runs") {
      const list = listOf(query);
      const metrics = (query.get("metrics") ?? "").split(",").filter(Boolean);
      const offset = Number(query.get("offset") ?? 0);
      const page = list.slice(offset, offset + Number(query.get("limit") ?? 100)).map((r) => ({
        ...r,
        metrics: Object.fromEntries(
          metrics
            .filter((m) => TAGS.includes(m))
            .map((m) => [m, metricOf(indexOf.get(r.id) as number, TAGS.indexOf(m))]),
        ),
      }));
      return {
        revision,
        total: list.length,
        all: runs.filter((r) => !r.deleted).length,
        offset,
        running: runs.filter((r) => r.status === "Running").length,
        runs: page,
      };
    }
    if (/^runs\/[^/]+\/story$/.test(path))
      return {
        sentence: "Ran 10 min, 300 steps.",
        from_ns: null,
        to_ns: null,
        lanes: [],
        events: [],
        log: null,
        logs: 0,
        progress: null,
        exit_code: null,
        signal: null,
        command: [],
        error: null,
        ranks: [],
      };
    if (path === "runs/columns")
      return {
        config: [
          ...Object.entries(CYCLE).map(([name, values]) => ({
            name,
            distinct: values.length,
            numeric: typeof values[0] === "number",
            examples: values,
          })),
          { name: "data.path", distinct: 1, numeric: false, examples: ["/data/imagenet"] },
          { name: "epochs", distinct: 1, numeric: true, examples: [90] },
        ],
        metrics: TAGS.map((name) => ({ name, runs: count, points: points * count })),
        experiments: ["exp0", "exp1", "exp2", "exp3"],
        groups: [],
        tags: ["baseline", "keep", "paper"],
        statuses: ["Running", "Completed", "Failed", "Canceled", "Lost"],
      };
    if (path === "runs/edit") {
      const { ids, set } = JSON.parse(body) as {
        ids: string[];
        set: Record<string, unknown> & { add_tags?: string[]; remove_tags?: string[] };
      };
      for (const id of ids) {
        const at = indexOf.get(id);
        if (at === undefined) continue;
        const { add_tags = [], remove_tags = [], ...rest } = set;
        const old = runs[at] as Run;
        const tags = [...new Set([...((rest.tags as string[] | undefined) ?? old.tags), ...add_tags])].filter(
          (t) => !remove_tags.includes(t),
        );
        runs[at] = { ...old, ...(rest as Partial<Run>), tags };
      }
      ++revision;
      tell([], [], ids);
      return { changed: ids.length, revision };
    }
    if (path === "series/tags") return { tags: tagList };
    if (path === "series/histograms")
      return {
        steps: steps((step, i) => ({ step, wall: START + step, buckets: histogram(run, i) })),
        total: 12,
      };
    if (path === "series/distributions")
      return {
        steps: steps((step, i) => ({
          step,
          wall: START + step,
          values: [-3, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 3].map((v) => v * (0.5 + 0.05 * i) + 0.1 * i),
        })),
      };
    if (path === "series/media") {
      const audio = query.get("tag") === "samples/voice";
      return {
        plugin: audio ? "audio" : "images",
        steps: steps((step, index) => ({
          index,
          step,
          wall: START + step,
          samples: [0, 1].map((sample) => ({
            sample,
            width: audio ? 0 : 48,
            height: audio ? 0 : 32,
            content_type: audio ? "audio/wav" : "image/png",
            bytes: 1000,
          })),
        })),
      };
    }
    if (path === "series/texts")
      return query.get("tag") === "confusion/table"
        ? {
            steps: steps(
              (step) => ({
                step,
                wall: START + step,
                shape: [2, 2],
                rows: [
                  ["**cat**", "dog"],
                  [String(step), "<i>x</i>"],
                ],
              }),
              3,
            ),
          }
        : {
            steps: steps(
              (step) => ({
                step,
                wall: START + step,
                shape: [1],
                rows: [
                  [
                    `# Step ${step}\n\nA *list*:\n\n- one\n- \`two\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[link](javascript:alert(1)) <script>alert(1)</script> https://example.org`,
                  ],
                ],
              }),
              3,
            ),
          };
    if (path === "series/pr_curves")
      return {
        steps: steps((step, i) => {
          const t = Array.from({ length: 40 }, (_, k) => k / 39);
          return {
            step,
            wall: START + step,
            thresholds: t.length,
            precision: t.map((v) => 1 - (1 - v) * (0.6 - 0.04 * i)),
            recall: t.map((v) => 1 - v ** (1 + i * 0.3)),
            true_positives: t.map((v) => Math.round(1000 * (1 - v))),
            false_positives: t.map((v) => Math.round(300 * (1 - v))),
            true_negatives: t.map((v) => Math.round(700 + 300 * v)),
            false_negatives: t.map((v) => Math.round(1000 * v)),
          };
        }, 6),
      };
    if (path === "series/hparams") {
      const rows = listOf(query)
        .slice(0, 500)
        .map((r) => ({
          id: r.id,
          name: r.name,
          hparams: Object.fromEntries(Object.keys(CYCLE).map((k) => [k, r.config[k]])),
          metrics: {
            "val/loss": mockValue(indexOf.get(r.id) as number, 4, points - 1, points),
            "val/accuracy": mockValue(indexOf.get(r.id) as number, 5, points - 1, points),
          },
        }));
      return {
        hparams: Object.entries(CYCLE).map(([name, values]) => ({
          name,
          kind: typeof values[0] === "number" ? "number" : "string",
          values,
        })),
        metrics: ["val/loss", "val/accuracy"],
        rows,
        importance: ["val/loss", "val/accuracy"].flatMap((metric) =>
          ["lr", "seed"].map((hparam, i) => ({
            metric,
            hparam,
            correlation: i ? 0.03 : -0.61,
            n: rows.length,
          })),
        ),
      };
    }
    if (path === "series/graph") {
      const scope = (query.get("scope") ?? "") as keyof typeof TREE;
      const nodes = TREE[scope] ?? [];
      const at = (name: string): number => nodes.findIndex((n) => n.name === name);
      const edges = nodes.flatMap((n) => n.inputs.map((from) => [at(from), at(n.name), 1]));
      return { total: nodes.length, nodes, edges: edges.filter(([from]) => (from ?? -1) >= 0) };
    }
    if (path === "series/mesh") {
      const part = query.get("tag")?.split("_").at(-1) ?? "";
      const of: Readonly<Record<string, string>> = {
        VERTEX: "-1-1-1 1-1-1 1 1-1-1 1-1-1-1 1 1-1 1 1 1 1-1 1 1",
        FACE: "0 1 2 0 2 3 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 1 2 6 1 6 5 0 3 7 0 7 4",
        COLOR: "255 0 0 0 255 0 0 0 255 255 255 0 255 0 255 0 255 255 255 255 255 80 80 80",
      };
      const numbers = (of[part]?.match(/-?\d+/g) ?? []).map(Number);
      return {
        steps: steps((step) => ({ step, wall: START + step, shape: [1, numbers.length / 3, 3], numbers }), 2),
      };
    }
    if (path === "series/embeddings")
      return { embeddings: [{ name: "default:00100", metadata: true, sprite: false, sprite_size: [] }] };
    if (path === "series/custom_scalars")
      return {
        category: [
          {
            title: "Losses",
            closed: false,
            chart: [
              { title: "train and val", multiline: { tag: ["train/loss", "val/loss"] } },
              {
                title: "margin",
                margin: { series: [{ value: "train/loss", lower: "val/loss", upper: "test/loss" }] },
              },
            ],
          },
        ],
      };
    const files = /^runs\/([^/]+)\/files$/.exec(path);
    if (files)
      return {
        path: query.get("path") ?? "",
        total: 5,
        files:
          (query.get("path") ?? "") === ""
            ? [
                { name: "checkpoints", kind: "folder", bytes: 0 },
                { name: "events.out.tfevents.1", kind: "file", bytes: 123456 },
                { name: "hparams.yaml", kind: "file", bytes: 22 },
                { name: "metrics.csv", kind: "file", bytes: 60 },
                { name: "plot.png", kind: "file", bytes: 999 },
              ]
            : [{ name: "last.ckpt", kind: "file", bytes: 5_000_000 }],
      };
    const one = /^runs\/([^/]+)$/.exec(path);
    if (one) {
      const at = indexOf.get(one[1] as string);
      if (at === undefined) return null;
      return {
        ...runs[at],
        metrics: Object.fromEntries(TAGS.map((tag, t) => [tag, metricOf(at, t)])),
        files: [{ path: "hparams.yaml", bytes: 22, kind: "text" }],
        event_files: [{ path: "events.out.tfevents.1", bytes: 123456 }],
        diagnostics:
          at % 4 === 1
            ? [
                {
                  kind: "truncated",
                  severity: "loss",
                  count: 1,
                  message: "The file ends in the middle of a record.",
                  file: "events.out.tfevents.1",
                  offset: 4096,
                },
              ]
            : [],
      };
    }
    return null;
  };

  const tell = (changed: readonly unknown[], added: readonly string[], edited: readonly string[]): void => {
    const data = JSON.stringify({
      revision,
      changed: [...changed, ...edited.map((id) => ({ id, tags: [] }))],
      added,
      gone: [],
    });
    for (const to of listeners) to.write(`event: runs\ndata: ${data}\n\n`);
  };
  const grow = (): void => {
    ++points;
    ++revision;
    const running = runs.filter((r) => r.status === "Running").slice(0, 50);
    tell(
      running.map((r) => ({ id: r.id, tags: TAGS.map((tag) => ({ tag, points })) })),
      [],
      [],
    );
  };

  const answer = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const path = url.pathname.replace(/^\/api\/v1\//, "");
    const send = (status: number, type: string, content: string | Buffer): void => {
      response.writeHead(status, {
        "Content-Type": type,
        "Content-Security-Policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; connect-src 'self'",
      });
      response.end(content);
    };
    const sendJson = (status: number, content: unknown): void =>
      send(status, "application/json", JSON.stringify(content));
    if (!url.pathname.startsWith("/api/")) {
      const file = normalize(url.pathname === "/" ? "index.html" : url.pathname.slice(1));
      const types: Readonly<Record<string, string>> = {
        html: "text/html",
        js: "text/javascript",
        css: "text/css",
        svg: "image/svg+xml",
      };
      try {
        send(
          200,
          types[file.split(".").at(-1) ?? ""] ?? "application/octet-stream",
          readFileSync(join(DIST, file)),
        );
      } catch {
        send(404, "text/plain", "no such file");
      }
      return;
    }
    if (path === "changes") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": here\n\n");
      listeners.add(response);
      response.on("close", () => listeners.delete(response));
      return;
    }
    try {
      if (path === "series/points")
        return send(200, "application/octet-stream", Buffer.from(pointsOf(JSON.parse(body) as Asked)));
      if (path === "series/blob") {
        const seed =
          Number(url.searchParams.get("index")) +
          (indexOf.get(url.searchParams.get("run") ?? "") ?? 0) * 3 +
          Number(url.searchParams.get("sample"));
        return url.searchParams.get("tag") === "samples/voice"
          ? send(200, "audio/wav", wav(seed))
          : send(200, "image/png", png(seed));
      }
      if (path === "series/embeddings" && url.searchParams.get("part") === "metadata")
        return send(200, "text/plain", Array.from({ length: 300 }, (_, i) => `class ${i % 3}`).join("\n"));
      if (path === "series/embeddings" && url.searchParams.has("name")) {
        const body = Buffer.alloc(8 + 4 * 300 * 16);
        body.writeUInt32LE(300, 0);
        body.writeUInt32LE(16, 4);
        for (let i = 0; i < 300 * 16; ++i) {
          const [point, d] = [Math.floor(i / 16), i % 16];
          body.writeFloatLE(noise(i) + (point % 3 === d % 3 ? 2 : 0), 8 + 4 * i);
        }
        return send(200, "application/octet-stream", body);
      }
      if (/^runs\/[^/]+\/file$/.test(path)) {
        const name = url.searchParams.get("path") ?? "";
        return name.endsWith(".csv")
          ? send(200, "text/csv", "step,loss\n0,1.5\n1,1.25\n")
          : name.endsWith(".png")
            ? send(200, "image/png", png(1))
            : send(200, "text/plain", "lr: 0.1\nmodel: resnet18\n");
      }
      const content = json(url.searchParams, path, body);
      if (content === null) sendJson(404, { error: { code: "not_found", message: `There is no ${path}.` } });
      else sendJson(200, content);
    } catch (error) {
      if (error instanceof Wrong)
        sendJson(400, { error: { code: "bad_request", message: error.message, offset: error.offset } });
      else sendJson(500, { error: { code: "internal", message: String(error) } });
    }
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => answer(request, response, Buffer.concat(parts).toString()));
  });
  return {
    server,
    grow,
    mockValue: (run: number, tag: string, step: number) => mockValue(run, TAGS.indexOf(tag), step, first),
    TAGS,
  };
}

const [port, runs = "40", points = "1000", growing = ""] = process.argv.slice(3);
if (process.argv[2] === "mock_runs" && port !== undefined) {
  const mock = mockRuns({ runs: Number(runs), points: Number(points) });
  mock.server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
  if (growing !== "") setInterval(mock.grow, 1000);
}
