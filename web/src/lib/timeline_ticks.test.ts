// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { chooseTicks, exactTime, tickLabel, utc } from "./timeline_ticks";

describe("chooseTicks", () => {
  it("keeps labels apart at every zoom, with steps of 1, 2 or 5", () => {
    for (let span = 20; span < 1e13; span *= 1.37) {
      const ticks = chooseTicks(span, 1200, 100);
      const pixels = (ticks.step / span) * 1200;
      expect(pixels).toBeGreaterThanOrEqual(99.9);
      if (ticks.step > 1) expect(pixels).toBeLessThanOrEqual(251);
      const lead = ticks.step / 10 ** Math.floor(Math.log10(ticks.step) + 1e-9);
      expect([1, 2, 5].some((wanted) => Math.abs(wanted - lead) < 1e-6)).toBe(true);
    }
  });
  it("tells neighbouring labels apart", () => {
    for (let span = 20; span < 1e13; span *= 1.7) {
      const ticks = chooseTicks(span, 1000, 110);
      expect(tickLabel(5 * ticks.step, ticks)).not.toBe(tickLabel(6 * ticks.step, ticks));
    }
  });
  it("writes units that fit what is in view", () => {
    const label = (span: number, time: number) => tickLabel(time, chooseTicks(span, 1000, 100));
    expect(label(1e10, 3e9)).toBe("3 s");
    expect(label(1e9, 1.5e9)).toBe("1,500 ms");
    expect(label(1e4, 1234567800)).toBe("1,234,568 µs");
    expect(label(100, 40)).toBe("40 ns");
    expect(label(1e9, -2e8)).toBe("−200 ms");
    expect(label(1e9, -0.01)).toBe("0 ms");
  });
});

describe("moments", () => {
  it("has the digits that the screen tells apart", () => {
    expect(exactTime(1234567890, 1e6)).toBe("1.235 s");
    expect(exactTime(1234567890, 1)).toBe("1.234567890 s");
    expect(exactTime(1500, 10)).toBe("1.50 µs");
  });
  it("adds to an origin that a double cannot hold", () => {
    expect(utc("1700000000000000001", 1)).toBe("2023-11-14 22:13:20.000000002 UTC");
    expect(utc("0", 1.6)).toBe("1970-01-01 00:00:00.000000002 UTC");
  });
  it("does not fail on an origin beyond dates", () => {
    expect(utc("99999999999999999999999999", 0)).toBe("99999999999999999999999999 ns");
  });
});
