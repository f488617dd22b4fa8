// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import type { ProfileInfo } from "../api/types";
import { missing, pages } from "./registry";

const profile: ProfileInfo = {
  id: "a",
  name: "a",
  folder: "",
  paths: ["a.json"],
  kind: "trace",
  state: "ready",
  bytes: 1,
  loaded_bytes: 1,
  total_bytes: 1,
  modified: "",
  ranks: [],
  events: 1,
  captured: ["operators", "device_events"],
  views: ["overview", "events", "operators", "kernels", "copies", "launches", "diagnostics"],
  missing: { memory: "Needs profile_memory=True." },
  error: null,
};
const names = (of: ProfileInfo): readonly string[] =>
  pages.filter((page) => missing(page, of) !== null).map((page) => page.name);

it("dims pages of which no view has anything to say", () => {
  const lacks = names(profile);
  for (const has of [
    "overview",
    "timeline",
    "operators",
    "kernels",
    "idle",
    "compare",
    "query",
    "diagnostics",
  ])
    expect(lacks).not.toContain(has);
  expect(lacks).toContain("functions");
  expect(lacks).toContain("memory");
});

it("says why in the server's words", () => {
  const memory = pages.find((page) => page.name === "memory");
  expect(memory && missing(memory, profile)).toBe("Needs profile_memory=True.");
});

it("leaves a profile that is not read yet alone, and says the same while a changed one is read again", () => {
  expect(names({ ...profile, state: "loading", captured: [], views: [], missing: {} })).toEqual([]);
  for (const state of ["loading", "changed", "gone"] as const)
    expect(names({ ...profile, state })).toEqual(names(profile));
});
