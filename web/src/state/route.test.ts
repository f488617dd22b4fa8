// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { beforeEach, expect, it } from "vitest";
import {
  go,
  ofProfile,
  ofRun,
  pageAddress,
  pageParams,
  type Scope,
  scope,
  scopeOf,
  scopeParams,
} from "./route";

const SCOPES: readonly Scope[] = [
  ofProfile("a1"),
  ofRun("b2"),
  { kind: "runs", ids: ["b2", "c3"] },
  { kind: "workspace" },
];

beforeEach(() => go({}));

it("reads from an address the scope that was written to it", () => {
  for (const of of SCOPES) {
    go(pageParams("overview", {}, of));
    expect(scope.value).toEqual(of);
    expect(scopeOf(scopeParams(of))).toEqual(of);
  }
});

it("is about all that is open where an address names nothing", () => {
  expect(scope.value).toEqual({ kind: "workspace" });
});

it("takes a profile's steps and rank to its other pages, and the rest of a page nowhere", () => {
  go({ profile: "a1", view: "operators", steps: "2..4", rank: "1", theme: "dark", open: "x" });
  expect(pageParams("kernels")).toEqual({
    profile: "a1",
    view: "kernels",
    steps: "2..4",
    rank: "1",
    theme: "dark",
  });
  expect(pageAddress("kernels", { open: "y" }, ofProfile("b"))).toBe(
    "?open=y&profile=b&theme=dark&view=kernels",
  );
});

it("leaves what restricts one scope behind on the way to another", () => {
  go({ profile: "a1", view: "operators", steps: "2..4", theme: "dark" });
  for (const of of SCOPES.slice(1))
    expect(pageParams("overview", {}, of)).toEqual({ ...scopeParams(of), view: "overview", theme: "dark" });
});
