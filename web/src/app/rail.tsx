// SPDX-License-Identifier: Apache-2.0
// Left: what is open, by folder, with its state; below, the pages that there are of what is shown.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ProfileInfo } from "../api/types";
import { listedFiles } from "../lib/tell_apart";
import { plural, visible } from "../lib/text";
import { bytes, percent } from "../lib/units";
import { cut, listed, profiles, skipped, title, version } from "../state/profiles";
import { ofProfile, pageAddress, WORKSPACE } from "../state/route";
import { runCount } from "../state/run_events";
import { Icon, iconsAdded } from "../ui/icon";
import { Name } from "../ui/name";
import { missing } from "./registry";
import { called, page, pages, profile, shortName, subject, viewIn, where } from "./where";

export const railOpen = signal(false); // matters in narrow windows only
const ROOM = 24; // letters of a name that the rail has room for
const filter = signal("");
const closed = signal<ReadonlySet<string>>(new Set());

const STATES: Readonly<Record<ProfileInfo["state"], string>> = {
  found: "not read yet",
  loading: "being read",
  ready: "ready",
  changed: "changed on disk",
  failed: "could not be read",
  gone: "deleted",
};

function byFolder(list: readonly ProfileInfo[]): ReadonlyMap<string, readonly ProfileInfo[]> {
  const words = filter.value.toLowerCase().split(/\s+/);
  const folders = new Map<string, ProfileInfo[]>();
  for (const p of list) {
    const text = `${p.folder}/${p.name}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const members = folders.get(p.folder);
    if (members) members.push(p);
    else folders.set(p.folder, [p]);
  }
  return folders;
}

function ProfileLink({ of: p, shown }: { readonly of: ProfileInfo; readonly shown: string }) {
  const link = useRef<HTMLAnchorElement>(null);
  const open = profile.value?.id === p.id;
  // The open profile is in view, however long the list is.
  useEffect(() => {
    if (open) link.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const share = p.state === "loading" && p.total_bytes > 0 ? p.loaded_bytes / p.total_bytes : null;
  const detail =
    p.state === "failed" && p.error !== null
      ? p.error
      : share !== null
        ? `being read: ${bytes(p.loaded_bytes)} of ${bytes(p.total_bytes)}`
        : `${STATES[p.state]}, ${bytes(p.bytes)}`;
  return (
    <a
      ref={link}
      class="rail-link rail-profile"
      href={pageAddress(viewIn("profile"), {}, ofProfile(p.id))}
      aria-current={open ? "true" : undefined}
      title={`${p.name}\n${detail}`}
    >
      <span class={`dot dot-${p.state}`} role="img" aria-label={STATES[p.state]} />
      <Name text={p.name} shown={shown} />
      {share === null ? null : (
        <span class="rail-progress" title={detail}>
          {percent(share)}
          <span class="rail-progress-bar" style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </a>
  );
}

function Profiles() {
  if (!listed.value) return <div class="bone rail-bone" aria-hidden="true" />;
  const folders = byFolder(profiles.value);
  if (folders.size === 0) {
    if (profiles.value.length === 0 && runCount.value) return null;
    return <p class="muted rail-note">{profiles.value.length === 0 ? "No profiles found." : "No match."}</p>;
  }
  return (
    <>
      {[...folders]
        .toSorted(([a], [b]) => Number(a !== "") - Number(b !== ""))
        .map(([folder, members]) => {
          const shown = listedFiles(members.map(shortName), ROOM);
          const isClosed = closed.value.has(folder) && filter.value === "";
          const toggle = (): void => {
            const next = new Set(closed.value);
            if (!next.delete(folder)) next.add(folder);
            closed.value = next;
          };
          return (
            <div key={folder} class="rail-folder">
              {folder === "" ? null : (
                <button type="button" class="rail-folder-name" aria-expanded={!isClosed} onClick={toggle}>
                  <span class={isClosed ? "twist" : "twist twist-open"}>
                    <Icon name="chevron" />
                  </span>
                  <Name text={folder} />
                  <span class="muted">{members.length}</span>
                </button>
              )}
              {isClosed
                ? null
                : members.map((p) => <ProfileLink key={p.id} of={p} shown={shown(shortName(p))} />)}
            </div>
          );
        })}
    </>
  );
}

// The way to all runs; below it the one that is open.
function Runs() {
  if (!runCount.value) return null;
  const { kind } = where.value;
  return (
    <nav class="rail-runs" aria-label="Runs">
      <a
        class="rail-link"
        href={pageAddress(
          kind === "run" || kind === "runs" ? viewIn("workspace") : "overview",
          {},
          WORKSPACE,
        )}
        aria-current={kind === "workspace" ? "true" : undefined}
      >
        <Icon name="group" />
        <span class="rail-text">All runs</span>
        <span class="muted rail-text">{runCount.value.toLocaleString("en-US")}</span>
      </a>
      {kind !== "run" && kind !== "runs" ? null : (
        <a class="rail-link" href={pageAddress("overview", {}, where.value)} aria-current="true">
          <Icon name="chevron" />
          <Name text={called.value?.name ?? ""} />
        </a>
      )}
    </nav>
  );
}

function Pages() {
  return (
    <nav class="rail-pages" aria-label="Pages">
      {pages.value.map((entry) => {
        const lack = missing(entry, subject.value);
        return (
          <a
            key={`${entry.name}${iconsAdded.value}`}
            class={lack === null ? "rail-link" : "rail-link rail-dim"}
            href={pageAddress(entry.name)}
            aria-current={entry === page.value ? "page" : undefined}
            title={lack ?? entry.title}
            onClick={() => {
              railOpen.value = false;
            }}
          >
            <Icon name={entry.name} />
            <span class="rail-text">{entry.title}</span>
            {lack === null ? null : <span class="visually-hidden">, no data: {lack}</span>}
          </a>
        );
      })}
    </nav>
  );
}

// What was found beside the profiles and is none, so that nobody looks for it.
function SkippedFiles() {
  const { count, first } = skipped.value;
  if (count === 0) return null;
  return (
    <details class="muted rail-note rail-skipped">
      <summary>
        {count.toLocaleString("en-US")} {plural(count, "file")} skipped
      </summary>
      <ul>
        {first.map(({ path, why }) => (
          <li key={path}>
            <Name text={path} />
            <div>{visible(why)}</div>
          </li>
        ))}
      </ul>
      {first.length < count ? <p>and {(count - first.length).toLocaleString("en-US")} more</p> : null}
    </details>
  );
}

export function Rail() {
  const loading = profiles.value.filter((p) => p.state === "loading");
  const done = loading.reduce((sum, p) => sum + p.loaded_bytes, 0);
  const all = loading.reduce((sum, p) => sum + p.total_bytes, 0);
  return (
    <aside class={railOpen.value ? "rail rail-open" : "rail"} aria-label="What is open">
      <div class="rail-head">
        <a
          class="rail-brand"
          href={pageAddress("overview")}
          title={version.value === "" ? "" : `Telltale ${version.value}`}
        >
          <span class="rail-mark" aria-hidden="true" />
          <span class="rail-text">{title.value}</span>
        </a>
      </div>
      <div class="rail-open-list">
        <Runs />
        <label class="rail-filter" hidden={profiles.value.length === 0}>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Filter profiles"
            aria-label="Filter profiles"
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
          />
        </label>
        <nav class="rail-profiles" aria-label="Profiles">
          <Profiles />
          {cut.value ? <p class="muted rail-note">There are more: the search stopped at a limit.</p> : null}
          <SkippedFiles />
        </nav>
        {loading.length === 0 ? null : (
          <div class="rail-loading" role="status">
            Reading {bytes(done)} of {bytes(all)}
            <span class="rail-loading-bar">
              <span style={{ width: `${all > 0 ? (done / all) * 100 : 0}%` }} />
            </span>
          </div>
        )}
      </div>
      <Pages />
    </aside>
  );
}
