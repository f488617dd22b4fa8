// SPDX-License-Identifier: Apache-2.0
// Which two are compared. Both are in the address as soon as one is chosen: reload, share and Back have the pair.
import { useMemo } from "preact/hooks";
import type { ProfileInfo } from "../../../api/types";
import { related } from "../../../lib/related";
import { bytes } from "../../../lib/units";
import { address, changed, go, type Params } from "../../../state/route";
import { Combobox } from "../../../ui/combobox";

const pair = (before: string, after: string | null): Params => changed({ before, after });

export interface PairProps {
  readonly list: readonly ProfileInfo[];
  readonly before: ProfileInfo;
  readonly after: ProfileInfo | undefined;
}

export function Choices({ list, before, after }: PairProps) {
  const choices = useMemo(
    () => list.map((p) => ({ key: p.id, name: p.name, hint: `${p.kind ?? ""} ${bytes(p.bytes)}`.trim() })),
    [list],
  );
  const others = useMemo(() => choices.filter(({ key }) => key !== before.id), [choices, before.id]);
  const placeholder = "Type to find a profile";
  return (
    <div class="compare-choices">
      <Combobox
        label="Before"
        value={before.id}
        onChoose={(id) => go(pair(id, after === undefined || after.id === id ? null : after.id))}
        placeholder={placeholder}
        choices={choices}
      />
      <button
        type="button"
        title="The other way round"
        disabled={after === undefined}
        onClick={() => go(pair(after?.id ?? "", before.id))}
      >
        ⇄ Swap
      </button>
      <Combobox
        label="After"
        value={after?.id ?? ""}
        onChoose={(id) => go(pair(before.id, id))}
        placeholder={placeholder}
        choices={others}
      />
    </div>
  );
}

const OFFERED = 6;

// What is likely meant, for a click: never compared unasked.
export function Offers({ list, before }: Omit<PairProps, "after">) {
  const offered = related(list, before).slice(0, OFFERED);
  if (offered.length === 0) return null;
  return (
    <div class="compare-offers">
      <span class="muted">Of the same series:</span>
      <ul>
        {offered.map((p) => (
          <li key={p.id}>
            <a href={address(pair(before.id, p.id))}>{p.name}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
