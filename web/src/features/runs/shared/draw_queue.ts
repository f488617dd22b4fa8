// SPDX-License-Identifier: Apache-2.0
// Charts that have to be drawn, a little of them in each frame: however many lines there are, the page goes on.

export interface Drawable {
  // Draws until the clock says `until` or everything is drawn; true: it is.
  draw(until: number): boolean;
}

const FRAME_MS = 9; // of drawing in a frame; the rest is for the browser and the page

const waiting = new Set<Drawable>();
let asked = 0;

function frame(): void {
  asked = 0;
  const until = performance.now() + FRAME_MS;
  for (const chart of waiting) {
    if (!chart.draw(until)) break;
    waiting.delete(chart);
    if (performance.now() >= until) break;
  }
  if (waiting.size > 0) ask();
}
function ask(): void {
  if (asked === 0) asked = requestAnimationFrame(frame);
}

export function enqueue(chart: Drawable): void {
  waiting.add(chart);
  ask();
}
export function withdraw(chart: Drawable): void {
  waiting.delete(chart);
}
