// SPDX-License-Identifier: Apache-2.0
// Above every page: where one is, what every page is restricted to, and what can be done with the page.
import { visible } from "../lib/text";
import { profiles } from "../state/profiles";
import { changed, go, pageAddress, params } from "../state/route";
import { setTheme, type Theme, theme } from "../state/theme";
import { Icon } from "../ui/icon";
import { IconButton, useCopied } from "../ui/icon_button";
import { Menu } from "../ui/menu";
import { Name } from "../ui/name";
import { keysOpen, paletteOpen } from "./overlays";
import { railOpen } from "./rail";
import { StepPicker } from "./step_picker";
import { called, page, profile, shortName, where } from "./where";

function Breadcrumb() {
  const shown = called.value;
  return (
    <nav class="crumbs" aria-label="Where you are">
      {shown === null || shown.folder === "" ? null : (
        <>
          <span class="muted crumb-folder">
            <Name text={visible(shown.folder)} atEnd />
          </span>
          <span class="muted">/</span>
        </>
      )}
      {shown === null ? null : (
        <a class="crumb-profile" href={pageAddress("overview", {}, where.value)}>
          <Name text={shortName(shown)} />
        </a>
      )}
      {page.value === undefined ? null : (
        <>
          <span class="muted crumb-page">/</span>
          <span class="crumb-page">{page.value.title}</span>
        </>
      )}
    </nav>
  );
}

function RankPicker() {
  const ranks = profile.value?.ranks ?? [];
  if (ranks.length < 2) return null;
  return (
    <label class="rank-picker">
      <span class="visually-hidden">Rank</span>
      <select
        value={params.value.rank ?? ""}
        onChange={(event) => go(changed({ rank: event.currentTarget.value }))}
      >
        <option value="">All {ranks.length} ranks</option>
        {ranks.map((rank) => (
          <option key={rank} value={String(rank)}>
            Rank {rank}
          </option>
        ))}
      </select>
    </label>
  );
}

function Inside() {
  const inside = params.value.inside;
  if (inside === undefined) return null;
  return (
    <button
      type="button"
      class="chip"
      title="Only what is inside these annotations. Click to show everything"
      onClick={() => go(changed({ inside: null }))}
    >
      inside {visible(inside.slice(0, 40))} <Icon name="close" />
    </button>
  );
}

function Share() {
  const [copied, copy] = useCopied();
  return (
    <IconButton
      icon={copied ? "check" : "share"}
      class="plain"
      label="Share: copy the address of this view"
      title="Copy the address of exactly this view"
      onClick={() => copy(location.href)}
    >
      <span class="wide-only">{copied ? "Copied" : "Share"}</span>
    </IconButton>
  );
}

function ThemeChoice() {
  const names: readonly (readonly [Theme, string])[] = [
    ["system", "As the system"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  return (
    <Menu
      label=""
      plain
      title={`Theme: ${names.find(([key]) => key === theme.value)?.[1].toLowerCase()}`}
      icon={theme.value}
      items={names.map(([key, label]) => ({
        label,
        checked: theme.value === key,
        action: () => setTheme(key),
      }))}
    />
  );
}

export function TopBar() {
  const shown = profile.value;
  const trace = shown !== null && shown.kind !== "functions" && shown.kind !== "memory";
  return (
    <header class="top-bar">
      <IconButton
        icon="menu"
        class="plain rail-button"
        label="Show what is open"
        expanded={railOpen.value}
        onClick={() => {
          railOpen.value = !railOpen.value;
        }}
      />
      <Breadcrumb />
      <div class="top-actions">
        <Inside />
        {trace ? <StepPicker profile={shown} /> : null}
        <RankPicker />
        {shown === null || profiles.value.length < 2 ? null : (
          <a
            class="button"
            href={pageAddress("compare", { before: shown.id })}
            title="Compare with another profile"
          >
            <Icon name="compare" />
            <span class="wide-only">Compare</span>
          </a>
        )}
        <span class="divider" />
        <IconButton
          icon="search"
          class="plain"
          label="Go to, Ctrl K"
          title="Go to any profile, page, operator or kernel (Ctrl-K)"
          onClick={() => {
            paletteOpen.value = true;
          }}
        >
          <kbd class="wide-only">Ctrl K</kbd>
        </IconButton>
        <Share />
        <ThemeChoice />
        <IconButton
          icon="help"
          class="plain"
          label="Keys"
          title="Keys (?)"
          onClick={() => {
            keysOpen.value = true;
          }}
        />
      </div>
    </header>
  );
}
