// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { related } from "./related";

const profile = (folder: string, file: string, more: object = {}) => ({
  id: `${folder}/${file}`,
  name: `${folder}/${file}`,
  folder,
  kind: "trace",
  state: "found",
  bytes: 100,
  ...more,
});

it("offers recordings of the same series, the nearest in size first", () => {
  const of = profile("a", "host1.100.pt.trace.json");
  const far = profile("a", "host1.200.pt.trace.json", { bytes: 5000 });
  const near = profile("a", "host1.300.pt.trace.json", { bytes: 110 });
  const elsewhere = profile("b", "host1.100.pt.trace.json", { bytes: 400 });
  expect(related([of, far, near, elsewhere], of)).toEqual([near, elsewhere, far]);
});

it("offers nothing that only lies beside it, is of another kind, or could not be read", () => {
  const of = profile("a", "run1.json");
  const others = [
    profile("a", "viztracer.json"),
    profile("b", "run2.json"),
    profile("a", "run2.json", { kind: "functions" }),
    profile("a", "run3.json", { state: "failed" }),
  ];
  expect(related([of, ...others], of)).toEqual([]);
});
