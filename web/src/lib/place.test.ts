// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { fullPlace, shortPlace } from "./place";

it("writes places", () => {
  expect(shortPlace("/a/b.py", 3)).toBe("b.py:3");
  expect(shortPlace("~", 0)).toBe("built-in");
  expect(fullPlace("/a/b.py", null)).toBe("/a/b.py");
});
