// SPDX-License-Identifier: Apache-2.0
// Ctrl-K: any page, profile, operator or kernel by name.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isRead } from "../api/types";
import { kernelName } from "../lib/kernel_names";
import { rank } from "../lib/palette";
import { keyOf } from "../lib/text";
import { profile, profiles } from "../state/profiles";
import { useReport } from "../state/report";
import { go, type Params, pageParams, view } from "../state/route";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { Name } from "../ui/name";
import { paletteOpen } from "./overlays";
import { missing, pages } from "./registry";

interface Named {
  readonly name: string;
}

interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly icon: string;
  readonly to: () => Params;
}

const SHOWN = 40;

export function Palette() {
  return (
    <Dialog open={paletteOpen} label="Go to" class="palette">
      {() => <Finder />}
    </Dialog>
  );
}

function useEntries(): readonly Entry[] {
  const shown = profile.value;
  const trace =
    shown !== null && isRead(shown) && shown.kind !== "functions" && shown.kind !== "memory" ? shown : null;
  const operators = useReport<{ operators?: readonly Named[] }>(trace, "operators");
  const kernels = useReport<{ kernels?: readonly Named[] }>(trace, "kernels");
  return useMemo(() => {
    const entries: Entry[] = [];
    for (const page of pages) {
      if (missing(page, shown) !== null) continue;
      entries.push({ name: page.title, kind: "page", icon: page.name, to: () => pageParams(page.name) });
    }
    for (const p of profiles.peek()) {
      entries.push({
        name: p.name,
        kind: "profile",
        icon: "folder",
        to: () => pageParams(view.value, {}, p.id),
      });
    }
    if (operators.state === "ready") {
      for (const { name } of operators.data.operators ?? [])
        entries.push({
          name,
          kind: "operator",
          icon: "operators",
          to: () => pageParams("operators", { open: keyOf(name) }),
        });
    }
    if (kernels.state === "ready") {
      for (const { name } of kernels.data.kernels ?? [])
        entries.push({
          name,
          kind: "kernel",
          icon: "kernels",
          to: () => pageParams("kernels", { open: keyOf(name) }),
        });
    }
    return entries;
  }, [shown, operators, kernels]);
}

function Finder() {
  const entries = useEntries();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => rank(entries, text, SHOWN), [entries, text]);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const open = (entry: Entry | undefined): void => {
    if (!entry) return;
    paletteOpen.value = false;
    go(entry.to());
  };
  return (
    <>
      <input
        type="search"
        class="palette-input"
        placeholder="Page, profile, operator, kernel …"
        // biome-ignore lint/a11y/noRedundantRoles: a search field has no such role of its own
        role="combobox"
        list={undefined}
        aria-label="Go to"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, at + 1));
          else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (event.key === "Enter") open(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div class="palette-list" id="palette-list" role="listbox" aria-label="Found" ref={list}>
        {found.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          <div
            key={`${entry.kind} ${entry.name}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <Name text={entry.name} shown={entry.kind === "kernel" ? kernelName(entry.name) : entry.name} />
            <span class="muted">{entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p class="muted palette-none">Nothing by that name.</p> : null}
    </>
  );
}
