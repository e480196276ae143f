// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { roundStep, ticks } from './ticks';

it('rounds steps up to 1, 2 or 5 times a power of ten', () => {
  expect([0.7, 1, 1.1, 3, 7, 40].map(roundStep)).toEqual([1, 1, 2, 5, 10, 50]);
});

it('lists the multiples inside a range', () => {
  expect(ticks(3, 11, 2)).toEqual([4, 6, 8, 10]);
  expect(ticks(1, 1.5, 2)).toEqual([]);
});
