// SPDX-License-Identifier: Apache-2.0
// Colours of runs: what someone chose, else by the run's place in the whole list, so that neighbours differ and a
// filter changes none. Okabe and Ito's, told apart by colour-blind eyes, without the yellow that white swallows; each
// as a pair, for light and for dark grounds.
import { hash } from "../tones";

const PAIRS = [
  ["#0072b2", "#4aa3df"],
  ["#d55e00", "#f0803c"],
  ["#009e73", "#2fc497"],
  ["#b8558e", "#e08fc0"],
  ["#3a93c9", "#8fd0f5"],
  ["#b87800", "#eab042"],
  ["#6b57b8", "#a795ea"],
  ["#6f7a3a", "#b9c46e"],
] as const;

export interface Coloured {
  readonly id: string;
  readonly color?: string | null;
  readonly order?: number;
}

export const CHOICES: readonly string[] = PAIRS.map(([light]) => light);

// Ours come as a pair; any other colour that was chosen is taken as it is.
export function runColour(run: Coloured, dark: boolean): string {
  const chosen = PAIRS.find(([light]) => light === run.color?.toLowerCase());
  if (chosen) return chosen[dark ? 1 : 0];
  if (run.color && /^#[0-9a-f]{6}$/i.test(run.color)) return run.color;
  const pair = PAIRS[(run.order ?? hash(run.id)) % PAIRS.length] as (typeof PAIRS)[number];
  return pair[dark ? 1 : 0];
}

export const nthColour = (n: number, dark: boolean): string => runColour({ id: "", order: n }, dark);
