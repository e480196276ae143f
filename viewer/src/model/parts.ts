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
  /** What is in it, the most work first: the rows that explain it, or are large parts of the run themselves. */
  inside: OutlineRow[];
}

/** The share of a part's work from which on a row in it explains the part. */
const EXPLAINS = 0.5;
/** Shares of the run: from LARGE on a row in a part has a row of its own, below SMALL it has none. */
const LARGE = 0.1;
const SMALL = 0.04;
const MOST_INSIDE = 3;

/** Returns the parts, the longest first. */
export function partsOf({ row: rows }: Omit<Outline, 'piece'>): Part[] {
  const parts = new Map<string, Part>();
  let part: Part | undefined;
  let depth = 0;
  let within = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (part && row.depth > depth) {
      // What is in a step is its step's; only rounds have no name of their own.
      if (row.depth > within) continue;
      within = row.kind === 'repeat' ? Number.POSITIVE_INFINITY : row.depth;
      if (row.kind !== 'repeat') addInside(part, row);
      continue;
    }
    part = undefined;
    within = Number.POSITIVE_INFINITY;
    const { kind } = row;
    if (kind !== 'start' && kind !== 'serial' && kind !== 'end' && kind !== 'region') continue;
    depth = row.depth;
    part = add(parts, row, kind);
  }
  const all = [...parts.values()].filter(({ wall_ns }) => wall_ns > 0);
  const run = all.reduce((sum, { wall_ns }) => sum + wall_ns, 0);
  for (const one of all) {
    const isWorth = (row: OutlineRow) =>
      row.work_ns > 0 &&
      !(row.wall_ns > 0 && row.wall_ns < run * SMALL) &&
      (row.work_ns >= one.work_ns * EXPLAINS || row.wall_ns >= run * LARGE);
    one.inside = one.inside
      .filter(isWorth)
      .sort((a, b) => b.work_ns - a.work_ns)
      .slice(0, MOST_INSIDE);
  }
  return all.sort((a, b) => b.wall_ns - a.wall_ns);
}

function add(parts: Map<string, Part>, row: OutlineRow, kind: Part['kind']): Part {
  const { site, count, wall_ns, work_ns, classes } = row;
  const key = `${kind} ${site}`;
  const known = parts.get(key);
  if (!known) {
    const part: Part = { kind, site, count, wall_ns, work_ns, classes: [...classes], inside: [] };
    parts.set(key, part);
    return part;
  }
  known.count += count;
  known.wall_ns = ns(known.wall_ns + wall_ns);
  known.work_ns = ns(known.work_ns + work_ns);
  addClasses(known.classes, classes);
  return known;
}

/** Adds a row of one occurrence of a part to those of the others. */
function addInside({ inside }: Part, row: OutlineRow): void {
  const known = inside.find(({ kind, site }) => kind === row.kind && site === row.site);
  if (!known) {
    inside.push({ ...row, classes: [...row.classes] });
    return;
  }
  known.count += row.count;
  known.wall_ns = ns(known.wall_ns + row.wall_ns);
  known.work_ns = ns(known.work_ns + row.work_ns);
  addClasses(known.classes, row.classes);
}

function addClasses(all: Ns[], more: readonly Ns[]): void {
  for (const [at, time] of more.entries()) all[at] = ns((all[at] ?? 0) + time);
}
