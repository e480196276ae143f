// SPDX-License-Identifier: Apache-2.0
// The figures of the rows of the outline in a time range.
import { type Ns, ns } from '../base/time';
import { GrainKind, type Model } from './model';
import { above, isLeaf, type Outline } from './outline';
import { type InRange, overlap, type TimeRange } from './range';

export interface RowInRange {
  /** Instances, or grains, that were in the range, also in part; 0: not known. */
  count: number;
  /** 0: not known, as of loops and tasks. */
  wall_ns: Ns;
  work_ns: Ns;
  classes: Ns[];
  /** The time of the workers that is in no row below it. */
  own_ns: Ns;
  /** A piece that is only partly in the range counts as if all in it lay evenly. */
  about: { wall: boolean; work: boolean; spent: boolean };
}

/** Returns the figures of the rows in a time range. A repetition, and a region with phases, has sums. */
export function outlineInRange(model: Model, range: TimeRange, found: InRange): RowInRange[] {
  const { outline } = model.whole;
  const rows = outline.row.map(() => none(outline.classes));
  addPieces(outline, model.run.workers, range, rows);
  for (const [at, { kind }] of outline.row.entries()) {
    const around = kind === 'phase' ? (above(outline.row, at) ?? -1) : -1;
    const region = rows[around];
    // A phase may be several times in one instance: of several, it is not known how many were
    // there.
    if (region && region.wall_ns > 0 && outline.row[around]!.count === 1) region.count = 1;
  }
  addGrains(model, found, rows);
  for (const row of rows) row.own_ns = sumOf(row.classes);
  for (const [at, row] of rows.entries()) {
    const around = rows[above(outline.row, at) ?? -1];
    if (around) around.own_ns = ns(Math.max(0, around.own_ns - sumOf(row.classes)));
  }
  return rows;
}

const sumOf = (times: readonly Ns[]): Ns => ns(times.reduce((sum, time) => sum + time, 0));

const none = (classes: readonly string[]): RowInRange => ({
  count: 0,
  wall_ns: ns(0),
  work_ns: ns(0),
  classes: classes.map(() => ns(0)),
  own_ns: ns(0),
  about: { wall: false, work: false, spent: false },
});

/** A smaller part of a piece outside of the range is none. */
const SLACK = 1e-6;

function addPieces({ row, classes, piece }: Outline, workers: number, range: TimeRange, rows: RowInRange[]): void {
  const times = Float64Array.from(piece.row, (_, at) => {
    const start = piece.start[at]!;
    const inside = overlap(range, start, start + piece.length[at]!);
    return inside > 0 ? (piece.time[at]! * inside) / piece.length[at]! : 0;
  });
  const isPart = (at: number) => times[at]! > 0 && times[at]! < piece.time[at]! * (1 - SLACK);
  const note = ({ about }: RowInRange, at: number) => {
    if (!isPart(at)) return;
    // The time of one stretch is cut where the range ends; of several, their places are not known.
    if (piece.count[at]! > 1) about.wall = true;
    about.work = true;
    about.spent = true;
  };
  const spend = (sums: RowInRange, time: number, shares: Uint8Array, at: number) => {
    for (const name of classes.keys()) {
      const spent = (time * workers * shares[at * classes.length + name]!) / 255;
      sums.classes[name] = ns(sums.classes[name]! + spent);
    }
    sums.work_ns = sums.classes[classes.indexOf('work')] ?? ns(0);
  };
  for (const [at, of] of piece.row.entries()) {
    if (!(times[at]! > 0)) continue;
    rows[of]!.count += piece.count[at]!;
    for (let to: number | undefined = of; to !== undefined; to = above(row, to)) {
      const sums = rows[to]!;
      sums.wall_ns = ns(sums.wall_ns + times[at]!);
      note(sums, at);
      spend(sums, times[at]!, piece.share, at);
    }
  }
  const { inside } = piece;
  for (const [at, of] of inside.row.entries()) {
    spend(rows[of]!, times[inside.piece[at]!]!, inside.share, at);
    note(rows[of]!, inside.piece[at]!);
  }
}

/**
 * Counts the grains of the loops and tasks, and takes their work from the grains, where these say in
 * which row they are.
 */
function addGrains({ whole, grain }: Model, found: InRange, rows: RowInRange[]): void {
  const { row, piece, classes } = whole.outline;
  const leaves = new Map<number, number[]>();
  for (const [at, { kind, site }] of row.entries()) {
    if (!isLeaf(kind) || site === undefined) continue;
    leaves.set(site, [...(leaves.get(site) ?? []), at]);
  }
  const work = classes.indexOf('work');
  const set = (at: number, count: number, work_ns: number) => {
    Object.assign(rows[at]!, { count, work_ns });
    rows[at]!.about.work = false;
    if (work >= 0) rows[at]!.classes[work] = ns(work_ns);
  };
  for (const [site, of] of leaves) if (of.length === 1) set(of[0]!, found.count[site]!, found.ran[site]!);
  // Of a site in several rows, the time of a grain says in which it is, if each piece is one
  // stretch.
  if (piece.count.some((count) => count > 1)) return;
  const sums = new Map<number, { count: number; work: number }>();
  const below = new Map<string, number>();
  for (const [site, of] of leaves) if (of.length > 1) for (const at of of) below.set(`${above(row, at)} ${site}`, at);
  for (const [g, site] of grain.site.entries()) {
    if (!found.has[g] || grain.kind[g] === GrainKind.Implicit || (leaves.get(site)?.length ?? 0) < 2) continue;
    const at = below.get(`${piece.row[pieceAt(piece.start, grain.start[g]!)]} ${site}`);
    if (at === undefined) continue;
    const sum = sums.get(at) ?? { count: 0, work: 0 };
    sums.set(at, { count: sum.count + grain.count[g]!, work: sum.work + found.work[g]! });
  }
  for (const [at, { count, work }] of sums) set(at, count, work);
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
