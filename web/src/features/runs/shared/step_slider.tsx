// SPDX-License-Identifier: Apache-2.0
// Which step is looked at: the last one unless the address says another, for everything on the page.
import { params, set } from "../../../state/route";

export const chosenStep = (): number | null => {
  const step = params.value.step;
  return step === undefined || !Number.isFinite(Number(step)) ? null : Number(step);
};

// The last entry that is not behind the step; null: the last of all.
export function atStep<T extends { readonly step: number }>(
  steps: readonly T[],
  step: number | null,
): T | undefined {
  if (step === null) return steps.at(-1);
  return steps.findLast((entry) => entry.step <= step) ?? steps[0];
}

export function StepSlider({ steps }: { readonly steps: readonly number[] }) {
  const chosen = chosenStep();
  if (steps.length < 2) return null;
  const at =
    chosen === null
      ? steps.length - 1
      : Math.max(
          0,
          steps.findLastIndex((step) => step <= chosen),
        );
  const go = (index: number): void =>
    set({ step: index >= steps.length - 1 ? null : String(steps[Math.max(0, index)]) });
  return (
    <label class="step-slider">
      Step
      <input
        type="range"
        min="0"
        max={steps.length - 1}
        step="1"
        value={at}
        aria-valuetext={`step ${steps[at]}`}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <output>{steps[at]?.toLocaleString("en-US")}</output>
    </label>
  );
}
