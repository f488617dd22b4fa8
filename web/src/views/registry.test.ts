// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import type { ProfileInfo } from "../api/types";
import { missing, pages, type Rows } from "./registry";

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
  views: ["overview", "events", "operators", "kernels", "copies", "modules", "distributed", "idle"],
  error: null,
};
const dim = (rows: Rows, of: ProfileInfo = profile): readonly string[] =>
  pages.filter((page) => of.views.includes(page.name) && missing(page, of, rows) !== null).map((p) => p.name);

it("takes pages for full as long as nothing is known", () => {
  expect(dim({})).toEqual([]);
  expect(dim({ kernels: 0 })).toEqual([]);
});

it("knows the empty ones by the rows of their tables", () => {
  expect(dim({ operators: 85, kernels: 0, copies: 0 })).toEqual(["kernels", "idle"]);
  expect(dim({ kernels: 0, copies: 2, modules: 0 })).toEqual(["modules"]);
  expect(dim({ distributed: 0 })).toEqual(["distributed"]);
  expect(dim({ distributed: 0 }, { ...profile, ranks: [0, 1] })).toEqual([]);
});

it("knows those that the server does not name", () => {
  const lacks = pages.filter((page) => missing(page, profile) !== null).map((page) => page.name);
  expect(lacks).toContain("functions");
  expect(lacks).not.toContain("kernels");
});
