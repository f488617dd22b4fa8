// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { byPrefix, chartKey, chartTags, isAmount, naturally, search, tagsNamed } from "./tags";

it("orders numbers in names as numbers", () => {
  expect(["layer10", "layer2", "Layer2", "layer1"].toSorted(naturally)).toEqual([
    "layer1",
    "Layer2",
    "layer2",
    "layer10",
  ]);
});

it("groups by what stands before the first slash", () => {
  const groups = byPrefix(["train/loss", "val/loss", "train/acc/top1", "lr", "/odd"], (t) => t);
  expect(groups).toEqual([
    { name: "train", members: ["train/loss", "train/acc/top1"] },
    { name: "val", members: ["val/loss"] },
    { name: "Without a prefix", members: ["lr", "/odd"] },
  ]);
  expect(byPrefix(["a/b", "lr"], (t) => t).map(({ name }) => name)).toEqual(["a", "lr"]);
});

it("searches by expression, and by text while it is none", () => {
  expect(["loss", "a.loss"].filter(search("^LOSS").matches)).toEqual(["loss"]);
  const open = search("loss(");
  expect(open.error).not.toBeNull();
  expect(["loss(", "loss"].filter(open.matches)).toEqual(["loss("]);
});

it("takes names, patterns and expressions", () => {
  const all = ["train/loss", "val/loss", "val/acc", "a,b", "c+d"];
  expect(tagsNamed("train/loss, val/*", all).tags).toEqual(["train/loss", "val/loss", "val/acc"]);
  expect(tagsNamed("/loss$/, nothing", all)).toEqual({
    tags: ["train/loss", "val/loss"],
    unknown: ["nothing"],
  });
  expect(tagsNamed("a,b", all).tags).toEqual(["a,b"]);
  expect(tagsNamed("/(/", all).unknown).toEqual(["/(/"]);
});

it("keeps any name in the address", () => {
  for (const tags of [["a+b,c"], ["a", "b/ c"], ["ü%", "~x!"]]) {
    const key = chartKey(tags);
    expect(key).not.toMatch(/,/);
    expect(chartTags(key)).toEqual(tags);
  }
  expect(chartTags("%zz")).toEqual(["%zz"]);
});

it("knows durations and throughputs by their names", () => {
  const amounts = ["telltale/step_time_s", "telltale/data_wait_s", "time/forward", "latency"];
  for (const tag of [...amounts, "perf/samples_per_second", "it/s", "tokens/sec", "throughput", "gpu0/fps"])
    expect(`${tag}: ${isAmount(tag)}`).toBe(`${tag}: true`);
  for (const tag of [
    "train/loss",
    "loss",
    "timestep",
    "accuracy",
    "lr",
    "loss_per_epoch",
    "class/bus",
    "norms",
  ])
    expect(`${tag}: ${isAmount(tag)}`).toBe(`${tag}: false`);
});
