// SPDX-License-Identifier: Apache-2.0
// The figures of the rows of the outline in a time range.
import { type Ns, ns } from '../base/time';
import { GrainKind, type Model } from './model';
import { above, type Outline } from './outline';
import { type InRange, overlap, type TimeRange } from './range';

export interface RowInRange {
  /** Instances, or grains, that were in the range, also in part; 0: not known. */
  count: number;
  wall_ns: Ns;
  work_ns: Ns;
  classes: Ns[];
}

/**
 * Returns the figures of the rows in a time range; undefined: they are not known. A row with rows
 * below it that have a time has their sums.
 */
export function outlineInRange(model: Model, range: TimeRange, found: InRange): (RowInRange | undefined)[] {
  const { outline } = model.whole;
  const rows = outline.row.map(({ wall_ns }) => (wall_ns > 0 ? none(outline.classes) : undefined));
  addPieces(outline, model.run.workers, range, rows);
  for (const [at, { kind }] of outline.row.entries()) {
    const around = kind === 'phase' ? (above(outline.row, at) ?? -1) : -1;
    const region = rows[around];
    // A phase may be several times in one instance: of several, it is not known how many were
    // there.
    if (region && region.wall_ns > 0 && outline.row[around]!.count === 1) region.count = 1;
  }
  addGrains(model, found, rows);
  return rows;
}

const none = (classes: readonly string[]): RowInRange => ({
  count: 0,
  wall_ns: ns(0),
  work_ns: ns(0),
  classes: classes.map(() => ns(0)),
});

function addPieces(
  { row, classes, piece }: Outline,
  workers: number,
  range: TimeRange,
  rows: (RowInRange | undefined)[],
): void {
  const work = classes.indexOf('work');
  for (const [at, of] of piece.row.entries()) {
    const start = piece.start[at]!;
    const inside = overlap(range, start, start + piece.length[at]!);
    if (!(inside > 0)) continue;
    const time = (piece.time[at]! * inside) / piece.length[at]!;
    const own = rows[of];
    if (own) own.count += piece.count[at]!;
    for (let to: number | undefined = of; to !== undefined; to = above(row, to)) {
      const sums = rows[to];
      if (!sums) continue;
      sums.wall_ns = ns(sums.wall_ns + time);
      for (const name of classes.keys()) {
        const spent = (time * workers * piece.share[at * classes.length + name]!) / 255;
        sums.classes[name] = ns(sums.classes[name]! + spent);
      }
      sums.work_ns = sums.classes[work] ?? ns(0);
    }
  }
}

/** Adds the loops and tasks, which have no time of their own. */
function addGrains({ whole, grain }: Model, found: InRange, rows: (RowInRange | undefined)[]): void {
  const { row, piece } = whole.outline;
  const leaves = new Map<number, number[]>();
  for (const [at, { kind, site }] of row.entries()) {
    if ((kind !== 'loop' && kind !== 'task') || site === undefined) continue;
    leaves.set(site, [...(leaves.get(site) ?? []), at]);
    rows[at] = { ...none([]), work_ns: ns(Number.NaN) };
  }
  for (const [site, of] of leaves)
    if (of.length === 1) rows[of[0]!] = { ...none([]), count: found.count[site]!, work_ns: found.ran[site]! };
  // Of a site in several rows, the time of a grain says in which it is, if each piece is one
  // stretch.
  if (piece.count.some((count) => count > 1)) return;
  const below = new Map<string, number>();
  for (const [site, of] of leaves) if (of.length > 1) for (const at of of) below.set(`${above(row, at)} ${site}`, at);
  for (const [g, site] of grain.site.entries()) {
    if (!found.has[g] || grain.kind[g] === GrainKind.Implicit || (leaves.get(site)?.length ?? 0) < 2) continue;
    const sums = rows[below.get(`${piece.row[pieceAt(piece.start, grain.start[g]!)]} ${site}`) ?? -1];
    if (!sums) continue;
    sums.count += grain.count[g]!;
    sums.work_ns = ns((Number.isNaN(sums.work_ns) ? 0 : sums.work_ns) + found.work[g]!);
  }
}

/** Returns the last piece that begins by an instant. */
function pieceAt(start: ArrayLike<number>, time: number): number {
  let [low, high] = [0, start.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
