// SPDX-License-Identifier: Apache-2.0
// A file dropped on the page is given to the server and opened; what is no profile is refused with a reason; nothing is
// left when the server ends.
import { existsSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { open, type Stage, sentence, setStage, skipped } from "./harness";

let stage: Stage;
let left = ""; // where the dropped file was
beforeAll(async () => {
  if (skipped === null) stage = await setStage();
});
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([file, text]) => {
      const data = new DataTransfer();
      const decoded = Uint8Array.from(atob(text as string), (letter) => letter.charCodeAt(0));
      data.items.add(new File([decoded], file as string));
      return data;
    },
    [name, bytes.toString("base64")],
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
  await page.getByText("Drop a trace or profile to open it").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

describe.skipIf(skipped !== null)("a file dropped on the page", () => {
  it("is opened, in as many pieces as it takes", async () => {
    const { page, problems, close } = await open(stage, { profile: stage.ids.functions, view: "functions" });
    const trace = readFileSync(stage.files.before);
    // White space makes it larger than a piece.
    await drop(page, "from elsewhere.json", Buffer.concat([trace, Buffer.alloc(2 << 20, " ")]));
    await page.waitForFunction(
      (old) => {
        const now = new URLSearchParams(location.search).get("profile");
        return now !== null && now !== old;
      },
      stage.ids.functions,
      { timeout: 20_000 },
    );
    await page.waitForSelector(".sentence:not([aria-busy])");
    expect(await sentence(page)).toContain("A step takes");
    const id = new URL(page.url()).searchParams.get("profile");
    const list = (await (await fetch(new URL("api/v1/profiles", stage.url))).json()) as {
      profiles: readonly { id: string; paths: readonly string[] }[];
    };
    left = list.profiles.find((profile) => profile.id === id)?.paths[0] ?? "";
    expect(left).toMatch(/telltale-.*\/dropped\/1\/from elsewhere\.json$/);
    expect(existsSync(left)).toBe(true);
    expect(problems).toEqual([]);
    await close();
  });

  it("is refused with a reason where it is no profile", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.functions, view: "functions" });
    await drop(page, "photo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
    await page.getByText(/photo\.png was not opened: this is no file that can be read/).waitFor();
    await close();
  });

  it("is gone when the server ends", async () => {
    expect(left).not.toBe("");
    await stage.close();
    await expect.poll(() => existsSync(left), { timeout: 5000 }).toBe(false);
  });
});
