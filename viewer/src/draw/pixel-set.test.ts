// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { PixelSet } from './pixel-set';

it('knows what it has been given, to the pixel', () => {
  const set = new PixelSet();
  expect(set.hasOrAdd(10, 20, 1, 5)).toBe(false);
  expect(set.hasOrAdd(10.2, 20.3, 1, 5)).toBe(true);
  expect(set.hasOrAdd(10, 20, 1, 6)).toBe(false);
  expect(set.hasOrAdd(-100, -100, 0, 0)).toBe(false);
  set.clear();
  expect(set.hasOrAdd(10, 20, 1, 5)).toBe(false);
});

it('never takes one rectangle for another', () => {
  const set = new PixelSet();
  for (let i = 0; i < 200_000; i++)
    if (set.hasOrAdd(i % 1000, Math.floor(i / 1000), 1, 1)) throw new Error(`rectangle ${i} was not there before`);
});
