// SPDX-License-Identifier: Apache-2.0
// The parts that a run divides into: the serial part before the first region, the serial parts
// between regions, and the regions of each construct. A part is summed over all places of the
// outline at which it occurs, since a reader asks first how much of the run it is.
import { type Ns, ns } from '../base/time';
import type { SiteId } from './ids';
import type { Outline, OutlineRow } from './outline';

export interface Part {
  kind: 'start' | 'serial' | 'end' | 'region';
  site: SiteId | undefined;
  /** How often it ran. */
  count: number;
  wall_ns: Ns;
  work_ns: Ns;
  /** The time of the workers by class, in the order of the outline's classes. */
  classes: Ns[];
  /** What in it has most work, if that is at least half of its work. */
  inside: OutlineRow | undefined;
}

/** The share of a part's work from which on a row in it explains the part. */
const EXPLAINS = 0.5;

/** Returns the parts, the longest first. */
export function partsOf({ row: rows }: Omit<Outline, 'piece'>): Part[] {
  const parts = new Map<string, Part>();
  let part: Part | undefined;
  let depth = 0;
  for (const row of rows) {
    if (part && row.depth > depth) {
      if (row.work_ns > (part.inside?.work_ns ?? 0)) part.inside = row;
      continue;
    }
    part = undefined;
    const { kind } = row;
    if (kind !== 'start' && kind !== 'serial' && kind !== 'end' && kind !== 'region') continue;
    depth = row.depth;
    part = add(parts, row, kind);
  }
  const all = [...parts.values()].filter(({ wall_ns }) => wall_ns > 0);
  for (const one of all) if ((one.inside?.work_ns ?? 0) < one.work_ns * EXPLAINS) one.inside = undefined;
  return all.sort((a, b) => b.wall_ns - a.wall_ns);
}

function add(parts: Map<string, Part>, row: OutlineRow, kind: Part['kind']): Part {
  const { site, count, wall_ns, work_ns, classes } = row;
  const key = `${kind} ${site}`;
  const known = parts.get(key);
  if (!known) {
    const part: Part = { kind, site, count, wall_ns, work_ns, classes: [...classes], inside: undefined };
    parts.set(key, part);
    return part;
  }
  known.count += count;
  known.wall_ns = ns(known.wall_ns + wall_ns);
  known.work_ns = ns(known.work_ns + work_ns);
  for (const [at, time] of classes.entries()) known.classes[at] = ns((known.classes[at] ?? 0) + time);
  return known;
}
