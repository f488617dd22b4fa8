// SPDX-License-Identifier: Apache-2.0
// Search, depth and cut-off. All three are in the address.
import { useEffect, useRef } from "preact/hooks";
import { percent } from "../../../lib/units";
import { address, changed, params, set } from "../../../state/route";
import { CUTOFFS, DEFAULT_CUTOFF, DEFAULT_DEPTH } from "./data";

export interface Choice {
  readonly query: string;
  readonly depth: number;
  readonly cutoff: number;
}

export function choice(): Choice {
  const { q = "", depth, cut } = params.value;
  const asked = Number(depth ?? DEFAULT_DEPTH);
  const share = Number(cut ?? DEFAULT_CUTOFF);
  return {
    query: q,
    depth: Number.isFinite(asked) && asked >= 1 ? Math.min(200, Math.round(asked)) : DEFAULT_DEPTH,
    cutoff: Number.isFinite(share) && share >= 0 && share < 1 ? share : DEFAULT_CUTOFF,
  };
}

// Below a picture that goes no deeper.
export const Deeper = ({ than }: { readonly than: number }) => (
  <>
    More lies below level {than}.{" "}
    <a href={address(changed({ depth: String(Math.min(200, than * 2)) }))}>Show deeper</a>
  </>
);

export interface ControlsProps {
  readonly deepest: number;
  readonly found: string; // what the search found, in words
  readonly onEnter: () => void; // Enter in the search
  readonly pictures: boolean; // depth and cut-off apply
  readonly cutoffs?: boolean; // false: no cut-off
}

export function Controls({ deepest, found, onEnter, pictures, cutoffs = true }: ControlsProps) {
  const { query, depth, cutoff } = choice();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const levels = Math.max(2, deepest);
  const at = CUTOFFS.findIndex((c) => c >= cutoff);
  return (
    <div class="functions-controls">
      <label>
        <span class="visually-hidden">Search functions</span>
        <input
          ref={input}
          type="search"
          placeholder="Search functions  /"
          value={query}
          onInput={(event) => set({ q: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Enter") onEnter();
            if (event.key === "Escape") set({ q: null });
          }}
        />
      </label>
      <span class="muted" aria-live="polite">
        {found}
      </span>
      {pictures ? (
        <>
          <label class="functions-slider">
            Depth
            <input
              type="range"
              min={1}
              max={levels}
              value={Math.min(depth, levels)}
              onInput={(event) => {
                const value = Number(event.currentTarget.value);
                // At the end of the slider: all there is.
                set({ depth: value === Math.min(DEFAULT_DEPTH, levels) ? null : String(value) });
              }}
            />
            <output>{Math.min(depth, levels)}</output>
          </label>
          {cutoffs ? (
            <label class="functions-slider">
              Cut-off
              <input
                type="range"
                min={0}
                max={CUTOFFS.length - 1}
                value={at < 0 ? CUTOFFS.length - 1 : at}
                aria-valuetext={percent(cutoff)}
                onInput={(event) => {
                  const value = CUTOFFS[Number(event.currentTarget.value)] ?? DEFAULT_CUTOFF;
                  set({ cut: value === DEFAULT_CUTOFF ? null : String(value) });
                }}
              />
              <output>{cutoff === 0 ? "none" : percent(cutoff)}</output>
            </label>
          ) : null}
        </>
      ) : null}
    </div>
  );
}
