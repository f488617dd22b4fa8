// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, it, vi } from "vitest";
import { getText, messageOf } from "./client";

afterEach(() => {
  vi.unstubAllGlobals();
});

const answerWith = (answer: () => Promise<Response>): void => {
  vi.stubGlobal("fetch", answer);
};
const failureOf = async (): Promise<string> =>
  await getText("profiles").then(
    () => "none",
    (error: unknown) => messageOf(error),
  );

it("passes on what the server says of a failure", async () => {
  const body = { error: { code: "no_token", message: "Open it with its token." } };
  answerWith(async () => Response.json(body, { status: 401 }));
  expect(await failureOf()).toBe("Open it with its token.");
});

it("says what to do where a token is asked for without a word", async () => {
  answerWith(async () => new Response("<html>", { status: 401 }));
  expect(await failureOf()).toContain("the part behind ?token= included");
});

it("says that nobody answers", async () => {
  answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(await failureOf()).toContain("The server does not answer.");
});
