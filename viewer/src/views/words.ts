// SPDX-License-Identifier: Apache-2.0
// Names for the kinds that the model identifies by numbers.
import { Flag, GrainKind } from '../model/model';

const KINDS: Record<number, string> = {
  [GrainKind.Task]: 'Explicit task',
  [GrainKind.Implicit]: 'Implicit task',
  [GrainKind.Chunk]: 'Loop chunk',
  [GrainKind.Group]: 'Group of small grains',
  [GrainKind.Initial]: 'Initial task',
};

export const kindName = (kind: number): string => KINDS[kind] ?? `Kind ${kind}`;

const CAUSES: Record<number, string> = {
  1: 'a task was ready',
  2: 'what a task there waited for had come about',
  3: 'the team was released',
  4: 'it got its place in a region',
  5: 'the others had ended their parts of the region',
};

/** Returns why a worker was woken; empty: not known. */
export const causeName = (cause: number): string => CAUSES[cause] ?? '';

const FLAGS: readonly [number, string][] = [
  [Flag.Critical, 'critical path'],
  [Flag.LowBenefit, 'low benefit'],
  [Flag.Unfinished, 'unfinished'],
  [Flag.Stolen, 'stolen'],
  [Flag.Undeferred, 'undeferred'],
  [Flag.Cancelled, 'cancelled'],
];

export const flagNames = (flags: number): string[] => FLAGS.filter(([bit]) => flags & bit).map(([, name]) => name);
