// SPDX-License-Identifier: Apache-2.0
// What the colours mean: the modules with the most boxes' time, own code first.
import { useMemo } from "preact/hooks";
import type { Painted } from "../../../charts/tree_look";
import type { CallTree } from "../../../lib/calltree";
import { visible } from "../../../lib/text";

const SHOWN = 12;

export function Legend({ tree, painted }: { readonly tree: CallTree; readonly painted: readonly Painted[] }) {
  const modules = useMemo(() => {
    const weight = new Map<string, { paint: Painted; time: number }>();
    for (let i = 0; i < tree.fn.length; i++) {
      const paint = painted[tree.fn[i] as number];
      if (paint === undefined) continue;
      const slot = weight.get(paint.module) ?? { paint, time: 0 };
      slot.time += tree.high[i] as number;
      weight.set(paint.module, slot);
    }
    return [...weight.values()].sort((a, b) => b.time - a.time).slice(0, SHOWN);
  }, [tree, painted]);
  const own = modules.filter((m) => m.paint.own);
  const library = modules.filter((m) => !m.paint.own);
  const list = (title: string, of: typeof modules) =>
    of.length === 0 ? null : (
      <ul class="legend" aria-label={title}>
        <li class="muted">{title}</li>
        {of.map(({ paint }) => (
          <li key={paint.module}>
            <i style={{ background: paint.fill }} />
            {visible(paint.module)}
          </li>
        ))}
      </ul>
    );
  return (
    <div class="functions-legend">
      {list("own code", own)}
      {list("libraries", library)}
    </div>
  );
}
