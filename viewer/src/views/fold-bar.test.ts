// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { folded } from '../../test/folded';
import { all, buttonOf, modelOf, usePage } from '../../test/page';
import { randomNumbers, siblings } from '../../test/program';
import { grainRow } from '../model/ids';
import { buildTree } from '../model/tree';
import { Server } from '../state/server';
import { Store } from '../state/store';
import { FoldBar } from './fold-bar';

usePage();

const source = folded(siblings(95, randomNumbers(4)), 10);

function barOf(opens: boolean) {
  const model = modelOf(() => ({ ...source.json, run: { ...source.json.run, opens } }));
  const server = new Server({ sites: model.sites.length, counters: 0 }, '', async (address) => {
    const { searchParams } = new URL(address, 'http://teff.test/');
    return Response.json(source.part(Number(searchParams.get('first')), Number(searchParams.get('count'))));
  });
  const store = new Store(model, buildTree(model), opens ? server : undefined);
  return { store, server, bar: new FoldBar(store) };
}

it('is not there while nothing can be said', () => {
  const { store, bar } = barOf(true);
  expect(bar.root.hidden).toBe(true);
  store.select(grainRow(0));
  expect(bar.root.hidden).toBe(true);
});

it('opens and closes the selected group', async () => {
  const { store, bar } = barOf(true);
  store.select(grainRow(2));
  expect(bar.root.hidden).toBe(false);
  expect(bar.root.textContent).toMatch(/^10 grains, .* work Open$/);
  buttonOf(bar.root, 'Open').click();
  await vi.waitFor(() => expect(bar.root.textContent).toMatch(/Close$/));
  expect(store.folds.isOpen(grainRow(2))).toBe(true);
  buttonOf(bar.root, 'Close').click();
  expect(bar.root.textContent).toMatch(/Open$/);
});

it('says why a group could not be opened', async () => {
  const { store, server, bar } = barOf(true);
  server.part = async () => ({ ok: false, error: 'gone' });
  await store.folds.open(grainRow(2));
  expect(all(bar.root, '.wrong').map(({ textContent }) => textContent)).toEqual(['gone']);
});

it('says what a page that opens nothing has lost', () => {
  const { store, bar } = barOf(false);
  expect(bar.root.textContent).toBe(
    '1 of 96 grains stand alone; the others are folded into 10 groups, which keep their sums only. teff view DIR opens them.',
  );
  store.select(grainRow(2));
  expect(bar.root.textContent).toMatch(/folded in this file$/);
  expect(all(bar.root, 'button')).toEqual([]);
});
