// SPDX-License-Identifier: Apache-2.0
// Which runs are switched off, in the address: those that are off, or those that are on where they are fewer, so that the
// address stays short.

export interface Switched {
  readonly off: string | null;
  readonly only: string | null;
}

const list = (text: string | null | undefined): readonly string[] => (text ?? "").split(",").filter(Boolean);

export function offOf(
  ids: readonly string[],
  params: { readonly off?: string; readonly only?: string },
): ReadonlySet<string> {
  if (params.only === undefined) return new Set(list(params.off));
  const on = new Set(list(params.only));
  return new Set(ids.filter((id) => !on.has(id)));
}

export function switchedText(ids: readonly string[], off: ReadonlySet<string>): Switched {
  const away = ids.filter((id) => off.has(id));
  if (away.length === 0) return { off: null, only: null };
  if (2 * away.length <= ids.length) return { off: away.join(","), only: null };
  // "-": none at all; a run that comes later is off as well.
  return { off: null, only: ids.filter((id) => !off.has(id)).join(",") || "-" };
}
