// SPDX-License-Identifier: Apache-2.0
// Fragments and idle times of each worker in order of time: the lanes of the time line.
import { type Ns, type NsColumn, ns } from '../base/time';
import { type WorkerId, workerId } from './ids';
import { GrainKind, type Idles, type Model } from './model';
import type { TimeRange } from './range';

export interface Lane {
  worker: WorkerId;
  /** Rows of `fragment`, by start. */
  fragments: Uint32Array;
  /** Rows of `idle`, by start. */
  idles: Uint32Array;
  /** Rows of the stretches without a grain, by start. */
  stretches: Uint32Array;
}

/**
 * Sorts fragments and idle times by worker. Where tiles show the folded grains, the fragments of
 * groups are left out: a group has one worker, but its grains ran on several.
 */
export function buildLanes(model: Model): Lane[] {
  const { fragment, idle, run } = model;
  const { stretch } = model.whole.lanes;
  let workers = Math.max(0, Math.min(run.workers, 0xffff));
  for (const worker of fragment.worker) workers = Math.max(workers, worker + 1);
  for (const worker of idle.worker) workers = Math.max(workers, worker + 1);
  for (const worker of stretch.worker) workers = Math.max(workers, worker + 1);
  const isAlone = (row: number) => model.grain.kind[fragment.grain[row]!] !== GrainKind.Group;
  const fragments = rowsByWorker(fragment, workers, model.time ? isAlone : () => true);
  const idles = rowsByWorker(idle, workers, () => true);
  const stretches = rowsByWorker(stretch, workers, () => true);
  return fragments.map((rows, worker) => ({
    worker: workerId(worker),
    fragments: rows,
    idles: idles[worker]!,
    stretches: stretches[worker]!,
  }));
}

function rowsByWorker(
  { worker, start }: Pick<Idles, 'worker' | 'start'>,
  workers: number,
  wanted: (row: number) => boolean,
): Uint32Array[] {
  const counts = new Uint32Array(workers);
  for (let row = 0; row < worker.length; row++) if (wanted(row)) counts[worker[row]!]!++;
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let row = 0; row < worker.length; row++) if (wanted(row)) rows[worker[row]!]![counts[worker[row]!]!++] = row;
  for (const lane of rows) lane.sort((a, b) => start[a]! - start[b]!);
  return rows;
}

/**
 * Returns the position of the first row that ends after `time`. Requires rows that do not overlap
 * and are sorted by start.
 */
export function firstAfter(rows: Uint32Array, end: NsColumn, time: Ns): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[rows[middle]!]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** First and last instant of the recording. */
export function timeRange(model: Model): TimeRange {
  let end = Math.max(0, model.run.wall_ns || 0);
  for (const time of model.fragment.end) if (time > end) end = time;
  return { start: ns(0), end: ns(Math.max(end, 1)) };
}
