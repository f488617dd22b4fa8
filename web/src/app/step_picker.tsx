// SPDX-License-Identifier: Apache-2.0
// Which steps every page is about: all of them, or from one to another.
import { useState } from "preact/hooks";
import type { ProfileInfo } from "../api/types";
import { time } from "../lib/units";
import { useReport } from "../state/report";
import { changed, go, params } from "../state/route";
import { Popover } from "../ui/menu";
import { Load } from "../ui/page";

interface StepsDocument {
  readonly steps?: {
    readonly source: string;
    readonly rows: readonly { readonly name: string; readonly duration_ns: number; readonly file: number }[];
  };
}

export function StepPicker({ profile }: { readonly profile: ProfileInfo }) {
  const asked = params.value.steps;
  return (
    <Popover
      label={asked === undefined ? "All steps" : `Steps ${asked.replace("..", "–")}`}
      title={asked === undefined ? "Steps: all. Choose a range" : "Steps shown. Choose a range"}
      icon="steps"
    >
      {(close) => <Choice profile={profile} close={close} />}
    </Popover>
  );
}

function Choice({ profile, close }: { readonly profile: ProfileInfo; readonly close: () => void }) {
  const steps = useReport<StepsDocument>(profile, "steps", {}, false);
  const [from = "", to = from] = (params.value.steps ?? "").split("..");
  const [first, setFirst] = useState(from);
  const [last, setLast] = useState(to);
  const apply = (range: string | null): void => {
    go(changed({ steps: range }));
    close();
  };
  return (
    <form
      class="step-choice"
      onSubmit={(event) => {
        event.preventDefault();
        apply(first === "" && last === "" ? null : `${first}..${last}`);
      }}
    >
      <div class="row">
        <label>
          From{" "}
          <input
            type="text"
            inputMode="numeric"
            size={6}
            value={first}
            onInput={(e) => setFirst(e.currentTarget.value)}
          />
        </label>
        <label>
          to{" "}
          <input
            type="text"
            inputMode="numeric"
            size={6}
            value={last}
            onInput={(e) => setLast(e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Show
        </button>
        <button type="button" onClick={() => apply(null)}>
          All
        </button>
      </div>
      <Load of={steps} lines={4}>
        {(data) => {
          const rows = data.steps?.rows ?? [];
          if (rows.length === 0 || data.steps?.source === "whole_trace") {
            return <p class="muted">This profile has no steps: call profiler.step() once per iteration.</p>;
          }
          const longest = Math.max(...rows.map((row) => row.duration_ns));
          return (
            <ul class="step-list">
              {rows.slice(0, 500).map((row, i) => (
                <li key={i}>
                  <button type="button" class="plain" onClick={() => apply(`${row.name}..${row.name}`)}>
                    <span>{row.name}</span>
                    <span class="step-bar" style={{ width: `${(row.duration_ns / longest) * 90}px` }} />
                    <span class="num muted">{time(row.duration_ns)}</span>
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </Load>
    </form>
  );
}
