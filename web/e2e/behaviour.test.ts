// SPDX-License-Identifier: Apache-2.0
// How the page behaves: address and history, tables, keys, states of loading and failing, hostile names.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, param, readTable, type Stage, setStage, skipped } from "./harness";

let stage: Stage;
beforeAll(async () => {
  if (skipped === null) stage = await setStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

// In the page: answers a request for operators with 100,000 of them, without sending 40 MB through the test.
function manyOperators(): void {
  const real = window.fetch;
  window.fetch = async (input, init) => {
    if (!String(input).includes("view=operators")) return await real(input, init);
    const operators = Array.from({ length: 100_000 }, (_, i) => ({
      name: `aten::operator_number_${i}_with_a_name_that_is_long_enough_to_be_shortened_in_the_middle`,
      kind: "operator",
      input_shapes: null,
      stack: null,
      calls: (i * 7919) % 1000,
      host_total_ns: (i * 104729) % 1e8,
      host_self_ns: (i * 15485863) % 1e8,
      device_total_ns: (i * 32452843) % 1e8,
      device_self_ns: (i * 49979687) % 1e8,
      memory_total_bytes: null,
      memory_self_bytes: i * 512,
      flops: null,
      tensor_core_eligible: false,
      tensor_core_self_share: null,
      tensor_core_total_share: null,
    }));
    const answer = { telltale: "0.2.0", schema: 2, files: [], diagnostics: [], operators };
    return { ok: true, status: 200, json: async () => answer } as unknown as Response;
  };
}

describe.skipIf(skipped !== null)("the address", () => {
  it("holds order and filter of a table, and survives a reload", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "operators" });
    await page
      .getByRole("columnheader", { name: /^Calls/ })
      .getByRole("button")
      .click();
    await page.getByPlaceholder("Filter operators").fill("aten");
    await expect.poll(() => param(page, "op.sort")).toBe("-calls");
    await expect.poll(() => param(page, "op.q")).toBe("aten");
    await page.getByText(/^2 of \d+ operators/).waitFor();
    const before = await readTable(page, "Operators");
    await page.reload();
    expect(await readTable(page, "Operators")).toEqual(before);
    await close();
  });

  it("goes back from a page and from an opened row", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "overview" });
    await page.locator(".top-list a").first().click();
    await page.locator(".detail").waitFor();
    await expect.poll(() => page.locator("h1").textContent()).toBe("Operators");
    await page.goBack();
    await expect.poll(() => page.locator("h1").textContent()).toBe("Overview");
    await close();
  });

  it("keeps the theme of a shared view", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, theme: "dark" });
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await close();
  });

  it("that Share copies on the first page names what is shown", async () => {
    const { page, close } = await open(stage, {}, { permissions: ["clipboard-read", "clipboard-write"] });
    await expect.poll(() => param(page, "profile")).not.toBeNull();
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByText("Copied").waitFor();
    const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(Object.values(stage.ids)).toContain(copied.searchParams.get("profile"));
    await close();
  });

  it("takes steps from a drag over the chart", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before });
    const box = await page.locator(".steps-chart svg").boundingBox();
    if (!box) throw new Error("no chart");
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => param(page, "steps")).toBe("3..4");
    await close();
  });
});

describe.skipIf(skipped !== null)("keys", () => {
  it("find an operator by name with Ctrl-K", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("aten::mm");
    await page.locator("[role=option]").first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".detail").waitFor();
    await expect.poll(() => param(page, "open")).toBe("aten::mm");
    await close();
  });

  it("move through a table, open a row, filter by typing", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "operators" });
    await readTable(page, "Operators");
    const grid = page.getByRole("grid", { name: "Operators" });
    await grid.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => grid.getAttribute("aria-activedescendant")).toBe("op-row-1");
    await page.keyboard.press("Enter");
    await page.locator(".detail").waitFor();
    await grid.focus();
    await page.keyboard.type("add");
    await expect.poll(() => page.getByPlaceholder("Filter operators").inputValue()).toBe("add");
    await close();
  });

  it("show the help on ?", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
    await close();
  });
});

describe.skipIf(skipped !== null)("a table of 100,000 rows", () => {
  it("holds only what is seen, and scrolls without drawing the rest", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "kernels" });
    await page.evaluate(manyOperators);
    await page.locator("nav[aria-label=Pages] a", { hasText: "Operators" }).click();
    await readTable(page, "Operators");
    const grid = page.getByRole("grid", { name: "Operators" });
    expect(await grid.getAttribute("aria-rowcount")).toBe("100001");
    expect(await grid.locator("[role=row]").count()).toBeLessThan(80);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    const scripting = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return (metrics.find((m) => m.name === "ScriptDuration")?.value ?? 0) * 1000;
    };
    const before = await scripting();
    const frames = 120;
    await grid.evaluate(async (element, count) => {
      for (let i = 0; i < count; ++i) {
        element.scrollTop += 180;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }, frames);
    const perFrame = ((await scripting()) - before) / frames;
    console.log(`scripting per frame while scrolling: ${perFrame.toFixed(2)} ms`);
    // The limit is 8 ms (scripts/bench --page); here only what no slow machine explains: drawing all rows takes seconds.
    expect(perFrame).toBeLessThan(100);
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForTimeout(100);
    expect(await grid.locator("[role=row]").last().getAttribute("aria-rowindex")).toBe("100001");
    await close();
  });
});

