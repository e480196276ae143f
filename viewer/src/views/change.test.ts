// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { ns } from '../base/time';
import type { Change } from '../model/pair';
import { changeCells, changeText, intervalText, signed, verdictText } from './change';

const change = (before: number, after: number, more: Partial<Change> = {}): Change => ({
  before_ns: ns(before),
  after_ns: ns(after),
  ratio: after / before,
  ratio_low: (after / before) * 0.9,
  ratio_high: (after / before) * 1.1,
  p: 0.01,
  verdict: 'change',
  ...more,
});

it('says by how much, in per cent or in times', () => {
  expect(changeText(change(1000, 800))).toBe('−20.0 %');
  expect(changeText(change(1000, 2500))).toBe('+150.0 %');
  expect(changeText(change(1000, 4000))).toBe('× 4.00');
  expect(changeText(change(1000, 50))).toBe('× 0.05');
  expect(changeText(change(0, 50))).toBe('');
  expect(signed(1)).toBe('+0.0 %');
});

it('says whether that is more than noise', () => {
  expect(verdictText(change(1, 1))).toBe('more than noise (p 0.010)');
  expect(verdictText(change(1, 1, { verdict: 'noise', p: 0.25 }))).toBe('noise (p 0.25)');
  expect(verdictText(change(1, 1, { verdict: 'too-few-runs' }))).toBe('too few runs to tell');
  expect(verdictText(change(1, 1, { verdict: 'not-tested' }))).toBe('');
});

it('says between which ratios it lies, where that is known', () => {
  expect(intervalText(change(1000, 1000))).toBe('95 %: −10.0 % to +10.0 %');
  expect(intervalText(change(1000, 1000, { ratio_low: Number.NaN }))).toBe('');
  expect(intervalText(change(1000, 0))).toBe('');
});

it('makes three cells, of which the last has the verdict as its class', () => {
  const cells = changeCells(change(1000, 800), true);
  expect(cells.map(({ textContent }) => textContent)).toEqual(['1.00 us', '800 ns', '−20.0 %more than noise']);
  expect(cells[2]!.className).toBe('verdict change');
  expect(cells[2]!.title).toBe('more than noise (p 0.010); 95 %: −28.0 % to −12.0 %');
  expect(changeCells(change(1000, 0), false).map(({ textContent }) => textContent)).toEqual(['1.00 us', '', '']);
});
