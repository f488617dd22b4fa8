// SPDX-License-Identifier: Apache-2.0
// Something asked of the server, as a page sees it: not there yet, there, or failed. The last answers are kept, so
// that Back shows a page at once.
import { useEffect, useState } from "preact/hooks";
import { apiUrl, getJson, type Query, RequestError } from "../api/client";
import { versionOf } from "./profiles";

export type Resource<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly data: T }
  | { readonly state: "failed"; readonly message: string };

const KEPT = 40;
const kept = new Map<string, unknown>();

function remember(key: string, data: unknown): void {
  kept.delete(key);
  kept.set(key, data);
  const oldest = kept.keys().next();
  if (kept.size > KEPT && !oldest.done) kept.delete(oldest.value);
}

// `path` null: nothing is asked yet.
export function useJson<T>(path: string | null, query: Query = {}): Resource<T> {
  // A file that changed on disk is asked for again.
  const version = path === null ? "" : versionOf(/^profiles\/([^/]+)/.exec(path)?.[1] ?? "");
  const key = path === null ? "" : `${apiUrl(path, query)}#${version}`;
  const [result, setResult] = useState<{ key: string; resource: Resource<T> }>({
    key: "",
    resource: { state: "loading" },
  });
  useEffect(() => {
    if (path === null || kept.has(key)) return;
    const abort = new AbortController();
    getJson<T>(path, query, abort.signal).then(
      (data) => {
        remember(key, data);
        if (!abort.signal.aborted) setResult({ key, resource: { state: "ready", data } });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const message = error instanceof RequestError ? error.message : String(error);
        setResult({ key, resource: { state: "failed", message } });
      },
    );
    return () => abort.abort();
  }, [key]);
  if (path !== null && kept.has(key)) return { state: "ready", data: kept.get(key) as T };
  return result.key === key ? result.resource : { state: "loading" };
}