describe.skipIf(skipped !== null)("a narrow window", () => {
  const narrow = { viewport: { width: 900, height: 800 } };

  it("leaves out columns instead of scrolling sideways, and says so", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "kernels" }, narrow);
    const grid = page.getByRole("grid", { name: "kernels", exact: true });
    await page.getByText(/\d+ more columns?$/).waitFor();
    expect(await grid.evaluate((g) => g.scrollWidth <= g.clientWidth)).toBe(true);
    await page.setViewportSize({ width: 1700, height: 800 });
    await page.getByText(/more columns?$/).waitFor({ state: "detached" });
    await close();
  });

  it("shows every column that was chosen", async () => {
    const chosen = ["calls", "total_ns", "mean_ns", "min_ns", "max_ns", "tensor_core", "kind"];
    const { page, close } = await open(
      stage,
      { profile: stage.ids.before, view: "kernels", "k.cols": chosen.join(",") },
      narrow,
    );
    const [row] = await readTable(page, "kernels");
    expect(Object.keys(row ?? {})).toEqual(["name", ...chosen]);
    await close();
  });
});

describe.skipIf(skipped !== null)("a kernel", () => {
  const gemm = "void gemm_kernel<float, 128, 64>(int, float const*, float*)";

  it("is named short, has its whole name on hover, and is found by it", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "kernels" });
    await page.getByPlaceholder("Filter kernels").fill("void float const*");
    await page.getByText(/^1 of \d+ kernels/).waitFor();
    const [row] = await readTable(page, "kernels");
    expect(row?.name).toEqual({ text: "gemm_kernel<float, 128, 64>", title: gemm });
    await page.locator(".t-body [role=row]").first().click();
    await expect.poll(() => param(page, "open")).toBe(gemm);
    await close();
  });
});

describe.skipIf(skipped !== null)("what fails", () => {
  it("is said in place of the part; the rest lives on", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "steps" });
    await page.route(/report\?.*view=kernels/, (route) =>
      route.fulfill({
        status: 500,
        contentType: "application/json",
        body: '{"error":{"code":"x","message":"A made-up failure."}}',
      }),
    );
    await page.locator("nav[aria-label=Pages] a", { hasText: "Overview" }).click();
    await page.getByText("A made-up failure.").waitFor();
    await page.locator(".share-legend").waitFor();
    expect(await page.locator(".share-legend li").count()).toBe(8);
    await close();
  });

  it("waits while a profile is read, and shows it then", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "steps" });
    let asked = 0;
    await page.route(/report\?.*view=kernels/, (route) =>
      ++asked < 3
        ? route.fulfill({
            status: 202,
            headers: { "Retry-After": "1" },
            contentType: "application/json",
            body: "{}",
          })
        : route.continue(),
    );
    await page.locator("nav[aria-label=Pages] a", { hasText: "Kernels" }).click();
    await page.locator(".bone").first().waitFor();
    expect((await readTable(page, "kernels")).length).toBeGreaterThan(0);
    await close();
  });

  it("names a page that is not there", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.before, view: "overview" });
    await page.goto(`${stage.url}?profile=nobody&view=overview`);
    await page.getByText("The profile of this address is not open any more.").waitFor();
    await close();
  });
});

describe.skipIf(skipped !== null)("hostile names", () => {
  it.each(["overview", "operators", "kernels", "annotations", "steps", "diagnostics", "query"])(
    "are text on %s",
    async (view) => {
      const { page, problems, close } = await open(stage, { profile: stage.ids.hostile, view });
      await page.waitForTimeout(800);
      expect(await page.locator("main img, main script").count()).toBe(0);
      expect(problems).toEqual([]);
      // A name of a megabyte is shortened in the page, too.
      expect(await page.evaluate(() => document.body.innerHTML.length)).toBeLessThan(400_000);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      if (view === "operators") {
        const names = (await readTable(page, "Operators")).map((row) => row.name?.title);
        expect(names).toContain("<img src=x onerror=alert(1)>");
        expect(names).toContain("<script>alert(2)</script>");
        expect(names).toContain("\ufffdgnp.exe evil\ufffd");
        await page.getByRole("grid", { name: "Operators" }).getByText(/^AAAA/).first().click();
        await page.getByText("The name is too long to ask for its calls").waitFor();
        expect(page.url().length).toBeLessThan(2000);
      }
      await close();
    },
  );
});
