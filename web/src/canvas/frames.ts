// SPDX-License-Identifier: Apache-2.0
// One drawing per frame at most, however often it is asked for, and what each cost. Costs go into a ring, so that
// watching them allocates nothing.

const KEPT = 512;

export class Frames {
  readonly costs = new Float64Array(KEPT); // ms
  drawn = 0;
  private asked = 0;

  constructor(private readonly draw: (now: number) => boolean) {}

  ask(): void {
    if (this.asked === 0) this.asked = requestAnimationFrame(this.frame);
  }
  stop(): void {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
  }

  private readonly frame = (now: number): void => {
    this.asked = 0;
    const before = performance.now();
    const again = this.draw(now);
    this.costs[this.drawn % KEPT] = performance.now() - before;
    this.drawn++;
    if (again) this.ask();
  };

  // Of the last `number` frames.
  median(number: number): number {
    const size = Math.min(number, this.drawn, KEPT);
    if (size === 0) return 0;
    const values = new Float64Array(size);
    for (let i = 0; i < size; i++) values[i] = this.costs[(this.drawn - 1 - i) % KEPT] as number;
    values.sort();
    return values[size >> 1] as number;
  }
}
