// SPDX-License-Identifier: Apache-2.0
// Which keys do what, on `?`.
import type { ScopeKind } from "../state/route";
import { Dialog } from "../ui/dialog";
import { keysOpen } from "./overlays";
import type { PageEntry } from "./registry";
import { pages, where } from "./where";

type Section = readonly [string, readonly (readonly [string, string])[]];

const everywhere = (pages: readonly PageEntry[]): readonly Section[] => [
  [
    "Everywhere",
    [
      ["Ctrl K", "go to any run, tag, profile, page, operator or kernel"],
      [
        "g then a letter",
        `go to a page: ${pages
          .filter((page) => page.key !== undefined)
          .map((page) => `${page.key} ${page.title.toLowerCase()}`)
          .join(", ")}`,
      ],
      ["?", "this help"],
      ["Esc", "close what is open"],
    ],
  ],
  [
    "Tables",
    [
      ["↑ ↓ PgUp PgDn Home End", "move"],
      ["Enter", "open the row"],
      ["← →", "close and open a group or branch"],
      ["letters", "filter"],
      ["Shift + click on a title", "sort by a second column"],
    ],
  ],
];

const CURVES: Section = [
  "Curves",
  [
    ["drag", "zoom x; with Shift, y; double click shows all"],
    ["Alt + wheel", "zoom y"],
    ["← → + − 0", "move the crosshair, zoom, show all"],
    ["click in the legend", "a run on or off; with Alt it alone"],
  ],
];
const OVER_TIME: Section = [
  "Over time, logs",
  [
    ["← → + − 0", "move the crosshair, zoom, show all"],
    ["Enter, click", "the log at that moment"],
    ["/", "search the log; Enter and Shift-Enter: next and previous"],
  ],
];
const RUNS: Section = [
  "Runs",
  [
    ["Space", "select; with Shift up to the last one"],
    ["e t n", "change name, tags, note"],
    ["p h Del", "pin, hide, delete"],
  ],
];

// Of pages that one scope has.
const OF_PAGES: Readonly<Partial<Record<ScopeKind, readonly Section[]>>> = {
  run: [OVER_TIME, CURVES],
  runs: [CURVES],
  workspace: [RUNS, CURVES],
  profile: [
    [
      "Timeline",
      [
        ["W S, wheel", "zoom in and out at the pointer"],
        ["A D, drag", "move"],
        ["Shift + drag", "measure; snaps to edges of spans, not with Alt"],
        ["double click", "zoom to a span"],
        ["/", "search by name, shape, argument; Enter and Shift-Enter: next and previous"],
        ["[ ]", "back to the launching call, on to what it launched"],
        ["{ }", "back and on along other flows: forward and backward operators"],
        ["m", "mark, or take a mark away; l: label it"],
        ["f", "fit"],
      ],
    ],
  ],
};

export function KeysHelp() {
  return (
    <Dialog open={keysOpen} label="Keys" class="keys-help">
      {() => (
        <>
          <h2>Keys</h2>
          {[...everywhere(pages.value), ...(OF_PAGES[where.value.kind] ?? [])].map(([where, keys]) => (
            <section key={where}>
              <h3>{where}</h3>
              <dl>
                {keys.map(([key, what]) => (
                  <div key={key}>
                    <dt>
                      <kbd>{key}</kbd>
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <button
            type="button"
            onClick={() => {
              keysOpen.value = false;
            }}
          >
            Close
          </button>
        </>
      )}
    </Dialog>
  );
}
