// SPDX-License-Identifier: Apache-2.0
// Talking to the server: one function per kind of answer. A profile that is still being read answers 202: the
// request waits and asks again, and whoever shows it sees the progress through the list of profiles.
import type { ApiError } from "./types";

export class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly detail: ApiError,
  ) {
    super(detail.message);
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof RequestError ? error.message : String(error);

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "" || value === false) continue;
    search.set(key, value === true ? "" : String(value));
  }
  const text = search.toString();
  return `./api/v1/${path}${text === "" ? "" : `?${text}`}`;
}

const NO_TOKEN =
  "The server asks for a token: open the whole address that telltale view printed, the part behind ?token= included.";

const LOADING = 202;
const UNAUTHORIZED = 401;

async function failure(response: Response): Promise<RequestError> {
  const message = response.status === UNAUTHORIZED ? NO_TOKEN : `The server answered ${response.status}.`;
  let detail: ApiError = { code: "http", message };
  try {
    const body = (await response.json()) as { error?: ApiError };
    if (body.error) detail = body.error;
  } catch {
    // Not JSON: the status is all there is.
  }
  return new RequestError(response.status, detail);
}

const RETRY_MS = 250;

// Whoever waits for a profile asks again at once when the server says that something changed.
const waiting = new Set<() => void>();
export function askAgain(): void {
  for (const wake of [...waiting]) wake();
}

async function untilChanged(): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(wake, RETRY_MS);
    waiting.add(wake);
  });
}

async function request(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  for (;;) {
    let response: Response;
    try {
      response = await fetch(url, signal ? { ...init, signal } : init);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new RequestError(0, {
        code: "offline",
        message: "The server does not answer. Is telltale view still running?",
      });
    }
    if (!response.ok) throw await failure(response);
    if (response.status !== LOADING) return response;
    await untilChanged();
    if (signal?.aborted) throw new DOMException("aborted", "AbortError");
  }
}

export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await (await request(apiUrl(path, query), {}, signal)).json()) as T;
}

export async function getText(path: string, query: Query = {}, signal?: AbortSignal): Promise<string> {
  return await (await request(apiUrl(path, query), {}, signal)).text();
}

export async function getBinary(path: string, query: Query = {}, signal?: AbortSignal): Promise<ArrayBuffer> {
  return await (await request(apiUrl(path, query), {}, signal)).arrayBuffer();
}

export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  return (await (await request(apiUrl(path), init, signal)).json()) as T;
}

// Answers of bytes to questions that are too long for an address.
export async function postBinary(path: string, body: unknown, signal?: AbortSignal): Promise<ArrayBuffer> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  return await (await request(apiUrl(path), init, signal)).arrayBuffer();
}

export async function postBytes(path: string, query: Query, bytes: ArrayBuffer): Promise<void> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: bytes,
  };
  await request(apiUrl(path, query), init, undefined);
}
