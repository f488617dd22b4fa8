// SPDX-License-Identifier: Apache-2.0
// The frame around every page: rail, top bar, the page itself, and what lies over it.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isRead, type ProfileInfo } from "../api/types";
import type { PageProps } from "../features/page_props";
import { listed, profile, profiles, recoveries, searching, title, trouble } from "../state/profiles";
import { useReport } from "../state/report";
import { go, pageAddress, pageParams, params, profileId, set, view } from "../state/route";
import { Boundary } from "../ui/boundary";
import { FileState, Partly } from "../ui/file_state";
import { Empty, Failed, Page, Skeleton } from "../ui/page";
import { Unreadable } from "../ui/unreadable";
import { DropTarget } from "./drop_target";
import { KeysHelp } from "./keys_help";
import { keysOpen, paletteOpen } from "./overlays";
import { Palette } from "./palette";
import { Rail, railOpen } from "./rail";
import { missing, type Page as PageEntry, pages } from "./registry";
import { TopBar } from "./top_bar";

const loaded = new Map<string, ComponentType<PageProps>>();

function usePage(entry: PageEntry | undefined): ComponentType<PageProps> | string | null {
  const [, setCount] = useState(0);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    if (!entry || loaded.has(entry.name)) return;
    let gone = false;
    entry.load().then(
      (module) => {
        loaded.set(entry.name, module.default);
        if (!gone) setCount((n) => n + 1);
      },
      (error: unknown) => {
        if (!gone) setFailed(`${entry.name}: ${error instanceof Error ? error.message : String(error)}`);
      },
    );
    return () => {
      gone = true;
    };
  }, [entry, recoveries.value]);
  if (!entry) return null;
  const page = loaded.get(entry.name);
  return page ?? (failed.startsWith(`${entry.name}: `) ? failed : null);
}

function Content() {
  const shown = profile.value;
  const entry = pages.find((p) => p.name === view.value);
  const Shown = usePage(entry);
  if (!entry) {
    return (
      <Page title="No such page">
        <Empty what={`There is no page “${view.value}”.`} />
      </Page>
    );
  }
  if (shown === null) return <Nothing />;
  if (shown.state === "failed" && entry.name !== "diagnostics" && entry.name !== "compare") {
    return (
      <Page title={entry.title} sentence="This profile could not be read.">
        <Unreadable profile={shown} />
      </Page>
    );
  }
  if (shown.kind === null && shown.state !== "ready") return <Opening profile={shown} title={entry.title} />;
  const lack = missing(entry, shown);
  // Of a trace, the page itself knows best what is not there.
  if (lack !== null && entry.name !== "timeline" && (shown.kind === "functions" || shown.kind === "memory"))
    return <Lacking profile={shown} entry={entry} needs={lack} />;
  if (Shown === null || typeof Shown === "string") {
    return (
      <Page title={entry.title} sentence={Shown === null ? null : undefined}>
        {Shown === null ? (
          <Skeleton lines={8} />
        ) : (
          <Failed what="This page could not be loaded." message={Shown} />
        )}
      </Page>
    );
  }
  return (
    <>
      <FileState profile={shown} />
      {isRead(shown) && entry.name !== "diagnostics" ? <Partly profile={shown} /> : null}
      <Boundary key={`${entry.name} ${shown.id}`} what={entry.title}>
        <Shown profile={shown} key={`${entry.name} ${shown.id}`} />
      </Boundary>
    </>
  );
}

const KINDS = { functions: "profile of functions", memory: "record of memory" } as const;

// A page that this kind of profile never has: what it needs, and which pages there are.
function Lacking({
  profile: shown,
  entry,
  needs,
}: {
  readonly profile: ProfileInfo;
  readonly entry: PageEntry;
  readonly needs: string;
}) {
  const has = pages.filter((page) => !page.always && missing(page, shown) === null);
  const kind = shown.kind === "memory" ? KINDS.memory : KINDS.functions;
  return (
    <Page title={entry.title} sentence={`A ${kind} has nothing for this page.`}>
      <Empty what={needs}>
        {has.map((page) => (
          <p key={page.name}>
            <a href={pageAddress(page.name)}>Open {page.title}</a>
          </p>
        ))}
      </Empty>
    </Page>
  );
}

