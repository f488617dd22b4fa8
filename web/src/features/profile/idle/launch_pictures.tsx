// SPDX-License-Identifier: Apache-2.0
// How long launched work waits, as a histogram, and how many launches wait on each stream over time.
import { useEffect, useMemo, useState } from "preact/hooks";
import { getBinary } from "../../../api/client";
import { Histogram } from "../../../charts/histogram";
import { LineChart } from "../../../charts/line_chart";
import { scopeSql, useQuery } from "../../../charts/use_query";
import { joined, readCounter } from "../../../lib/counter";
import { binSql, binsOf, decadeEdges } from "../../../lib/histogram";
import { count, percent } from "../../../lib/units";
import { versionOf } from "../../../state/profiles";
import { useJson } from "../../../state/resource";
import { params } from "../../../state/route";
import { Failed, Load, Skeleton } from "../../../ui/page";
import type { PageProps } from "../../page_props";

const EDGES = decadeEdges(1000, 10_000_000_000);

export function DelayHistogram({ profile }: PageProps) {
  const { steps, rank, inside } = params.value;
  const sql =
    `SELECT ${binSql(EDGES, "d")} AS bin, count(*) AS n FROM (SELECT max(0, min(launch_delay_ns)) AS d FROM kernels ` +
    `WHERE launch_id IS NOT NULL${scopeSql(steps, rank)} GROUP BY launch_id) GROUP BY bin`;
  const answer = useQuery(profile, sql);
  const bins = useMemo(() => {
    if (answer.state !== "ready") return [];
    return binsOf(EDGES, new Map(answer.data.rows.map((row) => [Number(row[0]), Number(row[1])])));
  }, [answer.data]);
  const all = bins.reduce((sum, b) => sum + b.count, 0);
  const long = bins.filter((b) => b.from >= 1e6).reduce((sum, b) => sum + b.count, 0);
  return (
    <Load of={answer} height="190px">
      {() =>
        bins.length === 0 ? (
          <p class="muted">No launch is in the trace.</p>
        ) : (
          <>
            <Histogram
              name="launch_delays"
              bins={bins}
              what="launches"
              color="--c-runtime"
              summary={`Delay from launch to start of ${count(all)} launches; ${percent(long / all)} wait a millisecond or longer.`}
            />
            {inside ? <p class="muted">Not restricted by “inside”.</p> : null}
          </>
        )
      }
    </Load>
  );
}

interface Track {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
}
interface Layout {
  readonly duration_ns: number;
  readonly tracks: readonly Track[];
}

const COLORS = [
  "--c-kernel",
  "--c-communication",
  "--c-memcpy",
  "--c-runtime",
  "--c-operator",
  "--c-dataloader",
];
const SHOWN = COLORS.length;
const PIXELS = 1200;

export function QueueCurve({ profile }: PageProps) {
  const layout = useJson<Layout>(`profiles/${profile.id}/timeline`);
  return (
    <Load of={layout} height="220px">
      {(data) => {
        const tracks = data.tracks.filter((t) => t.kind === "counter" && /queue length/i.test(t.name));
        if (tracks.length === 0) return <p class="muted">No launch waits on a stream in this trace.</p>;
        return (
          <Curves
            profile={profile}
            tracks={tracks.slice(0, SHOWN)}
            duration={data.duration_ns}
            all={tracks.length}
          />
        );
      }}
    </Load>
  );
}

function Curves({
  profile,
  tracks,
  duration,
  all,
}: PageProps & { readonly tracks: readonly Track[]; readonly duration: number; readonly all: number }) {
  const [answer, setAnswer] = useState<{ x: number[]; values: (number | null)[][] } | string | null>(null);
  const key = tracks.map((t) => t.id).join(",");
  useEffect(() => {
    const abort = new AbortController();
    const ask = (track: Track) =>
      getBinary(
        `profiles/${profile.id}/timeline/counter`,
        { track: track.id, start: 0, end: duration, width: PIXELS },
        abort.signal,
      );
    Promise.all(tracks.map(ask)).then(
      (buffers) => setAnswer(joined(buffers.map(readCounter), duration / PIXELS)),
      (error: unknown) => {
        if (!abort.signal.aborted) setAnswer(error instanceof Error ? error.message : String(error));
      },
    );
    return () => abort.abort();
  }, [profile.id, versionOf(profile.id), key, duration]);
  const data = useMemo(() => {
    if (answer === null || typeof answer === "string") return null;
    return {
      x: answer.x,
      quantity: "count" as const,
      series: tracks.map((track, i) => ({
        title: track.name,
        color: COLORS[i] ?? "--c-other",
        values: answer.values[i] ?? [],
      })),
    };
  }, [answer, key]);
  if (typeof answer === "string") return <Failed message={answer} />;
  if (data === null) return <Skeleton height="220px" />;
  return (
    <>
      <LineChart
        name="queues"
        data={data}
        height={220}
        summary={`Launches that wait on ${tracks.length} streams over time, the most in each pixel.`}
      />
      {all > SHOWN ? (
        <p class="muted">
          {SHOWN} of {all} streams are drawn.
        </p>
      ) : null}
    </>
  );
}
