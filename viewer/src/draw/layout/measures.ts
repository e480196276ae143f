// SPDX-License-Identifier: Apache-2.0
// Sizes of the grain graph in world units, and the conversion of time to height.
import type { Ns } from '../../base/time';
import type { Fragments } from '../../model/model';

type Durations = Pick<Fragments, 'start' | 'end'>;

/** Width of a fragment, and of the spine: the column in which a grain's own fragments stand. */
export const SPINE = 30;
/** Size of fork and join nodes. */
export const NODE = 10;
/** Vertical distance between two things on a spine. */
export const GAP = 6;
/** Vertical distance between a fork's edge and the child's top, and a child's bottom and the join's edge. */
export const DROP = 8;
/** Horizontal distance between neighbours. */
export const GAP_X = 12;

/** Forks before one join up to which each has its own node; more are drawn as one per row. */
export const MAX_SINGLE_FORKS = 12;
/** Rows of children and columns of a long grain are broken only beyond this size. */
export const WRAP = 2400;
/** Width over height that broken rows and columns aim at. */
export const ASPECT = 2;

/** Height of an opened group's head, which names it. */
export const HEAD = 18;

const MIN_HEIGHT = 6;
const TYPICAL_HEIGHT = 130;
const MAX_HEIGHT = 520;

/** Height of fragments: proportional to time, but never too small to see nor so tall that the shape is lost. */
export class TimeScale {
  /** `unitsPerNs`: world units per nanosecond. */
  constructor(readonly unitsPerNs: number) {}

  /** Returns a scale on which most fragments have a typical height. */
  static of(fragment: Durations): TimeScale {
    return new TimeScale(TYPICAL_HEIGHT / highPercentile(fragment));
  }

  height(ns: Ns): number {
    const height = ns * this.unitsPerNs;
    if (!(height > MIN_HEIGHT)) return MIN_HEIGHT;
    return Math.min(height, MAX_HEIGHT);
  }

  /** Whether a fragment of this duration is drawn shorter than its time. */
  isCut(ns: Ns): boolean {
    return ns * this.unitsPerNs > MAX_HEIGHT;
  }
}

/** The duration that 95 of 100 fragments do not exceed. */
function highPercentile(fragment: Durations): number {
  const durations = new Float64Array(fragment.start.length);
  for (let row = 0; row < durations.length; row++) durations[row] = fragment.end[row]! - fragment.start[row]!;
  durations.sort();
  const value = durations[Math.floor(durations.length * 0.95)];
  return value !== undefined && value > 0 ? value : 1;
}
