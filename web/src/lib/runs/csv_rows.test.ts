// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { parseCsv } from "./csv_rows";

it("reads quotes, line ends of both kinds, and empty cells", () => {
  expect(parseCsv('a,b\r\n1,"x, ""y""\nz"\n,3', ",")).toEqual({
    head: ["a", "b"],
    rows: [
      ["1", 'x, "y"\nz'],
      ["", "3"],
    ],
  });
  expect(parseCsv("", ",")).toEqual({ head: [], rows: [] });
  expect(parseCsv("a\tb\n1\t2\n\n", "\t").rows).toEqual([["1", "2"]]);
});
