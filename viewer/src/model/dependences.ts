// SPDX-License-Identifier: Apache-2.0
// Dependences between grains: edges that are not part of the tree.
import type { GrainRow } from './ids';
import type { Model } from './model';

export interface Dependences {
  /** The grains that had to end before this one began. */
  before: GrainRow[];
  /** The grains that could not begin before this one ended. */
  after: GrainRow[];
}

/**
 * Returns the dependences of one grain. Takes time for all edges of the model, so it is for the
 * selected grain only.
 */
export function dependencesOf({ edge }: Model, grain: GrainRow): Dependences {
  const found: Dependences = { before: [], after: [] };
  for (let e = 0; e < edge.from.length; e++) {
    if (edge.to[e] === grain) found.before.push(edge.from[e]!);
    if (edge.from[e] === grain) found.after.push(edge.to[e]!);
  }
  return found;
}
