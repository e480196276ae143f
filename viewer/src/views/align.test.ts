// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { insets, MARGIN } from './align';

it('lets the strip begin where the time line begins, and end where the run ends in it', () => {
  const { left, right } = insets({ left: 0, right: 1440, width: 1440 }, { left: 80, right: 1085, width: 1005 });
  expect(left).toBe(80);
  expect(1440 - left - right).toBeCloseTo(1005 / MARGIN);
});

it('takes the whole width where there is no time line', () => {
  expect(insets({ left: 0, right: 390, width: 390 }, { left: 0, right: 0, width: 0 })).toEqual({ left: 0, right: 0 });
});
