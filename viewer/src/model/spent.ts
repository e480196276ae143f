// SPDX-License-Identifier: Apache-2.0
// What each worker did over time, by the classes of the budget: shares in intervals of equal length
// for the whole run, and the stretches without a grain for a closer look.
import { fail, ok, type Result } from '../base/result';
import { type Ns, type NsColumn, ns } from '../base/time';
import { type Column, decodeColumn, decodeTable, isRecord, type Layout } from './columns';
import { decodeFields, decodeTexts } from './fields';
import type { WorkerId, WorkerIds } from './ids';

/** Stretches in which a worker ran no grain, by worker and time. */
export interface Stretches {
  worker: WorkerIds;
  start: NsColumn;
  end: NsColumn;
  /** Position in the list of classes. */
  class: Uint8Array;
}
const STRETCHES: Layout<Stretches> = { worker: 'u16', start: 'f64', end: 'f64', class: 'u8' };

export interface Spent {
  /** The length of an interval. The first interval begins with the recording. */
  interval_ns: Ns;
  /** The number of intervals of each worker. */
  intervals: number;
  /** The names of the classes that occur, in the order of the budget. */
  classes: string[];
  /** In 255ths of the interval: by worker, interval and class. */
  share: Uint8Array;
  stretch: Stretches;
}

const WHOLE = 255;

export function decodeSpent(value: unknown): Result<Spent> {
  const name = 'whole.lanes';
  if (!isRecord(value)) return fail(`${name}: expected an object.`);
  const fields = decodeFields(value, { interval_ns: 'number', intervals: 'number' }, name);
  if (!fields.ok) return fields;
  const classes = decodeTexts(value.classes, `${name}.classes`);
  if (!classes.ok) return classes;
  const share = decodeColumn(value.share, 'u8', `${name}.share`);
  if (!share.ok) return share;
  const stretch = decodeTable(value.stretch, STRETCHES, `${name}.stretch`);
  if (!stretch.ok) return stretch;
  const { interval_ns, intervals } = fields.value as { interval_ns: Ns; intervals: number };
  const ofWorker = intervals * classes.value.length;
  if (!Number.isInteger(intervals) || (ofWorker > 0 ? share.value.length % ofWorker : share.value.length) !== 0)
    return fail(`${name}.share: ${share.value.length} shares are no whole number of workers.`);
  if (stretch.value.class.some((position) => position >= classes.value.length))
    return fail(`${name}.stretch.class: refers to a class that is not there.`);
  return ok({
    interval_ns,
    intervals,
    classes: classes.value,
    share: share.value as Column<'u8'>,
    stretch: stretch.value,
  });
}

/**
 * Adds up what a worker did in some intervals, and writes for each class its share of their time
 * into `out`. Returns false if nothing is known of the worker.
 */
export function sharesOf(
  { classes, intervals, share }: Spent,
  worker: WorkerId,
  first: number,
  end: number,
  out: Float32Array,
): boolean {
  const number = classes.length;
  const [from, to] = [Math.max(0, first), Math.min(intervals, end)];
  const begin = worker * intervals * number;
  out.fill(0);
  if (to <= from || begin + to * number > share.length) return false;
  for (let at = begin + from * number; at < begin + to * number; )
    for (let i = 0; i < number; i++) out[i]! += share[at++]!;
  for (let i = 0; i < number; i++) out[i]! /= WHOLE * (to - from);
  return true;
}

/** Returns the time of the workers by class in a time range. */
export function spentIn(spent: Spent, range: { start: Ns; end: Ns }): { name: string; ns: Ns }[] {
  const { classes, intervals, interval_ns, share } = spent;
  const all = new Float64Array(classes.length);
  const ofWorker = intervals * classes.length;
  const first = Math.max(0, Math.floor(range.start / interval_ns));
  for (let begin = 0; begin < share.length; begin += ofWorker)
    for (let at = first; at < intervals && at * interval_ns < range.end; at++) {
      const inside = Math.min(range.end, (at + 1) * interval_ns) - Math.max(range.start, at * interval_ns);
      for (let i = 0; i < classes.length; i++) all[i]! += (share[begin + at * classes.length + i]! / WHOLE) * inside;
    }
  return classes.map((name, at) => ({ name, ns: ns(all[at]!) }));
}

/** Returns the shares of a worker's classes at an instant, the largest first. */
export function sharesAt(spent: Spent, worker: WorkerId, from: Ns, to: Ns): { name: string; share: number }[] {
  const first = Math.floor(from / spent.interval_ns);
  const out = new Float32Array(spent.classes.length);
  sharesOf(spent, worker, first, Math.max(first + 1, Math.ceil(to / spent.interval_ns)), out);
  const all = spent.classes.map((name, at) => ({ name, share: out[at]! }));
  return all.filter(({ share }) => share >= 0.005).sort((a, b) => b.share - a.share);
}

/**
 * Returns the class of a stretch: the one that has most of it by the shares, so that a stretch is the
 * same wherever it is shown. Where the shares are too coarse, its own.
 */
export function stretchClass(spent: Spent, row: number): number {
  const { stretch, interval_ns, classes } = spent;
  const own = stretch.class[row]!;
  const first = Math.ceil(stretch.start[row]! / interval_ns);
  const end = Math.floor(stretch.end[row]! / interval_ns);
  const sums = new Float32Array(classes.length);
  if (end <= first || !sharesOf(spent, stretch.worker[row]!, first, end, sums)) return own;
  return sums.reduce((best, share, at) => (share > sums[best]! ? at : best), own);
}

export const stretchLength = ({ start, end }: Stretches, row: number): Ns => ns(end[row]! - start[row]!);
