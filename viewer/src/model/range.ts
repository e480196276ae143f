// SPDX-License-Identifier: Apache-2.0
// What ran in a range of time: which grains, and the figures of each site.
import { type Ns, type NsColumn, ns } from '../base/time';
import { type GrainRow, type GrainRows, grainRow, NONE } from './ids';
import { Flag, ItemKind, type Model } from './model';

export interface TimeRange {
  start: Ns;
  end: Ns;
}

export interface InRange {
  /** 1 for each grain that ran in the range, and its work there. */
  has: Uint8Array;
  work: NsColumn;
  /** The work of the grains of all sites. */
  all: Ns;
  /** For each site, how many of its grains ran, and their work. */
  count: Uint32Array;
  ran: NsColumn;
  /** For each site, how many of the grains that ran are on the critical path, and have low benefit. */
  critical: Uint32Array;
  low: Uint32Array;
  /** For each site, the creation cost of the grains that were created in the range. */
  creation: NsColumn;
  /** For each site, what its grains lost in those of their waits that were in the range. */
  wait: NsColumn;
  /**
   * For each counter and site, what its grains counted, by the share of their time in the range: it
   * is not known when within a grain.
   */
  counts: Float64Array[];
}

/**
 * `counts` returns false for a row to be left out, such as an open group, whose grains have rows of
 * their own.
 */
export function inRange(model: Model, range: TimeRange, counts: (row: GrainRow) => boolean = () => true): InRange {
  const { grain, fragment, sites } = model;
  const times = () => new Float64Array(sites.length) as NsColumn;
  const numbers = () => new Uint32Array(sites.length);
  const found: InRange = {
    has: new Uint8Array(grain.kind.length),
    work: new Float64Array(grain.kind.length) as NsColumn,
    all: ns(0),
    count: numbers(),
    ran: times(),
    critical: numbers(),
    low: numbers(),
    creation: times(),
    wait: times(),
    counts: model.counters.map(() => new Float64Array(sites.length)),
  };
  const all = lengths(model);
  const known = worked(model);
  const inside = new Float64Array(grain.kind.length);
  for (let row = 0; row < fragment.grain.length; row++) {
    const length = overlap(range, fragment.start[row]!, fragment.end[row]!);
    if (length < 0 || (length === 0 && fragment.end[row]! > fragment.start[row]!)) continue;
    const g = fragment.grain[row]!;
    if (!counts(g)) continue;
    const site = grain.site[g]!;
    // The work of a fragment lies evenly in it. If a group includes fragments of its parent, the
    // parent's others stand for them.
    const whole = fragment.end[row]! - fragment.start[row]!;
    const part = known[g]! > 0 ? fragment.work[row]! / known[g]! : whole / all[g]!;
    const ran = whole > 0 ? (part * grain.work[g]! * length) / whole : 0;
    inside[g]! += length;
    found.work[g] = ns(found.work[g]! + ran);
    found.all = ns(found.all + ran);
    if (site !== NONE) {
      if (!found.has[g]) addGrain(model, g, found);
      found.ran[site] = ns(found.ran[site]! + ran);
    }
    found.has[g] = 1;
  }
  for (let g = grainRow(0); g < grain.kind.length; g++) {
    const site = grain.site[g]!;
    if (site === NONE || !counts(g)) continue;
    const created = grain.create[g]!;
    if (created >= range.start && created < range.end)
      found.creation[site] = ns(found.creation[site]! + grain.creation[g]!);
    if (grain.wait[g]! > 0) found.wait[site] = ns(found.wait[site]! + grain.wait[g]! * waitShare(model, g, range));
  }
  addCounts(model, inside, all, found);
  return found;
}

/** Less than 0: they do not meet. */
export const overlap = (range: TimeRange, start: number, end: number): number =>
  Math.min(range.end, end) - Math.max(range.start, start);

/** Returns for each grain the length of all its fragments together. */
export function lengths({ grain, fragment }: Model): Float64Array {
  const all = new Float64Array(grain.kind.length);
  for (let row = 0; row < fragment.grain.length; row++)
    all[fragment.grain[row]!]! += fragment.end[row]! - fragment.start[row]!;
  return all;
}

/** Returns for each grain the work of all its fragments together. */
function worked({ grain, fragment }: Model): Float64Array {
  const all = new Float64Array(grain.kind.length);
  for (let row = 0; row < fragment.grain.length; row++) all[fragment.grain[row]!]! += fragment.work[row]!;
  return all;
}

/** `inside`: for each grain, the length of its fragments in the range; `all`: in the whole run. */
function addCounts(model: Model, inside: Float64Array, all: Float64Array, found: InRange): void {
  const { grain } = model;
  for (let g = grainRow(0); g < grain.kind.length; g++) {
    const site = grain.site[g]!;
    if (site === NONE || !found.has[g]) continue;
    const share = all[g]! > 0 ? inside[g]! / all[g]! : 1;
    for (const [at, column] of model.counts.entries()) found.counts[at]![site]! += (column[g] || 0) * share;
  }
}

function addGrain({ grain }: Model, g: GrainRow, found: InRange): void {
  const site = grain.site[g]!;
  found.count[site]! += grain.count[g]!;
  // Of a group it is known that some of its grains are, and not how many.
  if (grain.flags[g]! & Flag.Critical) found.critical[site]!++;
  if (grain.flags[g]! & Flag.LowBenefit) found.low[site]!++;
}

/**
 * Returns the share of a grain's waits that lies in the range: waits are between its fragments. If
 * nothing is between them, the waits lie evenly in the grain.
 */
function waitShare({ grain, fragment, item, itemStart }: Model, g: GrainRow, range: TimeRange): number {
  let [all, inside, last] = [0, 0, Number.NaN];
  const add = (start: number, end: number) => {
    all += Math.max(0, end - start);
    inside += Math.max(0, overlap(range, start, end));
  };
  for (let i = itemStart[g]!; i < itemStart[g + 1]!; i++) {
    if (item.kind[i] !== ItemKind.Fragment) continue;
    const row = item.ref[i]!;
    if (fragment.start[row]! > last) add(last, fragment.start[row]!);
    last = fragment.end[row]!;
  }
  if (grain.end[g]! > last) add(last, grain.end[g]!);
  if (all === 0) add(grain.start[g]!, grain.end[g]!);
  return all > 0 ? inside / all : 0;
}

/** Returns how many of some grains have which work, in the bins of a site's histogram. */
export function histogramOf({ grain }: Model, rows: GrainRows): { first_bin: number; histogram: number[] } {
  const bins = new Map<number, number>();
  for (const g of rows) {
    const work = grain.work[g]! / Math.max(1, grain.count[g]!);
    const bin = work > 1 ? Math.floor(2 * Math.log2(work)) : 0;
    bins.set(bin, (bins.get(bin) ?? 0) + grain.count[g]!);
  }
  if (bins.size === 0) return { first_bin: 0, histogram: [] };
  const first_bin = Math.min(...bins.keys());
  const histogram = Array.from(
    { length: Math.max(...bins.keys()) - first_bin + 1 },
    (_, at) => bins.get(first_bin + at) ?? 0,
  );
  return { first_bin, histogram };
}
