// SPDX-License-Identifier: Apache-2.0
// Shares of a whole as one stacked bar, with a legend that names each with its number. Each part may lead somewhere.
import type { ComponentChildren } from "preact";
import { percent } from "../lib/units";

export interface Share {
  readonly key: string;
  readonly title: string;
  readonly value: number;
  readonly text: string; // the value for people
  readonly color: string; // a token: "var(--c-kernel)"
  readonly href?: string;
  readonly help?: string;
}

export interface ShareBarProps {
  readonly shares: readonly Share[];
  readonly label: string; // what the whole is, for those who cannot see it
  readonly total?: number;
  readonly legend?: boolean;
  readonly height?: string;
  readonly children?: ComponentChildren;
}

export function ShareBar({ shares, label, total, legend = true, height = "28px", children }: ShareBarProps) {
  const sum = total ?? shares.reduce((all, share) => all + share.value, 0);
  const part = (share: Share): number => (sum > 0 ? share.value / sum : 0);
  const shown = shares.filter((share) => share.value > 0);
  const summary = shown.map((s) => `${s.title} ${s.text} (${percent(part(s))})`).join(", ");
  return (
    <figure class="share-bar">
      <div class="share-bar-bar" style={{ height }} role="img" aria-label={`${label}: ${summary}`}>
        {shown.map((share) => (
          <div
            key={share.key}
            class="share-bar-part"
            style={{ flexGrow: String(part(share)), background: share.color }}
            title={`${share.title}: ${share.text}, ${percent(part(share))}`}
          />
        ))}
      </div>
      {children}
      {legend ? (
        <ul class="share-legend">
          {shares.map((share) => {
            const content = (
              <>
                <span class="swatch" style={{ background: share.color }} />
                <span class="share-title">{share.title}</span>
                <span class="num share-percent">{percent(part(share))}</span>
                <span class="num muted share-value">{share.text}</span>
              </>
            );
            return (
              <li key={share.key} class={share.value > 0 ? "" : "nothing"} title={share.help}>
                {share.href !== undefined && share.value > 0 ? (
                  <a href={share.href}>{content}</a>
                ) : (
                  <span>{content}</span>
                )}
              </li>
            );
          })}
        </ul>
      ) : null}
    </figure>
  );
}
