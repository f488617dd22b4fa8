// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { offOf, switchedText } from "./switched";

const ids = ["a", "b", "c", "d", "e"];

it("writes the shorter of both lists, and reads it again", () => {
  for (const off of [[], ["b"], ["a", "c"], ["a", "b", "c", "d"], ids]) {
    const text = switchedText(ids, new Set(off));
    const params = {
      ...(text.off === null ? {} : { off: text.off }),
      ...(text.only === null ? {} : { only: text.only }),
    };
    expect([...offOf(ids, params)]).toEqual(off);
  }
  expect(switchedText(ids, new Set(["a", "b", "c", "d"]))).toEqual({ off: null, only: "e" });
});
