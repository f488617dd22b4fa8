// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { completed, completions } from "./where_words";

const columns = {
  config: [
    { name: "lr", examples: [0.1, 0.01] },
    { name: "model", examples: ["vit b", "resnet"] },
    { name: "my key", examples: [3] },
  ],
  metrics: [{ name: "val/loss" }, { name: "val/acc" }],
  experiments: ["a"],
  tags: ["keep"],
  statuses: ["Running", "Failed"],
};
const texts = (text: string): readonly string[] => completions(text, text.length, columns).map((w) => w.text);

it("offers names first, then values of the name that is compared, then the next comparison", () => {
  expect(texts("va")).toEqual(["val/acc", "val/loss"]);
  expect(texts("")).toContain("status");
  expect(texts("status = ")).toEqual(["Running", "Failed"]);
  expect(texts("model = ")).toEqual(['"vit b"', "resnet"]);
  expect(texts("lr > 0.1 ")).toEqual(["and", "or"]);
  expect(texts("lr > 0.1 and l")).toContain("lr");
  expect(texts("lr ")).toEqual([]);
});
it("puts a word in place of what was typed of it", () => {
  expect(completed("lr > 0.1 and va", 15, "val/loss")).toEqual({ text: "lr > 0.1 and val/loss ", caret: 22 });
  expect(completed("mo = 3", 2, "model")).toEqual({ text: "model = 3", caret: 6 });
});
it("puts names with odd letters between backquotes", () => {
  expect(texts("my")).toEqual(["`my key`"]);
  expect(texts("`my key` = ")).toEqual(["3"]);
});
