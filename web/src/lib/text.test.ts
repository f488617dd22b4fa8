// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { fileStems, keyOf, plural, shortenMiddle, tailOf, visible } from "./text";

it("keeps both ends of a long name", () => {
  expect(shortenMiddle("abcdefghij", 10)).toBe("abcdefghij");
  const short = shortenMiddle("void cudnn::detail::dgrad_engine<float>(int, int)", 21);
  expect(short).toHaveLength(21);
  expect(short.startsWith("void cudnn::")).toBe(true);
  expect(short.endsWith("t, int)")).toBe(true);
});

it("shows what would move or hide text", () => {
  expect(visible("a\u202eb")).toBe("a\ufffdb");
  expect(visible("\u001b[31m")).toBe("␛[31m");
  expect(visible("tab\tend")).toBe("tab␉end");
  expect(visible("שלום")).toBe("שלום");
});

it("counts", () => {
  expect([plural(1, "step"), plural(2, "step"), plural(2, "copy", "copies")]).toEqual([
    "step",
    "steps",
    "copies",
  ]);
});

it("makes keys of names that fit an address and differ where names differ", () => {
  expect(keyOf("aten::mm")).toBe("aten::mm");
  const long = "A".repeat(1_000_000);
  expect(keyOf(long).length).toBeLessThan(300);
  expect(keyOf(long)).not.toBe(keyOf(`${long.slice(0, -1)}B`));
});

it("lets the end of a shortened name begin with a word", () => {
  const shownTail = (name: string): string => name.slice(name.length - tailOf(name));
  expect(shownTail("worker0.1623143089861.pt.trace.json.gz")).toBe("trace.json.gz");
  expect(shownTail("at::native::reduce<512, at::native::MeanOps<float, float>")).toBe("float, float>");
  expect(shownTail("volta_scudnn_128x64_stridedB_interior_nn_v1")).toBe("interior_nn_v1");
  expect(shownTail("aten::cudnn_convolution_backward_weight")).toBe("weight");
  expect(shownTail("abcdefghijklmnopqrstuvwxyzabcdefghijkl")).toBe("yzabcdefghijkl");
  expect(shownTail("worker0.1623143089861")).toBe("1623143089861");
  expect(shownTail("TransformerEncoderLayer")).toBe("");
  expect(shownTail("volta_sgemm_64x64")).toBe("");
  expect(shownTail("a b................................")).toHaveLength(14);
});

it("shows files without what traces' names end in, as long as they differ", () => {
  const names = ["worker0.1.pt.trace.json.gz", "worker0.2.pt.trace.json", "out.prof"];
  expect(names.map(fileStems(names))).toEqual(["worker0.1", "worker0.2", "out.prof"]);
  const same = ["a.pt.trace.json", "a.pt.trace.json.gz"];
  expect(same.map(fileStems(same))).toEqual(same);
  expect(fileStems([".trace.json"])(".trace.json")).toBe(".trace.json");
});
