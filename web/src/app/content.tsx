// SPDX-License-Identifier: Apache-2.0
// The page itself, or what is said in its place: it is being loaded, there is no such page, nothing to show on it.
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isRead, type ProfileInfo } from "../api/types";
import type { PageProps } from "../features/page_props";
import { listed, profiles, recoveries, trouble } from "../state/profiles";
import { useReport } from "../state/report";
import { pageAddress, type ScopeKind, scope, view } from "../state/route";
import { Boundary } from "../ui/boundary";
import { FileState, Partly } from "../ui/file_state";
import { Empty, Failed, Page, Skeleton } from "../ui/page";
import { Unreadable } from "../ui/unreadable";
import { missing, type PageEntry, type Page as PageOf, pageOf } from "./registry";
import { page, pages, profile, undecided, where } from "./where";

const loaded = new Map<PageEntry, unknown>();

// The page once it is loaded; why it could not be.
function usePage<K extends ScopeKind>(
  entry: PageOf<K> | undefined,
): ComponentType<PageProps<K>> | string | null {
  const [, setCount] = useState(0);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    if (!entry || loaded.has(entry)) return;
    let gone = false;
    entry.load().then(
      (module) => {
        loaded.set(entry, module.default);
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
  const page = loaded.get(entry) as ComponentType<PageProps<K>> | undefined;
  return page ?? (failed.startsWith(`${entry.name}: `) ? failed : null);
}

export function Content() {
  const at = where.value;
  if (page.value === undefined) {
    return (
      <Page title="No such page">
        <Empty what={`There is no page “${view.value}”.`} />
      </Page>
    );
  }
  if (at.kind === "run") return <Opened kind={at.kind} of={{ run: at.id }} id={at.id} />;
  if (at.kind === "runs") return <Opened kind={at.kind} of={{ runs: at.ids }} id={at.ids.join()} />;
  if (at.kind === "workspace") return <Opened kind={at.kind} of={{}} id="" />;
  return <OfProfile />;
}

// A page, as soon as it is loaded.
function Opened<K extends ScopeKind>({
  kind,
  of,
  id,
  above,
}: {
  readonly kind: K;
  readonly of: PageProps<K>;
  readonly id: string; // of what it is about: another one, and the page begins anew
  readonly above?: ComponentChildren;
}) {
  const entry = pageOf(kind, view.value);
  const Shown = usePage(entry);
  if (entry === undefined) return null;
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
      {above}
      <Boundary key={`${entry.name} ${id}`} what={entry.title}>
        <Shown {...of} />
      </Boundary>
    </>
  );
}

function OfProfile() {
  const shown = profile.value;
  const entry = pageOf("profile", view.value);
  if (shown === null || entry === undefined) return <Nothing />;
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
  const above = (
    <>
      <FileState profile={shown} />
      {isRead(shown) && entry.name !== "diagnostics" ? <Partly profile={shown} /> : null}
    </>
  );
  return <Opened kind="profile" of={{ profile: shown }} id={shown.id} above={above} />;
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
  const has = pages.value.filter((page) => !page.always && missing(page, shown) === null);
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
  if (!listed.value || undecided.value) {
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
  if (scope.value.kind === "profile" && profiles.value.length > 0) {
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
