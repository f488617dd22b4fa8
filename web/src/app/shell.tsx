// SPDX-License-Identifier: Apache-2.0
// The frame around every page: rail, top bar, the page itself, and what lies over it.
import { useEffect } from "preact/hooks";
import { listed, searching, title, trouble } from "../state/profiles";
import { go, pageParams, params, scope, set } from "../state/route";
import { Content } from "./content";
import { DropTarget } from "./drop_target";
import { KeysHelp } from "./keys_help";
import { keysOpen, paletteOpen } from "./overlays";
import { Palette } from "./palette";
import { Rail, railOpen } from "./rail";
import { TopBar } from "./top_bar";
import { called, page, pages, profile } from "./where";

let pending = Number.NEGATIVE_INFINITY; // when `g` was pressed

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
  else if (event.timeStamp - pending < 900) {
    const to = pages.value.find((entry) => entry.key === event.key);
    if (to === undefined) return;
    pending = Number.NEGATIVE_INFINITY;
    event.preventDefault();
    event.stopImmediatePropagation();
    go(pageParams(to.name));
  }
}

export function Shell() {
  useEffect(() => {
    document.addEventListener("keydown", shortcuts, true);
    return () => document.removeEventListener("keydown", shortcuts, true);
  }, []);
  const names = [page.value?.title, called.value?.name, title.value].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = names.slice(0, 200);
  }, [names]);
  // The address tells what is shown, also where nobody chose it: to share, to reload, and when a file comes or goes.
  const unnamed = scope.value.kind === "workspace" && !searching.value ? profile.value?.id : undefined;
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
