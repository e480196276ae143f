// SPDX-License-Identifier: Apache-2.0

import { beforeEach, describe, expect, it } from 'vitest';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { ns } from '../base/time';
import { decodeModel } from '../model/decode';
import { grainRow, siteId } from '../model/ids';
import { buildTree } from '../model/tree';
import { Store } from './store';

let store: Store;

beforeEach(() => {
  const decoded = decodeModel(viewModel(demo(60)));
  if (!decoded.ok) throw new Error(decoded.error);
  store = new Store(decoded.value, buildTree(decoded.value));
});

describe('selection', () => {
  it('takes grains that exist and refuses others', () => {
    store.select(grainRow(5));
    expect(store.selected.value).toBe(5);
    store.select(grainRow(1_000_000));
    expect(store.selected.value).toBeUndefined();
  });

  it('asks the views to show what is gone to, every time', () => {
    const seen: (number | undefined)[] = [];
    store.revealed.listen((request) => seen.push(request?.grain));
    store.goTo(grainRow(3));
    store.goTo(grainRow(3));
    expect(seen).toEqual([3, 3]);
  });
});

describe('stepping through a site', () => {
  it('goes around its grains in both directions', () => {
    store.highlight(siteId(2));
    const grains = [...store.highlighted()!];
    expect(grains.length).toBeGreaterThan(2);
    store.step(1);
    expect(store.selected.value).toBe(grains[0]);
    store.step(-1);
    expect(store.selected.value).toBe(grains.at(-1));
    store.step(1);
    store.step(1);
    expect(store.selected.value).toBe(grains[1]);
  });

  it('dims nothing for a site from which no grains come', () => {
    const sync = store.model.sites.length;
    store.model.sites.push({ ...store.model.sites[1]!, kind: 'sync' });
    store.bySite.update(store.model);
    store.highlight(siteId(sync));
    expect([store.site.value, store.siteOfGrains, store.highlighted()]).toEqual([sync, undefined, undefined]);
  });

  it('does nothing when no site is highlighted', () => {
    store.step(1);
    expect(store.selected.value).toBeUndefined();
  });
});

describe('walking the tree', () => {
  it('starts at the root and goes down, across, back and up', () => {
    store.walk('child');
    expect(store.selected.value).toBe(store.tree.roots[0]);
    store.walk('child');
    const first = store.selected.value!;
    store.walk('next');
    const second = store.selected.value!;
    expect(store.tree.owner[second]).toBe(store.tree.owner[first]);
    store.walk('previous');
    expect(store.selected.value).toBe(first);
    store.walk('previous');
    expect(store.selected.value).toBe(first);
    store.walk('parent');
    expect(store.selected.value).toBe(store.tree.roots[0]);
  });
});

describe('the selected time range', () => {
  it('stays within the recording, and is none where it is all of it', () => {
    const { end } = store;
    store.focus({ start: ns(-50), end: ns(end / 2) });
    expect(store.range.value).toEqual({ start: 0, end: end / 2 });
    store.focus({ start: ns(0), end: ns(end * 2) });
    expect(store.range.value).toBeUndefined();
    store.focus({ start: ns(end * 2), end: ns(end * 3) });
    expect(store.range.value).toBeUndefined();
  });

  it('lets those grains stand out that ran in it, of the site and the problem that are chosen', () => {
    store.focus({ start: ns(store.end / 3), end: ns(store.end / 2) });
    const ran = store.highlighted()!;
    const { start, end, site } = store.model.grain;
    expect(ran.length).toBeGreaterThan(0);
    for (const grain of ran) expect(start[grain]! <= store.end / 2 && end[grain]! >= store.end / 3).toBe(true);
    store.highlight(siteId(2));
    expect([...store.highlighted()!]).toEqual([...ran].filter((grain) => site[grain] === 2));
    store.problem.set('path');
    expect(store.highlighted()!.every((grain) => store.model.grain.flags[grain]! & 1 && site[grain] === 2)).toBe(true);
    store.clear();
    expect(store.highlighted()).toBeUndefined();
  });
});
