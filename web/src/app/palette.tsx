// SPDX-License-Identifier: Apache-2.0
// Ctrl-K: any page, profile, operator or kernel by name.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isRead } from "../api/types";
import { kernelName } from "../lib/kernel_names";
import { rank } from "../lib/palette";
import { keyOf } from "../lib/text";
import { profiles } from "../state/profiles";
import { useReport } from "../state/report";
import { useJson } from "../state/resource";
import { go, ofProfile, ofRun, type Params, pageParams, WORKSPACE } from "../state/route";
import { runCount } from "../state/run_events";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { Name } from "../ui/name";
import { paletteOpen } from "./overlays";
import { missing } from "./registry";
import { pages, profile, subject, viewIn } from "./where";

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
  const path = runCount.value ? "runs" : null;
  const runs = useJson<{ runs: readonly (Named & { id: string })[] }>(path, { limit: 2000 });
  const tags = useJson<{ tags: readonly { tag: string }[] }>(path && "series/tags");
  return useMemo(() => {
    const entries: Entry[] = [];
    for (const page of pages.value) {
      if (missing(page, subject.value) !== null) continue;
      entries.push({ name: page.title, kind: "page", icon: page.name, to: () => pageParams(page.name) });
    }
    for (const p of profiles.peek()) {
      entries.push({
        name: p.name,
        kind: "profile",
        icon: "folder",
        to: () => pageParams(viewIn("profile"), {}, ofProfile(p.id)),
      });
    }
    const named = (kind: string, rows: readonly Named[] = []): void => {
      for (const { name } of rows)
        entries.push({
          name,
          kind,
          icon: `${kind}s`,
          to: () => pageParams(`${kind}s`, { open: keyOf(name) }),
        });
    };
    named("operator", operators.data?.operators);
    named("kernel", kernels.data?.kernels);
    for (const { id, name } of runs.data?.runs ?? [])
      entries.push({ name, kind: "run", icon: "group", to: () => pageParams("overview", {}, ofRun(id)) });
    for (const { tag } of tags.data?.tags ?? [])
      entries.push({
        name: tag,
        kind: "tag",
        icon: "curves",
        to: () => pageParams("curves", { q: tag.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") }, WORKSPACE),
      });
    return entries;
  }, [pages.value, subject.value, operators, kernels, runs, tags]);
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
        placeholder="Page, run, tag, profile, operator, kernel …"
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
