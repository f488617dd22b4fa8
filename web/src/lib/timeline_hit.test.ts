// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeSpans } from "./spans";
import { neighbour, overlapping, spanAt } from "./timeline_hit";
import { NameTable } from "./timeline_names";
import { spanSlice } from "./timeline_slices";
import { spanBytes, testSpan } from "./timeline_testing";

const table = decodeSpans(
  spanBytes([
    testSpan(0, 100),
    testSpan(100, 50),
    testSpan(400, 1),
    testSpan(10, 20, { depth: 1 }),
    testSpan(110, 5, { depth: 1 }),
    testSpan(7, 7, { track: 4, depth: 2 }),
  ]),
);
const slice = spanSlice(table, [0, 4, 9], 0, 500, 1, false);

describe("spanAt", () => {
  it("finds the span at a moment; the later one where two touch", () => {
    expect(spanAt(slice, 0, 0, 50, 0)).toBe(0);
    expect(spanAt(slice, 0, 0, 100, 0)).toBe(1);
    expect(spanAt(slice, 0, 0, 200, 0)).toBe(-1);
  });
  it("takes one that is a little beside, the nearer of two", () => {
    expect(spanAt(slice, 0, 0, 396, 5)).toBe(2);
    expect(spanAt(slice, 0, 0, 155, 5)).toBe(1);
    expect(spanAt(slice, 0, 0, 160, 5)).toBe(-1);
  });
  it("knows rows without boxes", () => {
    expect(spanAt(slice, 4, 0, 8, 0)).toBe(-1);
    expect(spanAt(slice, 4, 2, 8, 0)).toBe(5);
    expect(spanAt(slice, 4, 7, 8, 0)).toBe(-1);
    expect(spanAt(slice, 77, 0, 8, 0)).toBe(-1);
  });
});

describe("going from span to span", () => {
  it("stays in its row", () => {
    expect(neighbour(slice, 0, 0, 0, 1)).toBe(1);
    expect(neighbour(slice, 0, 0, 2, 1)).toBe(-1);
    expect(neighbour(slice, 0, 1, 3, -1)).toBe(-1);
  });
  it("goes into what a span holds and back out", () => {
    expect(overlapping(slice, 0, 1, 100, 150)).toBe(4);
    expect(overlapping(slice, 0, 0, 110, 115)).toBe(1);
    expect(overlapping(slice, 0, 1, 200, 300)).toBe(-1);
  });
});

describe("NameTable", () => {
  const measure = (text: string): number => text.length * 6;
  it("numbers each name once over several answers", () => {
    const names = new NameTable();
    const first = Uint32Array.of(0, 1, 0);
    const second = Uint32Array.of(0, 0);
    names.adopt(first, ["a", "b"]);
    names.adopt(second, ["b"]);
    expect([...first]).toEqual([0, 1, 0]);
    expect([...second]).toEqual([1, 1]);
  });
  it("shortens to what fits, measuring once", () => {
    const names = new NameTable();
    const id = names.intern("aten::cudnn_convolution_backward");
    let measured = 0;
    const counting = (text: string): number => {
      measured++;
      return measure(text);
    };
    expect(names.fitted(id, 1000, counting)).toBe("aten::cudnn_convolution_backward");
    const short = names.fitted(id, 90, counting);
    expect(measure(short)).toBeLessThanOrEqual(90);
    expect(short).toMatch(/^cudnn.*….*rd$/);
    expect(names.fitted(id, 30, counting)).toBe("cudn…");
    expect(names.fitted(id, 12, counting)).toBe("");
    const before = measured;
    names.fitted(id, 90, counting);
    names.fitted(id, 1000, counting);
    expect(measured).toBe(before);
  });
  it("keeps a step's number, and makes control characters visible", () => {
    const names = new NameTable();
    expect(names.fitted(names.intern("ProfilerStep#12"), 40, measure)).toBe("#12");
    const kernel = names.intern("void at::native::copy<4>(float*, int)");
    expect(names.fitted(kernel, 1000, measure)).toBe("at::native::copy<4>");
    expect(names.text(kernel)).toBe("void at::native::copy<4>(float*, int)");
    expect(names.fitted(names.intern("load(path)"), 1000, measure)).toBe("load(path)");
    expect(names.text(names.intern("a\u001b[31m\u202e"))).toBe("a␛[31m�");
  });
});
