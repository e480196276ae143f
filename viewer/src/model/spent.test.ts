// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { column } from '../../test/column';
import { ns } from '../base/time';
import { workerId } from './ids';
import { decodeSpent, sharesAt, sharesOf, stretchClass } from './spent';

const lanes = (change: object = {}) => ({
  interval_ns: 10,
  intervals: 2,
  classes: ['work', 'locks'],
  share: column('u8', [255, 0, 51, 204, 0, 0, 0, 255]),
  stretch: {
    worker: column('u16', [1]),
    start: column('f64', [10]),
    end: column('f64', [20]),
    class: column('u8', [1]),
  },
  ...change,
});

function spent() {
  const decoded = decodeSpent(lanes());
  if (!decoded.ok) throw new Error(decoded.error);
  return decoded.value;
}

it('adds up the shares of intervals', () => {
  const out = new Float32Array(2);
  expect(sharesOf(spent(), workerId(0), 0, 2, out)).toBe(true);
  expect([...out].map((share) => Math.round(share * 100))).toEqual([60, 40]);
  expect(sharesOf(spent(), workerId(2), 0, 1, out)).toBe(false);
});

it('has the largest share at an instant first', () => {
  const names = sharesAt(spent(), workerId(0), ns(12), ns(13)).map(({ name }) => name);
  expect(names).toEqual(['locks', 'work']);
  expect(sharesAt(spent(), workerId(1), ns(2), ns(3))).toEqual([]);
});

it.each([
  ['shares of half a worker', { share: column('u8', [1, 2, 3]) }, /no whole number of workers/],
  ['a class that is not there', { classes: [] as string[], share: column('u8', []) }, /class that is not there/],
  ['no stretches', { stretch: undefined }, /whole.lanes.stretch/],
])('refuses %s', (_name, change, message) => {
  const decoded = decodeSpent(lanes(change));
  expect(decoded.ok ? '' : decoded.error).toMatch(message);
});

it('takes the class of a stretch from the shares, where these are fine enough', () => {
  const classOf = (end: number) => {
    const decoded = decodeSpent(
      lanes({
        stretch: {
          worker: column('u16', [1]),
          start: column('f64', [10]),
          end: column('f64', [end]),
          class: column('u8', [0]),
        },
      }),
    );
    if (!decoded.ok) throw new Error(decoded.error);
    return stretchClass(decoded.value, 0);
  };
  expect([classOf(20), classOf(19)]).toEqual([1, 0]);
});
