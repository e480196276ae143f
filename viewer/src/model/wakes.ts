// SPDX-License-Identifier: Apache-2.0
// Wake-ups: which worker woke which. A wake-up is the end of an idle time that another worker has
// ended; its row is the row of this idle time.
import type { Ns, NsColumn } from '../base/time';
import { type GrainRow, NOBODY } from './ids';
import type { Model } from './model';

export const hasWakes = ({ idle }: Model): boolean => idle.woken_by.some((by) => by !== NOBODY);

/**
 * Returns the wake-ups of a grain. `into`: the wake-up after which its worker began the grain at
 * once, without another fragment in between. `from`: the wake-ups that its worker caused while it
 * ran the grain, or right after a fragment of the grain. Takes time for all fragments and idle
 * times of the model, so it is for the selected grain only.
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

/** Returns how many rows begin at `time` or before. */
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
