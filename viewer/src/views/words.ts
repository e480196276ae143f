// SPDX-License-Identifier: Apache-2.0
// Names for what the model numbers.
import { Flag, GrainKind } from '../model/model';

const KINDS: Record<number, string> = {
  [GrainKind.Task]: 'Explicit task',
  [GrainKind.Implicit]: 'Implicit task',
  [GrainKind.Chunk]: 'Loop chunk',
  [GrainKind.Group]: 'Group of small grains',
  [GrainKind.Initial]: 'Initial task',
};

export const kindName = (kind: number): string => KINDS[kind] ?? `Kind ${kind}`;

const FLAGS: readonly [number, string][] = [
  [Flag.Critical, 'critical path'],
  [Flag.LowBenefit, 'low benefit'],
  [Flag.Unfinished, 'unfinished'],
  [Flag.Stolen, 'stolen'],
  [Flag.Undeferred, 'undeferred'],
  [Flag.Cancelled, 'cancelled'],
];

export const flagNames = (flags: number): string[] => FLAGS.filter(([bit]) => flags & bit).map(([, name]) => name);
