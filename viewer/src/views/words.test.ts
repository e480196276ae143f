// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { Flag, GrainKind } from '../model/model';
import { causeName, flagNames, kindName } from './words';

it('has names for kinds, causes and flags', () => {
  expect(kindName(GrainKind.Chunk)).toBe('Loop chunk');
  expect(kindName(77)).toBe('Kind 77');
  expect(causeName(1)).toBe('a task was ready');
  expect(causeName(0)).toBe('');
  expect(flagNames(Flag.Stolen | Flag.Critical)).toEqual(['critical path', 'stolen']);
});
