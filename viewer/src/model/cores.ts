// SPDX-License-Identifier: Apache-2.0
// On which cores grains ran: on one, or on several where their worker moved. A fragment has the
// number of the processor on which it began.
import { type CoreId, type CoreIds, type GrainRow, NOBODY } from './ids';
import type { Model } from './model';

export const hasCores = ({ fragment }: Model): boolean => fragment.core.some((core) => core !== NOBODY);

/** Of each grain, where it began; NOBODY: not known. */
export function firstCores({ grain, fragment }: Model): CoreIds {
  const cores = new Uint16Array(grain.kind.length).fill(NOBODY) as CoreIds;
  for (let row = fragment.core.length - 1; row >= 0; row--) {
    const core = fragment.core[row]!;
    if (core !== NOBODY) cores[fragment.grain[row]!] = core;
  }
  return cores;
}

/** All of one grain, in the order in which it was there. Looks through all fragments. */
export function coresOf({ fragment }: Model, grain: GrainRow): CoreId[] {
  const cores = new Set<CoreId>();
  for (let row = 0; row < fragment.core.length; row++)
    if (fragment.grain[row] === grain && fragment.core[row] !== NOBODY) cores.add(fragment.core[row]!);
  return [...cores];
}

/** All that there are, by number. */
export const allCores = ({ fragment }: Model): CoreId[] =>
  [...new Set(fragment.core)].filter((core) => core !== NOBODY).sort((a, b) => a - b);
