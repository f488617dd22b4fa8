// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { clock, momentOf, momentText, msOf, nsOf, typedMoment, utc } from "./moments";

test("a moment goes into an address and back", () => {
  expect(momentOf(momentText(1_794_000_000_123.4))).toBe(1_794_000_000_123);
  expect(momentOf("2026-11-15T20:45:01.123Z")).toBe(Date.UTC(2026, 10, 15, 20, 45, 1, 123));
  expect(momentOf("yesterday")).toBeNull();
  expect(momentOf(undefined)).toBeNull();
  expect(nsOf(1_794_000_000_123)).toBe("1794000000123000000");
  expect(msOf("1794000000123000000")).toBe(1_794_000_000_123);
});

test("a clock is shown in the viewer's zone, UTC beside it", () => {
  const at = new Date(2026, 10, 15, 20, 45, 1, 7).getTime();
  expect(clock(at)).toBe("20:45:01.007");
  expect(clock(at, 0)).toBe("20:45:01");
  expect(utc(Date.UTC(2026, 10, 15, 20, 45, 1, 123))).toBe("2026-11-15 20:45:01.123 UTC");
});

test("a clock that is typed lies on the day of the log, or on the next", () => {
  const from = new Date(2026, 10, 15, 23, 0, 0).getTime();
  const to = from + 3 * 3_600_000;
  expect(typedMoment("23:30", from, to)).toBe(new Date(2026, 10, 15, 23, 30).getTime());
  expect(typedMoment("0:30:15.5", from, to)).toBe(new Date(2026, 10, 16, 0, 30, 15, 500).getTime());
  expect(typedMoment("2026-11-15 20:45:01.123 UTC", from, to)).toBe(Date.UTC(2026, 10, 15, 20, 45, 1, 123));
  expect(typedMoment("25:00", from, to)).toBeNull();
  expect(typedMoment("12:00", null, null)).toBeNull();
  expect(typedMoment("soon", from, to)).toBeNull();
});
