// SPDX-License-Identifier: Apache-2.0
// Answers about runs, for the pages of runs: asked for again when the server says that something changed; until the new
// one is there, the old one stays.
import { useEffect, useRef, useState } from "preact/hooks";
import { apiUrl, getJson, messageOf, type Query } from "../api/client";
import { recoveries } from "./profiles";
import type { Resource } from "./resource";
import { runsRevision } from "./run_events";

const KEPT = 12; // lists may be long
const kept = new Map<string, unknown>();

function remember(url: string, data: unknown): void {
  kept.delete(url);
  kept.set(url, data);
  const oldest = kept.keys().next();
  if (kept.size > KEPT && !oldest.done) kept.delete(oldest.value);
}

// Parts of a page that ask for the same at the same time share one request.
interface Asked {
  readonly answer: Promise<unknown>;
  readonly abort: AbortController;
  waiting: number;
}
const asked = new Map<string, Asked>();

function ask(key: string, path: string, query: Query): Asked {
  let request = asked.get(key);
  if (request === undefined) {
    const abort = new AbortController();
    const answer = getJson<unknown>(path, query, abort.signal).finally(() => {
      if (asked.get(key)?.abort === abort) asked.delete(key);
    });
    request = { answer, abort, waiting: 0 };
    asked.set(key, request);
  }
  request.waiting += 1;
  return request;
}
function leave(key: string, request: Asked): void {
  request.waiting -= 1;
  if (request.waiting > 0) return;
  request.abort.abort();
  if (asked.get(key) === request) asked.delete(key);
}

export interface AskOptions {
  readonly live?: boolean; // default: yes
  readonly stay?: boolean; // what was shown stays while another question is asked, too
}

// `path` null: nothing is asked yet.
export function useRunsJson<T>(
  path: string | null,
  query: Query = {},
  options: AskOptions = {},
): Resource<T> {
  const url = path === null ? "" : apiUrl(path, query);
  const [answer, setAnswer] = useState<{ url: string; resource: Resource<T> } | null>(null);
  const shown = useRef<T | null>(null);
  const version = options.live === false ? 0 : runsRevision.value;
  useEffect(() => {
    if (path === null) return;
    let left = false;
    const key = `${version} ${url}`;
    const request = ask(key, path, query);
    request.answer.then(
      (data) => {
        if (left) return;
        remember(url, data);
        setAnswer({ url, resource: { state: "ready", data: data as T } });
      },
      (error: unknown) => {
        if (left) return;
        kept.delete(url);
        setAnswer({ url, resource: { state: "failed", data: null, message: messageOf(error) } });
      },
    );
    return () => {
      left = true;
      leave(key, request);
    };
  }, [url, version, recoveries.value]);
  if (path === null) return { state: "loading", data: null };
  const resource: Resource<T> =
    answer?.url === url
      ? answer.resource
      : kept.has(url)
        ? { state: "ready", data: kept.get(url) as T }
        : { state: "loading", data: null };
  if (resource.state === "ready") shown.current = resource.data;
  if (resource.state === "loading" && options.stay && shown.current !== null)
    return { state: "ready", data: shown.current };
  return resource;
}
