// SPDX-License-Identifier: Apache-2.0
// Which keys do what, on `?`.
import { Dialog } from "../ui/dialog";
import { keysOpen } from "./overlays";

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Everywhere",
    [
      ["Ctrl K", "go to any profile, page, operator or kernel"],
      [
        "g then a letter",
        "go to a page: o overview, t timeline, p operators, k kernels, m memory, f functions",
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
];

export function KeysHelp() {
  return (
    <Dialog open={keysOpen} label="Keys" class="keys-help">
      {() => (
        <>
          <h2>Keys</h2>
          {KEYS.map(([where, keys]) => (
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
