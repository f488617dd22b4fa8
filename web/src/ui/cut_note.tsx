// SPDX-License-Identifier: Apache-2.0
// A table of which the server sent only the beginning says so, and how to get the rest.
import type { ReportHead } from "../state/report";
import { params, set } from "../state/route";

// The limit to ask for: all rows if the viewer wants them.
export const rowLimit = (): { readonly limit?: number } => (params.value.all === "1" ? { limit: 0 } : {});

export interface CutNoteProps {
  readonly head: ReportHead;
  readonly table: string;
  readonly shown: number;
}

export function CutNote({ head, table, shown }: CutNoteProps) {
  const total = head.rows_total?.[table] ?? shown;
  if (total <= shown) return null;
  return (
    <>
      the first {shown.toLocaleString("en-US")} of {total.toLocaleString("en-US")}{" "}
      <button type="button" class="plain small" onClick={() => set({ all: "1" })}>
        Load all
      </button>
    </>
  );
}
