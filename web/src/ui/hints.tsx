// SPDX-License-Identifier: Apache-2.0
// How to go on from a picture: the end of a page.
import type { ComponentChildren } from "preact";
import { Panel } from "./page";
import "./hints.css";

export function Hints({ hints }: { readonly hints: readonly (ComponentChildren | null)[] }) {
  const shown = hints.filter((hint) => hint !== null);
  if (shown.length === 0) return null;
  return (
    <Panel title="Reading this page">
      <ul class="hints">
        {shown.map((hint, i) => (
          <li key={i}>{hint}</li>
        ))}
      </ul>
    </Panel>
  );
}
