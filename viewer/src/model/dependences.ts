// SPDX-License-Identifier: Apache-2.0
// Dependences between grains: edges beside the tree.
import type { GrainRow } from './ids';
import type { Model } from './model';

export interface Dependences {
  /** Grains that this one had to wait for. */
  before: GrainRow[];
  /** Grains that had to wait for this one. */
  after: GrainRow[];
}

/** Looks through all edges: this is for the one grain that is selected. */
export function dependencesOf({ edge }: Model, grain: GrainRow): Dependences {
  const found: Dependences = { before: [], after: [] };
  for (let e = 0; e < edge.from.length; e++) {
    if (edge.to[e] === grain) found.before.push(edge.from[e]!);
    if (edge.from[e] === grain) found.after.push(edge.to[e]!);
  }
  return found;
}
