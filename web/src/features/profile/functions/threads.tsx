// SPDX-License-Identifier: Apache-2.0
// Which thread is shown. They ran side by side: all are summed only when that is chosen.

import type { Query } from "../../../api/client";
import type { FunctionThread } from "../../../api/generated";
import { visible } from "../../../lib/text";
import { valueIn } from "../../../lib/tree_text";
import { changed, go, params } from "../../../state/route";
import type { FunctionsReport } from "./data";

const ALL = "all";

// The thread of the address, for the server: the main one unless another, or the sum, is chosen; and the time.
export function threadQuery(): Query {
  const chosen = params.value.thread ?? "main";
  return { thread: chosen === ALL ? null : chosen, between: params.value.between };
}

type Functions = NonNullable<FunctionsReport["functions"]>;

export function ThreadPicker({ functions }: { readonly functions: Functions | null }) {
  const threads = functions?.threads ?? [];
  if (functions === null || threads.length < 2) return null;
  const unit = functions.unit ?? "ns";
  const option = (thread: FunctionThread) => {
    const number = threads.indexOf(thread);
    return (
      <option key={number} value={String(number)}>
        {`${visible(thread.name).slice(0, 60)}, ${valueIn(unit, thread.total_ns)}`}
      </option>
    );
  };
  const working = threads.filter((thread) => !thread.idle);
  const idle = threads.filter((thread) => thread.idle);
  const choose = (value: string): void => {
    const main = threads[Number(value)]?.main === true;
    // What was zoomed to is of the other thread.
    go(changed({ thread: main ? null : value, root: null, from: null, to: null }));
  };
  return (
    <label class="functions-thread">
      Thread{" "}
      <select
        value={typeof functions.thread === "number" ? String(functions.thread) : ALL}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {working.map(option)}
        {idle.length === 0 ? null : <optgroup label="Only waiting">{idle.map(option)}</optgroup>}
        <option value={ALL}>{`all ${threads.length}, summed`}</option>
      </select>
    </label>
  );
}
