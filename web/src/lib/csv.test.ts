// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { toCsv, toJson, toTsv } from "./csv";

const rows = [
  ["a,b", 1, null],
  ['say "x"\nnow', 2.5, true],
] as const;

it("quotes what CSV needs quoted", () => {
  expect(toCsv(["name", "n", "x"], rows)).toBe('name,n,x\r\n"a,b",1,\r\n"say ""x""\nnow",2.5,true\r\n');
});
it("leaves a spreadsheet nothing to run", () => {
  const texts = ["=1+1", "+x", "-x", "@SUM(A1)", "\t=1", '=A1&"b"', "a=1", "-1", -1, -0.5];
  const csv = `'=1+1,'+x,'-x,'@SUM(A1),'\t=1,"'=A1&""b""",a=1,-1,-1,-0.5`;
  expect(toCsv(["=h"], [texts])).toBe(`'=h\r\n${csv}\r\n`);
  expect(toTsv(["h"], [["=1+1", "-1", -1]])).toBe("h\n'=1+1\t-1\t-1\n");
  expect(JSON.parse(toJson(["a"], [["=1+1"]]))).toEqual([{ a: "=1+1" }]);
});
it("keeps cells of TSV in their columns", () => {
  expect(toTsv(["name"], [["a\tb\nc"]])).toBe("name\na b c\n");
});
it("keeps types in JSON", () => {
  expect(JSON.parse(toJson(["name", "n", "x"], rows))).toEqual([
    { name: "a,b", n: 1, x: null },
    { name: 'say "x"\nnow', n: 2.5, x: true },
  ]);
});
