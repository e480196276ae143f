// SPDX-License-Identifier: Apache-2.0
// Breaking a long sequence into lines: rows of children, columns of blocks.
import { ASPECT, WRAP } from './measures';

/**
 * Where each line begins, as indices of the sequence; the first is always 0. `along(i)` is a thing's extent in
 * the direction of the line, `across(i)` the other one, both with the distance to the next.
 */
export function breakLines(
  count: number,
  along: (i: number) => number,
  across: (i: number) => number,
  aspect = ASPECT,
  lengthOfLongest = 1,
): number[] {
  let total = 0;
  let area = 0;
  let longest = 0;
  for (let i = 0; i < count; i++) {
    total += along(i);
    area += along(i) * across(i);
    longest = Math.max(longest, along(i));
  }
  const limit = Math.max(WRAP, longest * lengthOfLongest, Math.sqrt(area * aspect));
  if (total <= limit) return [0];
  const lines = [0];
  let length = 0;
  for (let i = 0; i < count; i++) {
    if (length > 0 && length + along(i) > limit) {
      lines.push(i);
      length = 0;
    }
    length += along(i);
  }
  return lines;
}
