// SPDX-License-Identifier: Apache-2.0
// A `telltale view` of one file, for as long as it is looked at.
import { type Opened, openBrowser } from "../browser";
import { beside, output, within } from "./limits";

const START_MS = 20_000;
const LOAD_MS = 120_000;

export interface Served {
  readonly address: string;
  readonly profile: string;
}

interface Listed {
  readonly profiles: readonly { readonly id: string; readonly folder: string }[];
}

async function firstProfile(address: string, folder: string): Promise<string> {
  for (;;) {
    const list = (await (await fetch(`${address}api/v1/profiles`)).json()) as Listed;
    const first = list.profiles.find((profile) => profile.folder.endsWith(folder));
    if (first) return first.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Of a file or folder.
export async function serving<T>(
  telltale: string,
  path: string,
  work: (address: string) => Promise<T>,
): Promise<T> {
  return await beside(telltale, ["view", path, "--port", "0", "--quiet"], async (server) =>
    work(await within(START_MS, "telltale view", output(server, /https?:\/\/\S+/))),
  );
}

// The first profile, in a folder whose name ends so.
export async function listed(address: string, folder = ""): Promise<Served> {
  const profile = await within(START_MS, "the list of profiles", firstProfile(address, folder));
  return { address, profile };
}

export async function viewed<T>(
  telltale: string,
  file: string,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  return await serving(telltale, file, async (address) => work(await listed(address)));
}

// When the profile was read, by the clock that pages have, too. Something else has to ask for it.
export async function loaded({ address, profile }: Served): Promise<number> {
  const end = Date.now() + LOAD_MS;
  while (Date.now() < end) {
    const answer = await fetch(`${address}api/v1/profiles/${profile}`);
    const { state, error } = (await answer.json()) as { state: string; error?: string };
    if (state === "ready") return performance.timeOrigin + performance.now();
    if (state === "failed") throw new Error(error ?? "the profile cannot be read");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`reading takes more than ${LOAD_MS / 1000} s`);
}

// Reads the profile.
export async function load(served: Served): Promise<void> {
  await fetch(`${served.address}api/v1/profiles/${served.profile}/report?view=overview`);
  await loaded(served);
}

export async function browsing<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = await openBrowser(1440, 900);
  try {
    return await work(opened);
  } finally {
    await within(10_000, "closing the browser", opened.browser.close()).catch(() => {});
  }
}
