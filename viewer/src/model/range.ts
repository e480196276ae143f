// SPDX-License-Identifier: Apache-2.0
// What ran in a range of time: which grains, and for how long each site.
import { type Ns, type NsColumn, ns } from '../base/time';
import { type GrainRow, NONE } from './ids';
import type { Model } from './model';

export interface TimeRange {
  start: Ns;
  end: Ns;
}

export interface InRange {
  /** 1 for each grain that ran in the range. */
  has: Uint8Array;
  /** For each site, how many of its grains ran, and for how long, without their waits. */
  count: Uint32Array;
  ran: NsColumn;
}

/**
 * `counts` returns false for a row to be left out, such as an open group, whose grains have rows of
 * their own.
 */
export function inRange(
  { grain, fragment, sites }: Model,
  range: TimeRange,
  counts: (row: GrainRow) => boolean = () => true,
): InRange {
  const found: InRange = {
    has: new Uint8Array(grain.kind.length),
    count: new Uint32Array(sites.length),
    ran: new Float64Array(sites.length) as NsColumn,
  };
  for (let row = 0; row < fragment.grain.length; row++) {
    const length = Math.min(range.end, fragment.end[row]!) - Math.max(range.start, fragment.start[row]!);
    if (length < 0 || (length === 0 && fragment.end[row]! > fragment.start[row]!)) continue;
    const g = fragment.grain[row]!;
    if (!counts(g)) continue;
    const site = grain.site[g]!;
    if (site !== NONE) {
      if (!found.has[g]) found.count[site]! += grain.count[g]!;
      found.ran[site] = ns(found.ran[site]! + length);
    }
    found.has[g] = 1;
  }
  return found;
}
