// SPDX-License-Identifier: Apache-2.0
// What the server says of changes, for as long as the page is open. The events are those of its stream; which way they
// come is decided in lib/change_follower.ts.
import { apiUrl, getText } from "../api/client";
import { ChangeFollower, type FollowerParts, type Line } from "../lib/change_follower";
import type { FromHub } from "../lib/change_hub";
// The file's name has a hash of its content: a worker of another version is another worker.
import ChangesWorker from "./changes_worker?sharedworker";

function connect(heard: (message: FromHub) => void, failed: () => void): Line | null {
  if (typeof SharedWorker === "undefined") return null;
  try {
    // Relative addresses mean something else in a worker: it gets the whole one, as its name.
    const worker = new ChangesWorker({ name: new URL(apiUrl("changes"), location.href).href });
    worker.onerror = failed;
    worker.port.onmessage = (event: MessageEvent<FromHub>) => heard(event.data);
    return {
      say: (message) => worker.port.postMessage(message),
      close: () => worker.port.close(),
    };
  } catch {
    return null; // Forbidden, as storage may be.
  }
}

export function followChanges(parts: Pick<FollowerParts, "take" | "takeList" | "trouble" | "isBusy">): void {
  const isVisible = (): boolean => document.visibilityState === "visible";
  const ask = (signal: AbortSignal): Promise<string> => getText("profiles", { limit: 10_000 }, signal);
  const follower = new ChangeFollower({ connect, ask, isVisible, ...parts });
  follower.start();
  document.addEventListener("visibilitychange", () => {
    if (isVisible()) follower.wake();
  });
  // A page that is left may be kept for Back, and shown again.
  addEventListener("pagehide", () => follower.stop());
  addEventListener("pageshow", (event) => {
    if (event.persisted) follower.start();
  });
}
