// SPDX-License-Identifier: Apache-2.0
// Changes to runs that someone makes here (names, tags, notes, colours, pins; hidden, deleted), and how to take the last
// one back. The server keeps them beside the logs, never in them.
import { signal } from "@preact/signals";
import { messageOf } from "../../../api/client";
import { editRuns, type Run, type RunChange } from "../../../api/runs";
import { plural } from "../../../lib/text";
import { countRuns, lookAgain } from "../../../state/run_events";

export interface Done {
  readonly what: string; // "Deleted 3 runs."
  readonly undo: (() => Promise<void>) | null; // null: it failed, there is nothing to take back
}
export const done = signal<Done | null>(null);

// What a change puts in place of, so that it can be put back.
export function before(run: Run, change: RunChange): RunChange {
  const back: Record<string, unknown> = {};
  for (const key of Object.keys(change))
    if (key === "add_tags" || key === "remove_tags") back.tags = run.tags;
    // It was called as its run.json says: without a name of ours it is again.
    else if (key === "name" && run.title !== run.name) back.name = "";
    else back[key] = run[key as keyof Run] ?? (key === "note" ? null : "");
  return back as RunChange;
}

function words(change: RunChange, runs: readonly Run[]): string {
  const count = runs.length;
  const whom =
    count === 1 ? `“${runs[0]?.title ?? ""}”` : `${count.toLocaleString("en-US")} ${plural(count, "run")}`;
  if (change.deleted !== undefined) return `${change.deleted ? "Deleted" : "Restored"} ${whom}.`;
  if (change.hidden !== undefined) return `${change.hidden ? "Hid" : "Showed"} ${whom}.`;
  if (change.pinned !== undefined) return `${change.pinned ? "Pinned" : "Unpinned"} ${whom}.`;
  if (change.name !== undefined) return `Renamed ${whom} to “${change.name}”.`;
  if (change.color !== undefined) return `Coloured ${whom}.`;
  if (change.note !== undefined) return `Changed the note of ${whom}.`;
  return `Changed the tags of ${whom}.`;
}

async function send(ids: readonly string[], change: RunChange): Promise<void> {
  await editRuns(ids, change);
  if (change.deleted !== undefined) await countRuns();
  lookAgain();
}

export async function edit(runs: readonly Run[], change: RunChange): Promise<void> {
  if (runs.length === 0) return;
  const back = new Map<string, string[]>();
  for (const run of runs) {
    const key = JSON.stringify(before(run, change));
    const ids = back.get(key);
    if (ids) ids.push(run.id);
    else back.set(key, [run.id]);
  }
  try {
    await send(
      runs.map((run) => run.id),
      change,
    );
    const undo = async (): Promise<void> => {
      for (const [old, ids] of back) await send(ids, JSON.parse(old) as RunChange);
      done.value = null;
    };
    done.value = { what: words(change, runs), undo };
  } catch (error) {
    done.value = { what: `That could not be done: ${messageOf(error)}`, undo: null };
  }
}
