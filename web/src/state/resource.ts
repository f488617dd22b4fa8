// SPDX-License-Identifier: Apache-2.0
// Something asked of the server, as a page sees it: not there yet, there, or failed. The last answers are kept, so
// that Back shows a page at once. An answer about a file that changed stays until the new one has come.
import { useEffect, useRef, useState } from "preact/hooks";
import { apiUrl, getJson, messageOf, type Query } from "../api/client";
import { recoveries, versionOf } from "./profiles";

export type Resource<T> =
  | { readonly state: "loading"; readonly data: null }
  | { readonly state: "ready"; readonly data: T }
  | { readonly state: "failed"; readonly data: null; readonly message: string };

export const LOADING: Resource<never> = { state: "loading", data: null };
export const failed = (error: unknown): Resource<never> => ({
  state: "failed",
  data: null,
  message: messageOf(error),
});

const KEPT = 40;
const kept = new Map<string, unknown>();

function remember(key: string, data: unknown): void {
  kept.delete(key);
  kept.set(key, data);
  const oldest = kept.keys().next();
  if (kept.size > KEPT && !oldest.done) kept.delete(oldest.value);
}

// Parts of a page that ask for the same share one request; it is given up when nobody waits for it any more.
interface Asked {
  readonly answer: Promise<unknown>;
  readonly abort: AbortController;
  waiting: number;
}
const asked = new Map<string, Asked>();

function ask(key: string, path: string, query: Query): Asked {
  const known = asked.get(key);
  if (known) {
    known.waiting += 1;
    return known;
  }
  const abort = new AbortController();
  const answer = getJson<unknown>(path, query, abort.signal).finally(() => {
    if (asked.get(key)?.abort === abort) asked.delete(key);
  });
  const request = { answer, abort, waiting: 1 };
  asked.set(key, request);
  return request;
}

function leave(key: string, request: Asked): void {
  request.waiting -= 1;
  if (request.waiting > 0) return;
  request.abort.abort();
  if (asked.get(key) === request) asked.delete(key);
}

// The profiles that an answer is made from.
const idsIn = (path: string, query: Query): readonly string[] =>
  path === "diff"
    ? [String(query.before), String(query.after)]
    : [/^profiles\/([^/]+)/.exec(path)?.[1] ?? ""];

// `path` null: nothing is asked yet.
export function useJson<T>(path: string | null, query: Query = {}): Resource<T> {
  const url = path === null ? "" : apiUrl(path, query);
  const key = path === null ? "" : `${url}#${idsIn(path, query).map(versionOf).join("#")}`;
  const last = useRef<{ url: string; data: T } | null>(null);
  const [result, setResult] = useState<{ key: string; resource: Resource<T> }>({
    key: "",
    resource: LOADING,
  });
  useEffect(() => {
    if (path === null || kept.has(key)) return;
    let left = false;
    const request = ask(key, path, query);
    request.answer.then(
      (data) => {
        remember(key, data);
        if (!left) setResult({ key, resource: { state: "ready", data: data as T } });
      },
      (error: unknown) => {
        if (!left) setResult({ key, resource: failed(error) });
      },
    );
    return () => {
      left = true;
      leave(key, request);
    };
  }, [key, recoveries.value]);
  const resource: Resource<T> =
    path !== null && kept.has(key)
      ? { state: "ready", data: kept.get(key) as T }
      : result.key === key
        ? result.resource
        : LOADING;
  if (resource.state === "ready") last.current = { url, data: resource.data };
  if (resource.state === "loading" && path !== null && last.current?.url === url)
    return { state: "ready", data: last.current.data };
  return resource;
}
