// SPDX-License-Identifier: Apache-2.0
// The cores on which grains ran. A grain runs on several cores when its worker moves. A fragment
// has the number of the processor on which it began.
import { type CoreId, type CoreIds, type GrainRow, NOBODY } from './ids';
import type { Model } from './model';

export const hasCores = ({ fragment }: Model): boolean => fragment.core.some((core) => core !== NOBODY);

/** The core on which each grain began; NOBODY: not known. */
export function firstCores({ grain, fragment }: Model): CoreIds {
  const cores = new Uint16Array(grain.kind.length).fill(NOBODY) as CoreIds;
  for (let row = fragment.core.length - 1; row >= 0; row--) {
    const core = fragment.core[row]!;
    if (core !== NOBODY) cores[fragment.grain[row]!] = core;
  }
  return cores;
}

/**
 * The cores of one grain, in the order in which the grain ran on them. Takes time for all fragments
 * of the model.
 */
export function coresOf({ fragment }: Model, grain: GrainRow): CoreId[] {
  const cores = new Set<CoreId>();
  for (let row = 0; row < fragment.core.length; row++)
    if (fragment.grain[row] === grain && fragment.core[row] !== NOBODY) cores.add(fragment.core[row]!);
  return [...cores];
}

/** The cores of all fragments, in rising order. */
export const allCores = ({ fragment }: Model): CoreId[] =>
  [...new Set(fragment.core)].filter((core) => core !== NOBODY).sort((a, b) => a - b);
