// SPDX-License-Identifier: Apache-2.0

import { beforeEach, describe, expect, it } from 'vitest';
import { pairOf } from '../../test/pair';
import { ns } from '../base/time';
import { grainRow, siteId } from '../model/ids';
import { decodeText } from '../model/page-data';
import type { Pair } from '../model/pair';
import { PairStore } from './pair';

let store: PairStore;

beforeEach(() => {
  const pair = decodeText(JSON.stringify(pairOf([60, 20])));
  if (!pair.ok) throw new Error(pair.error);
  store = new PairStore(pair.value as Pair);
});

const chosen = () => [store.before.site.value, store.site.value, store.after.site.value];

describe('a site', () => {
  it('that is selected in one recording is selected in the other, where it may have another number', () => {
    store.before.highlight(siteId(3));
    expect(chosen()).toEqual([3, 1, 2]);
    store.after.highlight(siteId(3));
    expect(chosen()).toEqual([2, 0, 3]);
    store.after.highlight(undefined);
    expect(chosen()).toEqual([undefined, undefined, undefined]);
  });

  it('without a counterpart leaves the other recording as it is', () => {
    store.choose(0);
    store.before.highlight(siteId(5));
    expect(chosen()).toEqual([5, 2, undefined]);
    store.choose(2);
    expect(chosen()).toEqual([5, 2, undefined]);
  });

  it('that is no row of the comparison is selected alone', () => {
    store.choose(0);
    store.before.highlight(siteId(4));
    expect(chosen()).toEqual([4, undefined, undefined]);
    store.clear();
    expect(chosen()).toEqual([undefined, undefined, undefined]);
  });

  it('is that of the grain which is selected, of one recording at a time', () => {
    const { site } = store.after.model.grain;
    store.after.select(grainRow(site.indexOf(2)));
    expect(chosen()).toEqual([3, 1, 2]);
    store.before.select(grainRow(store.before.model.grain.site.indexOf(2)));
    expect(chosen()).toEqual([2, 0, 3]);
    expect(store.after.selected.value).toBeUndefined();
  });

  it('is stepped to in the order of the rows given, around the ends', () => {
    store.step(1, [3, 1]);
    expect(store.site.value).toBe(3);
    store.step(1, [3, 1]);
    store.step(1, [3, 1]);
    expect(store.site.value).toBe(3);
    store.step(-1, [3, 1]);
    expect(store.site.value).toBe(1);
    store.step(1, []);
    expect(store.site.value).toBe(1);
  });
});

describe('time', () => {
  it('has one scale, which ends with the longer recording', () => {
    const { before, after } = store;
    expect(after.model.run.wall_ns).not.toBe(before.model.run.wall_ns);
    expect(before.end).toBe(after.end);
    expect(before.end).toBeGreaterThanOrEqual(Math.max(before.model.run.wall_ns, after.model.run.wall_ns));
  });

  it('is selected in both, also where one has ended', () => {
    const { before, after } = store;
    const [long, short] = before.model.run.wall_ns > after.model.run.wall_ns ? [before, after] : [after, before];
    const range = { start: ns(short.model.run.wall_ns * 1.01), end: long.end };
    long.focus(range);
    expect(short.range.value).toEqual(range);
    short.focus({ start: ns(10), end: ns(20) });
    expect(long.range.value).toEqual({ start: 10, end: 20 });
    store.clear();
    expect([long.range.value, short.range.value]).toEqual([undefined, undefined]);
  });
});
