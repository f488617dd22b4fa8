// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { inUnitOf, trackLabels } from "./timeline_labels";
import type { Track } from "./timeline_layout";

const track = (id: number, name: string, group = 0): Track => ({
  id,
  group,
  kind: "thread",
  name,
  depth: 1,
  spans: 1,
  first_ns: 0,
  last_ns: 1,
});
const labels = (...tracks: readonly Track[]): readonly (string | undefined)[] =>
  tracks.map((t) => trackLabels(tracks).get(t.id));

it("shows of threads what tells them apart", () => {
  expect(
    labels(
      track(1, "python3 17751, thread 17751 (python3)"),
      track(2, "python3 17751, thread 17751 (python3), Python"),
      track(3, "python3 0, thread 0 (python3), Python"),
      track(4, "thread 25772 (pt_autograd_0)"),
      track(5, "Spans, PyTorch Profiler"),
      track(6, "GPU 0 stream 7, annotations"),
    ),
  ).toEqual([
    "thread 17751",
    "thread 17751, Python",
    "thread 0, Python",
    "thread 25772 (pt_autograd_0)",
    "Spans, PyTorch Profiler",
    "GPU 0 stream 7, annotations",
  ]);
});

it("keeps whole names where short ones would be the same, group by group", () => {
  const same = [track(1, "main 1, thread 7"), track(2, "worker 2, thread 7")];
  expect(labels(...same)).toEqual(["main 1, thread 7", "worker 2, thread 7"]);
  expect(labels(track(1, "main 1, thread 7"), track(2, "worker 2, thread 7", 1))).toEqual([
    "thread 7",
    "thread 7",
  ]);
});

it("writes counters with four digits", () => {
  expect(inUnitOf("GB/s", 3166.927)).toBe("3,167 GB/s");
  expect(inUnitOf("GB/s", 1048.576)).toBe("1,049 GB/s");
  expect(inUnitOf("GB/s", 12.34567)).toBe("12.35 GB/s");
  expect(inUnitOf("launches", 123456)).toBe("123,456 launches");
  expect(inUnitOf(null, 0.12345)).toBe("0.123");
  expect(inUnitOf("share", 0.5)).toBe("50.0 %");
});
