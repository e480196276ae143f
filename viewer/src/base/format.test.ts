// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from 'vitest';
import { baseName, formatCount, formatPercent, formatRatio, formatTick, formatTime, shorten } from './format';
import { ns } from './time';

describe('formatTime', () => {
  it.each([
    [0, '0'],
    [5, '5.00 ns'],
    [999.7, '1.00 us'],
    [12_345, '12.3 us'],
    [123_456_789, '123 ms'],
    [2_500_000_000, '2.50 s'],
    [5_000_000_000_000, '5\u202f000 s'],
    [-1500, '-1.50 us'],
    [Number.NaN, '–'],
  ])('%d ns reads %s', (time, text) => expect(formatTime(ns(time))).toBe(text));
});

it('groups the digits of counts', () => {
  expect(formatCount(200000)).toBe('200\u202f000');
  expect(formatCount(12)).toBe('12');
});

it('keeps three digits of ratios and names what has no value', () => {
  expect(formatRatio(3.8512)).toBe('3.85');
  expect(formatRatio(Number.NaN)).toBe('–');
  expect(formatPercent(0.1234)).toBe('12.3 %');
  expect([7.2e-6, 6.8e-5, 0.0001, 0].map(formatPercent)).toEqual(['< 0.01 %', '< 0.01 %', '0.01 %', '0.00 %']);
});

it('takes the last part of a path', () => {
  expect(baseName('/src/a/sort.c')).toBe('sort.c');
  expect(baseName('sort.c')).toBe('sort.c');
});

it('labels the marks of an axis so that neighbours differ', () => {
  expect(formatTick(ns(5000), ns(5000))).toBe('5 us');
  expect(formatTick(ns(12_001_000), ns(1000))).toBe('12.001 ms');
  expect(formatTick(ns(0), ns(1000))).toBe('0');
});

it('shortens a text in its middle', () => {
  expect(shorten('sort.c:12', 9)).toBe('sort.c:12');
  expect(shorten('abcdefghij', 7)).toBe('abc…hij');
  expect(shorten('abcdefghij', 6)).toBe('abc…ij');
});
