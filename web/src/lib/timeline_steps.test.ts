// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { decodeSpans } from "./spans";
import { NameTable } from "./timeline_names";
import { spanSlice } from "./timeline_slices";
import { stepsRange } from "./timeline_steps";
import { spanBytes, testSpan } from "./timeline_testing";

it("finds the steps an address asks for", () => {
  const spans = [0, 1, 2, 3].map((i) => testSpan(i * 100, 90, { name: `ProfilerStep#${i + 3}` }));
  const table = decodeSpans(spanBytes(spans));
  const names = new NameTable();
  names.adopt(table.name, table.names);
  const slice = spanSlice(table, [0], 0, 400, 1, true);
  expect(stepsRange(slice, 0, names, "4..5")).toEqual({ start: 100, end: 290 });
  expect(stepsRange(slice, 0, names, "3")).toEqual({ start: 0, end: 90 });
  expect(stepsRange(slice, 0, names, "5..")).toEqual({ start: 200, end: 390 });
  expect(stepsRange(slice, 0, names, "90..91")).toBeNull();
  expect(stepsRange(slice, 0, names, "x")).toBeNull();
  expect(stepsRange(slice, 7, names, "3")).toBeNull();
});
