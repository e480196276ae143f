// SPDX-License-Identifier: Apache-2.0
// Limits the number of rectangles in a frame while the view moves, so that it moves smoothly on any
// graphics hardware. The limit is derived from how long frames take. When the view is at rest,
// everything visible is drawn.

const SLOW_MS = 24;
const QUICK_MS = 17.5;
/** Frames that are farther apart belong to different motions. */
const MOTION_MS = 120;
const LEAST = 3_000;

export class Pace {
  /** The budget of a frame while the view moves. */
  budget: number;
  #last = Number.NEGATIVE_INFINITY;

  constructor(readonly most: number) {
    this.budget = most / 2;
  }

  /**
   * Returns the budget of the frame that begins at `now`, and whether the view moves. Learns from
   * the time since the last frame.
   */
  next(now: number): { budget: number; moving: boolean } {
    const since = now - this.#last;
    this.#last = now;
    if (since > MOTION_MS) return { budget: this.most, moving: false };
    if (since > SLOW_MS) this.budget = Math.max(LEAST, this.budget * 0.85);
    else if (since < QUICK_MS) this.budget = Math.min(this.most, this.budget * 1.03);
    return { budget: this.budget, moving: true };
  }
}
