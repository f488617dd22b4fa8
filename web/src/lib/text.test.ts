// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { keyOf, plural, shortenMiddle, visible } from "./text";

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
