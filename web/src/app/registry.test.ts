// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import type { Captured, ProfileInfo } from "../api/types";
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
  views: ["overview", "events", "operators", "kernels", "copies", "modules", "distributed", "idle"],
  error: null,
};
const dim = (captured: readonly Captured[], of: ProfileInfo = profile): readonly string[] =>
  pages
    .filter((page) => of.views.includes(page.name) && missing(page, { ...of, captured }) !== null)
    .map((p) => p.name);

it("dims pages whose data was not captured", () => {
  expect(dim(["operators", "device_events", "modules", "communication"])).toEqual([]);
  expect(dim(["operators", "steps"])).toEqual(["kernels", "modules", "distributed", "idle"]);
  expect(dim(["operators", "device_events", "modules"], { ...profile, ranks: [0, 1] })).toEqual([]);
});

it("leaves a profile that is not read yet alone, and says the same while a changed one is read again", () => {
  const unread: ProfileInfo = { ...profile, state: "loading", captured: [], views: [] };
  expect(pages.every((page) => missing(page, unread) === null)).toBe(true);
  for (const state of ["loading", "changed", "gone"] as const)
    expect(dim(["operators", "steps"], { ...profile, state })).toEqual(dim(["operators", "steps"]));
});

it("knows those that the server does not name", () => {
  const lacks = pages.filter((page) => missing(page, profile) !== null).map((page) => page.name);
  expect(lacks).toContain("functions");
  expect(lacks).not.toContain("kernels");
});
