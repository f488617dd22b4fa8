// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import type { ProfileInfo } from "../api/types";
import { missing, type PageEntry, pageOf, pagesOf } from "./registry";

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
  pagesOf("profile")
    .filter((page) => missing(page, of) !== null)
    .map((page) => page.name);

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
  const memory = pageOf("profile", "memory");
  expect(memory && missing(memory, profile)).toBe("Needs profile_memory=True.");
});

it("leaves a profile that is not read yet alone, and says the same while a changed one is read again", () => {
  expect(names({ ...profile, state: "loading", captured: [], views: [], missing: {} })).toEqual([]);
  for (const state of ["loading", "changed", "gone"] as const)
    expect(names({ ...profile, state })).toEqual(names(profile));
});

it("opens every scope that has pages on its overview, and gives a letter to one page of a scope", () => {
  for (const kind of ["profile", "run", "runs", "workspace"] as const) {
    const pages: readonly PageEntry[] = pagesOf(kind);
    if (pages.length > 0) expect(pages[0]?.name).toBe("overview");
    for (const of of [pages.map((page) => page.name), pages.flatMap((page) => page.key ?? [])])
      expect(new Set(of).size).toBe(of.length);
  }
});
