// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, one, usePage, write } from '../../test/page';
import { pairOf } from '../../test/pair';
import { decodeText } from '../model/page-data';
import type { Pair } from '../model/pair';
import { PairStore } from '../state/pair';
import { DiffTable, nameOf } from './diff-table';

usePage();

function tableOf() {
  const pair = decodeText(JSON.stringify(pairOf([60, 20])));
  if (!pair.ok) throw new Error(pair.error);
  const store = new PairStore(pair.value as Pair);
  return { store, table: new DiffTable(store) };
}

const rows = (table: DiffTable) => all(table.root, 'tbody tr');

it('has a row for each site, with its counts and how it was joined', () => {
  const { store, table } = tableOf();
  expect(rows(table).map((row) => one(row, '.link').textContent)).toEqual([
    'sort.c:12 → sort.c:14',
    'sort.c:14 → sort.c:12',
    'count_words (only before)',
    'main.c:33',
  ]);
  const { count_before, count_after } = store.pair.sites[0]!;
  const cells = all(rows(table)[0]!, 'td').map(({ textContent }) => textContent);
  expect(cells.slice(0, 2)).toEqual([String(count_before), String(count_after)]);
  expect(cells[4]).toContain('more than noise');
  expect(one(rows(table)[0]!, 'small').textContent).toBe('sort · task · joined by order');
  expect(one(rows(table)[2]!, 'small').textContent).toBe('task · no counterpart');
});

it('finds rows in which all words occur', () => {
  const { table } = tableOf();
  const search = one<HTMLInputElement>(table.root, 'input');
  write(search, 'SORT.c :14');
  expect(table.found()).toEqual([0, 1]);
  write(search, 'words');
  expect(table.found()).toEqual([2]);
  expect(rows(table).length).toBe(1);
  expect(one(table.root, '[role=status]').textContent).toMatch(/^1 site;/);
});

it('selects a site in both recordings, and clears it again', () => {
  const { store, table } = tableOf();
  one(rows(table)[0]!, '.link').click();
  expect([store.before.site.value, store.site.value, store.after.site.value]).toEqual([2, 0, 3]);
  expect(rows(table).map(({ className }) => className)).toEqual(['chosen', '', '', '']);
  one(rows(table)[0]!, '.link').click();
  expect(store.site.value).toBeUndefined();
});

it('says in sentences how constructs and grains were joined', () => {
  const text = one(tableOf().table.root, '.joined').textContent;
  expect(text).toContain('1 at the same line, 3 by their order in the function, 1 only before.');
  expect(text).toContain('20 of 25 grains after have a counterpart');
  expect(text).toContain('Of the others 5 were created in grains without a counterpart.');
});

it('names a site by its place on either side', () => {
  const place = (line: number) => ({ file: 'a/b.c', line, function: 'f' });
  expect(nameOf({ before: place(1), after: place(1) })).toBe('b.c:1');
  expect(nameOf({ before: place(1), after: place(2) })).toBe('b.c:1 → b.c:2');
  expect(nameOf({ before: undefined, after: place(2) })).toBe('b.c:2 (only after)');
});
