// SPDX-License-Identifier: Apache-2.0
// Fragments and idle times of each worker in order of time: the lanes of the time line.
import type { Model } from './model';

export interface Lane {
  worker: number;
  /** Rows of `fragment`, by start. */
  fragments: Uint32Array;
  /** Rows of `idle`, by start. */
  idles: Uint32Array;
}

export function buildLanes(model: Model): Lane[] {
  const { fragment, idle, run } = model;
  let workers = Math.max(0, Math.min(run.workers, 0xffff));
  for (const worker of fragment.worker) workers = Math.max(workers, worker + 1);
  for (const worker of idle.worker) workers = Math.max(workers, worker + 1);
  const fragments = rowsByWorker(fragment.worker, fragment.start, workers);
  const idles = rowsByWorker(idle.worker, idle.start, workers);
  return fragments.map((rows, worker) => ({ worker, fragments: rows, idles: idles[worker]! }));
}

function rowsByWorker(worker: Uint16Array, start: Float64Array, workers: number): Uint32Array[] {
  const counts = new Uint32Array(workers);
  for (const w of worker) counts[w]!++;
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let row = 0; row < worker.length; row++) rows[worker[row]!]![counts[worker[row]!]!++] = row;
  for (const lane of rows) lane.sort((a, b) => start[a]! - start[b]!);
  return rows;
}

/** Position of the first row whose end is after `time`, in rows that do not overlap and are sorted by start. */
export function firstAfter(rows: Uint32Array, end: Float64Array, time: number): number {
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
export function timeRange(model: Model): { start: number; end: number } {
  let end = Math.max(0, model.run.wall_ns || 0);
  for (const time of model.fragment.end) if (time > end) end = time;
  return { start: 0, end: Math.max(end, 1) };
}
