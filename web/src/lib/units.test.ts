// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { bytes, columnFormat, count, exact, format, percent, time } from "./units";

describe("one number", () => {
  it("takes the unit that fits", () => {
    expect(time(177592167)).toBe("177.6 ms");
    expect(time(999)).toBe("999 ns");
    expect(time(1500)).toBe("1.500 µs");
    expect(time(5_970_000_000)).toBe("5.970 s");
    expect(bytes(34084028416)).toBe("31.74 GiB");
    expect(bytes(-2048)).toBe("-2.000 KiB");
    expect(count(8772)).toBe("8,772");
    expect(format("flops", 2.5e12)).toBe("2.500 TFLOP");
  });
  it("says what is not known", () => {
    expect(time(null)).toBe("–");
    expect(percent(undefined)).toBe("–");
    expect(percent(Number.NaN)).toBe("–");
  });
  it("keeps small shares visible", () => {
    expect(percent(0.0005)).toBe("0.05 %");
    expect(percent(0.555)).toBe("55.5 %");
    expect(percent(1)).toBe("100 %");
    expect(percent(0)).toBe("0 %");
  });
});

describe("a column", () => {
  it("has one unit and one number of decimals", () => {
    const { unit, text } = columnFormat("time", 142_461_000);
    expect(unit).toBe("ms");
    expect([142_461_000, 1_000_000, 24_000].map(text)).toEqual(["142.46", "1.00", "0.02"]);
  });
  it("never shows something as nothing", () => {
    const { text } = columnFormat("time", 142_461_000);
    expect(text(12)).toBe("<0.01");
    expect(text(-12)).toBe(">-0.01");
    expect(text(0)).toBe("0.00");
    expect(text(null)).toBe("–");
  });
  it("groups thousands", () => {
    expect(columnFormat("count", 123456).text(123456)).toBe("123,456");
    expect(columnFormat("bytes", 5 * 1024 ** 5).text(5 * 1024 ** 5)).toBe("5,120.0");
  });
  it("shows shares with one decimal", () => {
    const { unit, text } = columnFormat("percent", 1);
    expect([unit, text(0.4559), text(0.0001)]).toEqual(["%", "45.6", "<0.1"]);
  });
});

it("gives the exact value", () => {
  expect(exact("time", 142461000)).toBe("142,461,000 ns");
  expect(exact("bytes", 1)).toBe("1 B");
  expect(exact("percent", 0.5)).toBe("50 %");
});
