// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { Pace } from './pace';

/** The budget after frames of a length. */
function after(ms: number, frames = 60): { budget: number; moving: boolean } {
  const pace = new Pace(50_000);
  let now = 1000;
  let last = pace.next(now);
  for (let frame = 0; frame < frames; frame++) {
    now += ms;
    last = pace.next(now);
  }
  return last;
}

it('draws less where frames are slow, all where they are quick or where nothing moves', () => {
  expect(after(16.7)).toEqual({ budget: 50_000, moving: true });
  expect(after(33).budget).toBeLessThan(4_000);
  expect(after(33).budget).toBeGreaterThanOrEqual(3_000);
  expect(after(20)).toEqual({ budget: 25_000, moving: true });
  expect(after(300)).toEqual({ budget: 50_000, moving: false });
});
