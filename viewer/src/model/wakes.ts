// SPDX-License-Identifier: Apache-2.0
// Who woke whom: an idle stretch that ended because another worker woke the one that slept. Its row
// of the idle times stands for it.
import type { Ns, NsColumn } from '../base/time';
import { type GrainRow, NOBODY } from './ids';
import type { Model } from './model';

export const hasWakes = ({ idle }: Model): boolean => idle.woken_by.some((by) => by !== NOBODY);

/**
 * What wake-ups a grain has to do with: the one after which its worker began it, without anything
 * in between, and those that its worker did while it was in the grain, or right behind a fragment
 * of it. Looks through all fragments and idle times: this is for the one grain that is selected.
 */
export function wakesOf(model: Model, grain: GrainRow): { into: number | undefined; from: number[] } {
  const { fragment, idle } = model;
  const worker = model.grain.worker[grain]!;
  const start = model.grain.start[grain]!;
  let into: number | undefined;
  for (let row = 0; row < idle.worker.length; row++) {
    if (idle.worker[row] !== worker || idle.end[row]! > start) continue;
    if (into === undefined || idle.end[row]! > idle.end[into]!) into = row;
  }
  const mine: number[] = [];
  for (let row = 0; row < fragment.worker.length; row++) {
    if (fragment.worker[row] !== worker) continue;
    mine.push(row);
    const isBetween = into !== undefined && fragment.end[row]! > idle.end[into]! && fragment.start[row]! < start;
    if (isBetween) into = undefined;
  }
  mine.sort((a, b) => fragment.start[a]! - fragment.start[b]!);
  const from: number[] = [];
  for (let row = 0; row < idle.worker.length; row++) {
    if (idle.woken_by[row] !== worker) continue;
    const last = mine[begunBy(mine, fragment.start, idle.woken[row]!) - 1];
    if (last !== undefined && fragment.grain[last] === grain) from.push(row);
  }
  return { into: into !== undefined && idle.woken_by[into] !== NOBODY ? into : undefined, from };
}

/** How many rows begin no later than `time`. */
function begunBy(rows: readonly number[], start: NsColumn, time: Ns): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[rows[middle]!]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
