// SPDX-License-Identifier: Apache-2.0
// Left: what is open, by folder, with its state; below, the pages of the profile shown.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ProfileInfo } from "../api/types";
import { listedFiles } from "../lib/tell_apart";
import { plural, visible } from "../lib/text";
import { bytes, percent } from "../lib/units";
import { cut, listed, profile, profiles, skipped, title, version } from "../state/profiles";
import { pageAddress, view } from "../state/route";
import { Icon } from "../ui/icon";
import { Name } from "../ui/name";
import { missing, pages } from "./registry";

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

export function shortName(p: ProfileInfo): string {
  return p.folder !== "" && p.name.startsWith(`${p.folder}/`) ? p.name.slice(p.folder.length + 1) : p.name;
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
      href={pageAddress(view.value, {}, p.id)}
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

function Pages() {
  const shown = profile.value;
  return (
    <nav class="rail-pages" aria-label="Pages">
      {pages.map((page) => {
        const lack = missing(page, shown);
        return (
          <a
            key={page.name}
            class={lack === null ? "rail-link" : "rail-link rail-dim"}
            href={pageAddress(page.name)}
            aria-current={view.value === page.name ? "page" : undefined}
            title={lack ?? page.title}
            onClick={() => {
              railOpen.value = false;
            }}
          >
            <Icon name={page.name} />
            <span class="rail-text">{page.title}</span>
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
        <label class="rail-filter">
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
