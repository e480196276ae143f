// SPDX-License-Identifier: Apache-2.0
// Breaks a long sequence into lines: rows of children, or columns of blocks. Of a few possible
// ways, it chooses the one that can be shown largest on a screen.
import { ASPECT, WRAP } from './measures';

/** Whether lines run across the screen or down. */
export type Direction = 'rows' | 'columns';

/** A thing's extents along its line and across it, both with the distance to the next. */
export interface Extent {
  along: number;
  across: number;
}

/**
 * Where each line begins, as indices of the sequence; the first is always 0. Sequences shorter than `keep` stay
 * in one line.
 */
export function breakLines(things: readonly Extent[], direction: Direction, keep = WRAP): number[] {
  let total = 0;
  let area = 0;
  for (const { along, across } of things) {
    total += along;
    area += along * across;
  }
  if (total <= keep || things.length < 2) return [0];
  const [unit, unitAcross] = direction === 'rows' ? [1 / ASPECT, 1] : [1, 1 / ASPECT];
  let best: { starts: number[]; cost: number } | undefined;
  for (const limit of [total, total / 2, total / 3, Math.sqrt((area * unitAcross) / unit)]) {
    const broken = fill(things, Math.max(limit, keep));
    const cost = Math.max(broken.length * unit, broken.across * unitAcross);
    if (!best || cost < best.cost) best = { starts: broken.starts, cost };
  }
  return best!.starts;
}

/** Fills line after line up to a limit, which only a thing longer than it exceeds. */
function fill(things: readonly Extent[], limit: number): { starts: number[]; length: number; across: number } {
  const starts = [0];
  let length = 0;
  let longest = 0;
  let highest = 0;
  let across = 0;
  for (const [i, thing] of things.entries()) {
    // Halves of an uneven sequence may be a little longer than half.
    if (length > 0 && length + thing.along > limit * 1.02) {
      starts.push(i);
      across += highest;
      length = 0;
      highest = 0;
    }
    length += thing.along;
    longest = Math.max(longest, length);
    highest = Math.max(highest, thing.across);
  }
  return { starts, length: longest, across: across + highest };
}
