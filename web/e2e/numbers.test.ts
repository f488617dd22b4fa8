// SPDX-License-Identifier: Apache-2.0
// What each page shows is what the command line's JSON says.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STEP_CATEGORIES } from "../src/api/categories";
import type { CopyRow, DeviceRow, KernelRow, OperatorRow } from "../src/api/generated";
import type { Recommendation, StepsSection } from "../src/api/report";
import type { DiffDocument } from "../src/lib/diff";
import { percent, time } from "../src/lib/units";
import { cli, exactly, open, param, readTable, type Stage, sentence, setStage, skipped } from "./harness";

let stage: Stage;
beforeAll(async () => {
  if (skipped === null) stage = await setStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const report = <T>(file: string, view: string, ...more: readonly string[]): T =>
  cli<T>("profile", file, "--view", view, ...more);

describe.skipIf(skipped !== null)("numbers", () => {
  it("overview: the step, its parts, the devices, the top operators", async () => {
    const { steps } = report<{ steps: StepsSection }>(stage.files.before, "steps");
    const { devices } = report<{ devices: readonly DeviceRow[] }>(stage.files.before, "devices");
    const { operators } = report<{ operators: readonly OperatorRow[] }>(stage.files.before, "operators");
    const { recommendations } = report<{ recommendations: readonly Recommendation[] }>(
      stage.files.before,
      "recommendations",
    );
    const { page, problems, close } = await open(stage, { profile: stage.ids.before });
    expect(await sentence(page)).toContain(`A step takes ${((steps.average_ns ?? 0) / 1e6).toFixed(1)}`);
    const legend = await page.locator(".share-legend li").allTextContents();
    STEP_CATEGORIES.forEach((c, i) => {
      const value = steps.categories[c] ?? 0;
      expect(legend[i]).toContain(time(value));
      expect(legend[i]).toContain(percent(value / (steps.average_ns ?? 1)));
    });
    expect(devices.length).toBeGreaterThan(0);
    const shown = await readTable(page, "Devices");
    expect(shown).toHaveLength(devices.length);
    devices.forEach((device, i) => {
      expect(shown[i]?.name?.text).toBe(device.name);
      expect(shown[i]?.kernel_count?.title).toBe(exactly("count", device.kernel_count));
      expect(shown[i]?.utilization_share?.title).toBe(exactly("percent", device.utilization_share));
      expect(shown[i]?.memory_bytes?.title).toBe(exactly("bytes", device.memory_bytes));
    });
    expect(await page.locator(".advice-card").count()).toBe(
      recommendations.filter((row) => row.views.includes("overview")).length,
    );
    const top = operators.filter((row) => row.work).toSorted((a, b) => b.device_self_ns - a.device_self_ns);
    expect(await page.locator(".top-list").first().locator("li").first().textContent()).toContain(
      time(top[0]?.device_self_ns),
    );
    expect(problems).toEqual([]);
    await close();
  });

  it("operators: every column of every row, and the calls behind one", async () => {
    const all = report<{ operators: readonly OperatorRow[] }>(stage.files.before, "operators").operators;
    const operators = all.filter((row) => row.work);
    expect(operators.length).toBeLessThan(all.length);
    const { page, problems, close } = await open(stage, { profile: stage.ids.before, view: "operators" });
    const shown = await readTable(page, "Operators");
    expect(shown.map((row) => row.name?.title)).toEqual(operators.map((row) => row.name));
    operators.forEach((row, i) => {
      expect(shown[i]?.calls?.title).toBe(exactly("count", row.calls));
      expect(shown[i]?.device_self_ns?.title).toBe(exactly("time", row.device_self_ns));
      expect(shown[i]?.device_total_ns?.title).toBe(exactly("time", row.device_total_ns));
      expect(shown[i]?.host_self_ns?.title).toBe(exactly("time", row.host_self_ns));
      expect(shown[i]?.host_total_ns?.title).toBe(exactly("time", row.host_total_ns));
      expect(shown[i]?.memory_self_bytes?.title).toBe(exactly("bytes", row.memory_self_bytes));
    });
    await page.getByRole("grid", { name: "Operators" }).getByText("aten::mm").click();
    const calls = await readTable(page, "Calls");
    expect(calls.length).toBeGreaterThan(3);
    const shapes = await readTable(page, "Input shapes");
    const expected = report<{ operators: readonly OperatorRow[] }>(
      stage.files.before,
      "operators",
      "--group-by",
      "shape",
    ).operators.filter((row) => row.name === "aten::mm");
    expect(shapes).toHaveLength(expected.length);
    expect(new Set(shapes.map((row) => row.device_self_ns?.title))).toEqual(
      new Set(expected.map((row) => exactly("time", row.device_self_ns))),
    );
    expect(await param(page, "open")).toBe("aten::mm");
    expect(problems).toEqual([]);
    await close();
  });

  it("kernels and copies", async () => {
    const { kernels } = report<{ kernels: readonly KernelRow[] }>(stage.files.before, "kernels");
    const { copies } = report<{ copies: readonly CopyRow[] }>(stage.files.before, "copies");
    const { page, problems, close } = await open(stage, { profile: stage.ids.before, view: "kernels" });
    const shown = await readTable(page, "kernels");
    expect(shown.map((row) => row.name?.title)).toEqual(kernels.map((row) => row.name));
    kernels.forEach((row, i) => {
      for (const key of ["total_ns", "mean_ns", "min_ns", "max_ns"] as const)
        expect(shown[i]?.[key]?.title).toBe(exactly("time", row[key]));
      expect(shown[i]?.operator?.title).toBe(row.operator);
    });
    await page.getByRole("tab", { name: "Copies and sets" }).click();
    expect(copies.length).toBeGreaterThan(0);
    const moved = await readTable(page, "kinds of copies");
    copies.forEach((row, i) => {
      expect(moved[i]?.total_ns?.title).toBe(exactly("time", row.total_ns));
      expect(moved[i]?.bytes?.title).toBe(exactly("bytes", row.bytes));
    });
    expect(problems).toEqual([]);
    await close();
  });

  it("steps", async () => {
    const { steps } = report<{ steps: StepsSection }>(stage.files.before, "steps");
    const { page, problems, close } = await open(stage, { profile: stage.ids.before, view: "steps" });
    const shown = await readTable(page, "Steps");
    expect(shown.map((row) => row.name?.text)).toEqual(steps.rows.map((row) => row.name));
    steps.rows.forEach((row, i) => {
      expect(shown[i]?.duration_ns?.title).toBe(exactly("time", row.duration_ns));
      expect(shown[i]?.dataloader?.title).toBe(exactly("time", row.categories.dataloader));
      expect(shown[i]?.kernel?.title).toBe(exactly("time", row.categories.kernel));
    });
    expect(problems).toEqual([]);
    await close();
  });

  it("annotations", async () => {
    type Row = { name: string; calls: number; host_total_ns: number };
    const { annotations } = report<{ annotations: { rows: readonly Row[] } }>(
      stage.files.before,
      "annotations",
    );
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "annotations", as: "flat" });
    const shown = await readTable(page, "Annotations");
    const byName = new Map(shown.map((row) => [row.name?.title, row]));
    for (const row of annotations.rows) {
      expect(byName.get(row.name)?.host_total_ns?.title).toBe(exactly("time", row.host_total_ns));
      expect(byName.get(row.name)?.calls?.title).toBe(exactly("count", row.calls));
    }
    await close();
  });

  it("diagnostics of a broken file, with the byte", async () => {
    type Found = { kind: string; count: number; first_offset: number | null };
    const { diagnostics } = report<{ diagnostics: readonly Found[] }>(stage.files.broken, "diagnostics");
    expect(diagnostics.length).toBeGreaterThan(0);
    const { page, close } = await open(stage, { profile: stage.ids.broken, view: "diagnostics" });
    const shown = await readTable(page, "Diagnostics");
    expect(shown.map((row) => row.kind?.text)).toEqual(diagnostics.map((row) => row.kind));
    diagnostics.forEach((row, i) => {
      expect(shown[i]?.first_offset?.title).toBe(exactly("count", row.first_offset));
    });
    await close();
  });

  it("a query, and a wrong one", async () => {
    const sql =
      "SELECT name, count(*) AS calls, sum(duration_ns) AS total_ns FROM kernels GROUP BY name ORDER BY name";
    const rows = cli<readonly { name: string; calls: number; total_ns: number }[]>(
      "query",
      stage.files.before,
      sql,
    );
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "query", sql });
    const shown = await readTable(page, "Result");
    expect(shown.map((row) => row["0_name"]?.title)).toEqual(rows.map((row) => row.name));
    expect(shown.map((row) => row["2_total_ns"]?.title)).toEqual(
      rows.map((row) => exactly("time", row.total_ns)),
    );
    await page.getByLabel("SQL").fill("SELECT nam FROM kernels");
    await page.getByLabel("SQL").press("Control+Enter");
    await page.locator(".query-wrong mark").waitFor();
    expect(await page.locator(".query-wrong mark").textContent()).toBe("nam");
    await page.goBack();
    await expect.poll(() => page.getByLabel("SQL").inputValue()).toBe(sql);
    await close();
  });

  it("a comparison", async () => {
    const diff = cli<DiffDocument>("diff", stage.files.before, stage.files.after);
    const { page, problems, close } = await open(stage, {
      profile: stage.ids.before,
      view: "compare",
      before: stage.ids.before,
      after: stage.ids.after,
    });
    const steps = diff.tables.find((table) => table.table === "steps");
    const shown = await readTable(page, "Step");
    steps?.rows.forEach((row, i) => {
      expect(shown[i]?.before_ns?.title).toBe(exactly("time", row.before_ns ?? null));
      expect(shown[i]?.after_ns?.title).toBe(exactly("time", row.after_ns ?? null));
      expect(shown[i]?.verdict?.text).toBe(row.verdict.replace("_", " "));
    });
    expect(await sentence(page)).toContain(`${((steps?.rows[0]?.after_ns ?? 0) / 1e6).toFixed(1)}`);
    expect(problems).toEqual([]);
    await close();
  });

  it("functions on the overview of their profile", async () => {
    const { functions } = report<{
      functions: { total_ns: number; rows: readonly { name: string; self_ns: number }[] };
    }>(stage.files.functions, "functions");
    const { page, close } = await open(stage, { profile: stage.ids.functions });
    const shown = await readTable(page, "Top functions");
    expect(shown.map((row) => row.self_ns?.title)).toEqual(
      functions.rows.slice(0, 12).map((row) => exactly("count", row.self_ns)),
    );
    await close();
  });

  it("restricts every page to the steps of the address", async () => {
    const { operators } = report<{ operators: readonly OperatorRow[] }>(
      stage.files.before,
      "operators",
      "--steps",
      "3..4",
    );
    const { page, close } = await open(stage, {
      profile: stage.ids.before,
      view: "operators",
      steps: "3..4",
    });
    const shown = await readTable(page, "Operators");
    expect(shown.map((row) => row.calls?.title)).toEqual(
      operators.filter((row) => row.work).map((row) => exactly("count", row.calls)),
    );
    await close();
  });
});
