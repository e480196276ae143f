// SPDX-License-Identifier: Apache-2.0
// How long grains waited for memory, as a share of their work or as a time, for colours. In
// programs that do little but wait, only the time differs between grains.
import { type Ns, ns } from '../base/time';
import { type GrainRow, grainRow } from './ids';
import type { Model } from './model';

/** What grains are coloured by. */
export type ColourBy = 'kind' | 'stall-share' | 'stall-time';

/**
 * Returns the share of a grain's work, from 0 to 1, that it waited for memory; undefined: not
 * counted.
 */
export function stallShare({ grain }: Model, row: GrainRow): number | undefined {
  const stall = grain.stall[row]!;
  const work = grain.work[row]!;
  return Number.isNaN(stall) || !(work > 0) ? undefined : Math.min(1, Math.max(0, stall / work));
}

/**
 * Returns the wait for memory of a grain; for a group, the mean of its grains; NaN: not counted.
 */
const stallTime = ({ grain }: Model, row: GrainRow): Ns => ns(grain.stall[row]! / Math.max(1, grain.count[row]!));

/** Returns true if waits for memory were counted for any grain. */
export const hasStalls = ({ grain }: Model): boolean => grain.stall.some((time) => !Number.isNaN(time));

export function longestStall(model: Model): Ns {
  let longest = ns(1);
  for (let row = grainRow(0); row < model.grain.stall.length; row++) {
    const time = stallTime(model, row);
    if (time > longest) longest = time;
  }
  return longest;
}

/**
 * Returns the place of a grain on the scale from 0 to 1. The scale of times ends with `most`.
 * Returns undefined where the grain has no such figure.
 */
export function stallLevel(model: Model, row: GrainRow, by: ColourBy, most: number): number | undefined {
  if (by === 'kind') return undefined;
  if (by === 'stall-share') return stallShare(model, row);
  const time = stallTime(model, row);
  return Number.isNaN(time) ? undefined : Math.min(1, Math.max(0, time / most));
}
