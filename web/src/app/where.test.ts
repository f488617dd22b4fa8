// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from "vitest";
import type { ProfileInfo } from "../api/types";
import { profiles } from "../state/profiles";
import { go, ofProfile } from "../state/route";
import { runCount } from "../state/run_events";
import type { PageEntry } from "./registry";
import { called, page, pages, profile, viewIn, where } from "./where";

// Pages of every scope, as the registry will have them.
vi.mock("./registry", () => {
  const listed: Readonly<Record<string, readonly PageEntry[]>> = {
    profile: [
      { name: "overview", title: "Overview" },
      { name: "timeline", title: "Timeline" },
    ],
    run: [{ name: "overview", title: "Run" }],
    runs: [{ name: "overview", title: "Runs" }],
    workspace: [{ name: "home", title: "Home" }],
  };
  return {
    pagesOf: (kind: string) => listed[kind],
    pageOf: (kind: string, name: string) => listed[kind]?.find((entry) => entry.name === name),
  };
});

const names = (): readonly string[] => pages.value.map((entry) => entry.title);

beforeEach(() => {
  profiles.value = [{ id: "a1", name: "logs/a", folder: "logs" } as ProfileInfo];
  runCount.value = 2;
  go({});
});

it("decides once it is known whether there are runs", () => {
  go({ view: "home" });
  runCount.value = null;
  expect([where.value.kind, profile.value]).toEqual(["profile", null]);
  runCount.value = 0;
  expect(profile.value?.id).toBe("a1");
});

it("shows the first profile where an address names nothing that the workspace has", () => {
  expect(where.value).toEqual(ofProfile("a1"));
  expect(names()).toEqual(["Overview", "Timeline"]);
  expect(called.value?.name).toBe("logs/a");
});

it("shows the workspace where it has the page, and no profile with it", () => {
  go({ view: "home" });
  expect(page.value?.title).toBe("Home");
  expect(profile.value).toBeNull();
  expect(called.value).toBeNull();
});

it("shows the pages of a run and of several, which are no pages of a profile", () => {
  go({ run: "b2" });
  expect(names()).toEqual(["Run"]);
  expect(profile.value).toBeNull();
  expect(called.value?.name).toBe("b2");
  go({ runs: "b2,c3", view: "timeline" });
  expect(page.value).toBeUndefined();
  expect(called.value?.name).toBe("2 runs");
});

it("goes to the same page of another profile, and to the overview where there is no such page", () => {
  go({ profile: "a1", view: "timeline" });
  expect(viewIn("profile")).toBe("timeline");
  expect(viewIn("run")).toBe("overview");
});
