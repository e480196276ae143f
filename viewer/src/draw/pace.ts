// SPDX-License-Identifier: Apache-2.0
// How many rectangles a frame may have while the view moves, so that it moves smoothly on whatever
// draws here: learned from how long frames take. Where the view rests, all that can be seen is
// drawn.

const SLOW_MS = 24;
const QUICK_MS = 17.5;
/** Frames farther apart are none of one motion. */
const MOTION_MS = 120;
const LEAST = 3_000;

export class Pace {
  /** For a frame in motion. */
  budget: number;
  #last = Number.NEGATIVE_INFINITY;

  constructor(readonly most: number) {
    this.budget = most / 2;
  }

  /** The budget of a frame at an instant, which the last frame may have been too slow for. */
  next(now: number): { budget: number; moving: boolean } {
    const since = now - this.#last;
    this.#last = now;
    if (since > MOTION_MS) return { budget: this.most, moving: false };
    if (since > SLOW_MS) this.budget = Math.max(LEAST, this.budget * 0.85);
    else if (since < QUICK_MS) this.budget = Math.min(this.most, this.budget * 1.03);
    return { budget: this.budget, moving: true };
  }
}
