// SPDX-License-Identifier: Apache-2.0
// Which columns the table of runs has: facts of the run, values of its config, and of a metric the last, the least, the
// largest value or a small curve. Each has a key in the address.

export type ColumnKind = "fact" | "config" | "last" | "min" | "max" | "spark";
export interface RunColumn {
  readonly kind: ColumnKind;
  readonly name: string; // of the fact, the config value, the metric
}

const FACTS: Readonly<Record<string, string>> = {
  progress: "Progress",
  started: "Started",
  duration: "Duration",
  tags: "Tags",
  note: "Note",
  experiment: "Experiment",
  group: "Group",
  kind: "Kind",
  path: "Path",
};
export const factNames: readonly string[] = Object.keys(FACTS);

export const columnKey = ({ kind, name }: RunColumn): string =>
  kind === "fact" ? name : `${kind}:${encodeURIComponent(name)}`;
export function columnOf(key: string): RunColumn | null {
  const found = /^(config|last|min|max|spark):(.+)$/.exec(key);
  try {
    if (found) return { kind: found[1] as ColumnKind, name: decodeURIComponent(found[2] as string) };
  } catch {
    return null;
  }
  return key in FACTS ? { kind: "fact", name: key } : null;
}

export const columnTitle = ({ kind, name }: RunColumn): string =>
  kind === "fact"
    ? (FACTS[name] ?? name)
    : kind === "config" || kind === "last"
      ? name
      : kind === "spark"
        ? `${name}, curve`
        : `${kind === "min" ? "least" : "largest"} ${name}`;

// How the server is told to sort by it: metrics by their last value.
export function sortName({ kind, name }: RunColumn): string | null {
  if (kind === "spark" || (kind === "fact" && name === "progress")) return null;
  if (kind === "fact") return name === "started" ? "start" : name;
  if (kind === "config") return `config.${name}`;
  return `metrics.${name}${kind === "last" ? "" : `.${kind}`}`;
}

const MOST_CONFIG = 6;
const MOST_METRICS = 3;

// What one sees who has chosen nothing: config that differs, the first metrics, the best of the first one.
export function defaultColumns(
  config: readonly { readonly name: string; readonly distinct: number }[],
  metrics: readonly string[],
  running = false, // some of the runs are under way
): readonly RunColumn[] {
  const first = metrics[0];
  const lower = first !== undefined && /loss|err|perplexity|mse|mae/i.test(first);
  return [
    ...(running ? [{ kind: "fact", name: "progress" } as const] : []),
    { kind: "fact", name: "started" },
    { kind: "fact", name: "duration" },
    ...config
      .filter((c) => c.distinct > 1)
      .slice(0, MOST_CONFIG)
      .map(({ name }): RunColumn => ({ kind: "config", name })),
    ...(first === undefined
      ? []
      : ([
          { kind: "spark", name: first },
          { kind: "last", name: first },
          { kind: lower ? "min" : "max", name: first },
        ] as const)),
    ...metrics.slice(1, MOST_METRICS).map((name): RunColumn => ({ kind: "last", name })),
    { kind: "fact", name: "tags" },
    { kind: "fact", name: "note" },
  ];
}

export function chosenColumns(
  param: string | undefined,
  otherwise: readonly RunColumn[],
): readonly RunColumn[] {
  if (param === undefined) return otherwise;
  return param.split(",").flatMap((key) => columnOf(key) ?? []);
}

// Metrics that the columns need, for the server to send.
export const metricsOf = (columns: readonly RunColumn[]): readonly string[] => [
  ...new Set(columns.filter(({ kind }) => kind !== "fact" && kind !== "config").map(({ name }) => name)),
];

// The best of the metrics come first: what is validated, and what is to be made small.
export function byInterest(
  metrics: readonly { readonly name: string; readonly runs: number }[],
): readonly string[] {
  const score = (name: string): number =>
    (/(^|[/_.-])(val|valid|validation|eval|test)([/_.-]|$)/i.test(name) ? 2 : 0) +
    (/loss|acc|f1|auc|reward|return/i.test(name) ? 1 : 0);
  return metrics
    .map(({ name, runs }, i) => ({ name, runs, i, score: score(name) }))
    .sort((a, b) => b.score - a.score || b.runs - a.runs || a.i - b.i)
    .map(({ name }) => name);
}