// Nothing is known of the profile yet, not even what it is a profile of: asking for the least of it has it read.
function Opening({
  profile: opened,
  title: name,
}: {
  readonly profile: ProfileInfo;
  readonly title: string;
}) {
  const report = useReport(opened, "diagnostics", {}, false);
  return (
    <>
      <FileState profile={opened} />
      <Page title={name} sentence={report.state === "failed" ? undefined : null}>
        {report.state === "failed" ? <Failed message={report.message} /> : <Skeleton lines={10} />}
      </Page>
    </>
  );
}

function Nothing() {
  if (!listed.value) {
    return (
      <Page title="Opening" sentence={trouble.value === null ? null : undefined}>
        {trouble.value === null ? (
          <Skeleton lines={8} />
        ) : (
          <Failed what="Nothing could be loaded." message={trouble.value} />
        )}
      </Page>
    );
  }
  if (profileId.value !== null && profiles.value.length > 0) {
    return (
      <Page title="Not here" sentence="The profile of this address is not open any more.">
        <Empty what="Its file may have been moved or deleted. Choose another one on the left." />
      </Page>
    );
  }
  return (
    <Page title="Nothing open" sentence="There are no profiles in the folders that were given.">
      <Empty what="Traces, .prof files and memory snapshots appear here by themselves as soon as they are written." />
    </Page>
  );
}

const LETTERS: Readonly<Record<string, string>> = {
  o: "overview",
  t: "timeline",
  p: "operators",
  k: "kernels",
  m: "memory",
  f: "functions",
  c: "compare",
  q: "query",
  d: "diagnostics",
};

let pending = 0; // when `g` was pressed

function shortcuts(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    paletteOpen.value = !paletteOpen.value;
    return;
  }
  const target = event.target as HTMLElement | null;
  if (event.ctrlKey || event.metaKey || event.altKey || target?.closest("input,textarea,select,dialog"))
    return;
  if (event.key === "?") keysOpen.value = true;
  else if (event.key === "Escape") railOpen.value = false;
  else if (event.key === "g" && target?.closest("[role=grid]") === null) pending = event.timeStamp;
  else if (event.timeStamp - pending < 900 && LETTERS[event.key] !== undefined) {
    pending = 0;
    event.preventDefault();
    event.stopImmediatePropagation();
    go(pageParams(LETTERS[event.key] as string));
  }
}

export function Shell() {
  useEffect(() => {
    document.addEventListener("keydown", shortcuts, true);
    return () => document.removeEventListener("keydown", shortcuts, true);
  }, []);
  const page = pages.find((p) => p.name === view.value)?.title ?? "";
  const name = profile.value?.name ?? "";
  useEffect(() => {
    document.title = [page, name, title.value].filter(Boolean).join(" · ").slice(0, 200);
  }, [page, name, title.value]);
  // The address tells what is shown, also where nobody chose it: to share, to reload, and when a file comes or goes.
  const unnamed = profileId.value === null && !searching.value ? profile.value?.id : undefined;
  useEffect(() => {
    if (unnamed !== undefined) set({ profile: unnamed });
  }, [unnamed]);
  // What a profile of functions opens on is known once it is read.
  const first = params.value.view === undefined ? profile.value?.first_view : undefined;
  useEffect(() => {
    if (first === "functions") set({ view: first });
  }, [first]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the page
      </button>
      <Rail />
      {railOpen.value ? (
        <button
          type="button"
          class="rail-shade"
          aria-label="Close"
          onClick={() => {
            railOpen.value = false;
          }}
        />
      ) : null}
      <TopBar />
      <main id="main" class="content" tabIndex={-1}>
        {trouble.value === null || !listed.value ? null : (
          <div class="offline" role="status">
            {trouble.value} What is shown is the last that came; the page goes on by itself when the server
            answers again.
          </div>
        )}
        <Content />
      </main>
      <DropTarget />
      <Palette />
      <KeysHelp />
    </div>
  );
}
