// SPDX-License-Identifier: Apache-2.0
// Giving the server a file that was dropped on the page: in pieces, one after the other, and then waiting until it
// is listed. The server takes files of its own user alone and says why if it does not.
import { signal } from "@preact/signals";
import { messageOf, postBytes, postJson } from "../api/client";
import { profiles } from "./profiles";
import { go } from "./route";

export interface Giving {
  readonly name: string;
  readonly sent: number;
  readonly bytes: number;
  readonly problem: string; // why it was not taken
}
export const giving = signal<Giving | null>(null);

const PIECE = 512 << 10; // half of what a request may hold

async function send(file: File): Promise<string> {
  const query = new URLSearchParams({ name: file.name, bytes: String(file.size) });
  const { id } = await postJson<{ id: string }>(`given?${query}`, {});
  for (let sent = 0; sent < file.size; sent += PIECE) {
    const piece = file.slice(sent, sent + PIECE);
    await postBytes(`given/${id}`, { offset: String(sent) }, await piece.arrayBuffer());
    giving.value = { name: file.name, sent: sent + piece.size, bytes: file.size, problem: "" };
  }
  return (await postJson<{ path: string }>(`given/${id}/done`, {})).path;
}

function whenListed(path: string): Promise<string> {
  return new Promise((resolve) => {
    const stop = profiles.subscribe((list) => {
      const found = list.find((profile) => profile.paths.includes(path));
      if (!found) return;
      queueMicrotask(() => stop());
      resolve(found.id);
    });
  });
}

// One after the other; the last is shown.
export async function give(files: readonly File[]): Promise<void> {
  for (const file of files) {
    giving.value = { name: file.name, sent: 0, bytes: file.size, problem: "" };
    try {
      const id = await whenListed(await send(file));
      giving.value = null;
      go({ profile: id });
    } catch (error) {
      giving.value = { name: file.name, sent: 0, bytes: file.size, problem: messageOf(error) };
      return;
    }
  }
}
