// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { fullPlace, originOf, shortPlace } from "./place";

it.each([
  ["/home/me/train.py", "main", "train.py", true],
  ["/v/lib/python3.11/site-packages/torch/nn/x.py", "f", "torch", false],
  ["C:\\Py\\Lib\\json\\decoder.py", "f", "json", false],
  ["/usr/lib/python3.11/typing.py", "f", "typing", false],
  ["~", "<built-in method exec>", "built-in", false],
  ["", "<built-in function linear>", "built-in", false],
  ["", "nn.Module: Linear_0", "nn.Module", true],
  ["<frozen importlib._bootstrap>", "_load", "importlib", false],
  ["torch/optim/adam.py", "step", "torch", false],
  ["contextlib.py", "inner", "contextlib", false],
  ["train_ddp.py", "main", "train_ddp.py", true],
])("%s is of module %s", (file, name, module, own) => {
  expect(originOf(file, name)).toEqual({ module, own });
});

it("writes places", () => {
  expect(shortPlace("/a/b.py", 3)).toBe("b.py:3");
  expect(shortPlace("~", 0)).toBe("built-in");
  expect(fullPlace("/a/b.py", null)).toBe("/a/b.py");
});
