// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, one, storeOf, usePage, write } from '../../test/page';
import { counted } from '../../test/sample';
import { withSteps } from '../../test/steps';
import { formatCount, formatPercent, formatTime } from '../base/format';
import { ns } from '../base/time';
import { siteId } from '../model/ids';
import { hasGrains } from '../model/sites';
import { SiteTable } from './site-table';

usePage();

function tableOf(change: Parameters<typeof storeOf>[0] = () => {}) {
  const store = storeOf(change);
  const table = new SiteTable(store);
  const names = () => all(table.root, 'tbody .link').map(({ textContent }) => textContent!);
  const cells = (column: number) =>
    all(table.root, `tbody td:nth-child(${column})`).map(({ textContent }) => textContent!);
  return { store, table, names, cells };
}

it('has all sites, those with most work first', () => {
  const { store, names, cells } = tableOf();
  const sorted = [...store.model.sites].sort((a, b) => b.work_ns - a.work_ns);
  expect(names().length).toBe(6);
  expect(cells(3)).toEqual(sorted.map(({ work_ns }) => (work_ns > 0 ? formatTime(work_ns) : '')));
  expect(cells(2)).toEqual(sorted.map(({ count }) => (count > 0 ? formatCount(count) : '')));
});

it('is sorted by the column that is pressed', () => {
  const { table, cells } = tableOf();
  buttonOf(table.root, 'Count').click();
  const counts = cells(2).map(Number);
  expect(counts).toEqual([...counts].sort((a, b) => b - a));
  const sorted = all(table.root, '[aria-sort=descending]').map(({ textContent }) => textContent);
  expect(sorted).toEqual(['Count']);
});

it('is sorted wherever a head is clicked, also by name', () => {
  const { table, names } = tableOf();
  all(table.root, 'thead th')[0]!.click();
  expect(names()).toEqual(['count_words', 'main.c:31', 'main.c:33', 'scale.c:58', 'sort.c:12', 'sort.c:14']);
  expect(all(table.root, '[aria-sort=ascending]').map(({ textContent }) => textContent)).toEqual(['Site']);
});

it('selects the site of a row wherever the row is clicked', () => {
  const { store, table } = tableOf();
  one(table.root, 'tbody td').click();
  expect(store.site.value).toBeDefined();
  one(table.root, 'tbody td').click();
  expect(store.site.value).toBeUndefined();
});

it('finds sites, by the words that the list of sites has, too', () => {
  const { store, table, names } = tableOf();
  write(one<HTMLInputElement>(table.root, 'input'), 'sort 14');
  expect(names()).toEqual(['sort.c:14']);
  expect(store.query.value).toBe('sort 14');
  store.query.set('words');
  expect(one<HTMLInputElement>(table.root, 'input').value).toBe('words');
  expect(names()).toEqual(['count_words']);
});

it('highlights a site, and lets it go again', () => {
  const { store, table } = tableOf();
  const press = () => buttonOf(table.root, 'sort.c:12').click();
  press();
  expect(store.site.value).toBe(2);
  expect(one(table.root, 'tr.chosen').textContent).toContain('sort.c:12');
  press();
  expect(store.site.value).toBeUndefined();
});

it('counts what ran in the selected time range', () => {
  const { store, table, cells } = tableOf((json) => {
    json.sites[0]!.kind = 'initial';
    json.sites[4]!.kind = 'chunk';
    Object.assign(json.sites[5]!, { kind: 'sync', count: 8 });
  });
  store.focus({ start: ns(0), end: ns(30_000) });
  const { count } = store.inRange()!;
  const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);
  const others = store.model.sites.filter((site) => !hasGrains(site));
  expect(others.length).toBeGreaterThan(0);
  expect(sum(cells(2).map(Number))).toBe(sum(count) - count[5]! + sum(others.map(({ count }) => count)));
  expect(one(table.root, '[role=status]').textContent).toBe('6 sites; figures in the selected time range');
  // What cannot follow comes last, and says so.
  const marks = all(table.root, 'tbody tr').map((row) => row.querySelector('.whole-run') !== null);
  expect(marks).toEqual([...new Array(6 - others.length).fill(false), ...others.map(() => true)]);
});

it('has histograms on the scale of what ran in the selected time range', () => {
  const { store, table } = tableOf();
  const head = () => one(table.root, 'th.histogram').textContent!;
  const whole = head();
  const { grain, fragment } = store.model;
  const end = store.model.run.wall_ns / 50;
  store.focus({ start: ns(0), end: ns(end) });
  const ran = new Set([...fragment.grain].filter((_, row) => fragment.start[row]! < end));
  const bins = [...ran].map((row) => Math.floor(2 * Math.log2(grain.work[row]!)));
  const [low, high] = [Math.min(...bins), Math.max(...bins) + 1].map((bin) => formatTime(ns(2 ** (bin / 2))));
  expect(head()).toBe(`Grains by work, ${low} to ${high}`);
  expect(head()).not.toBe(whole);
  store.focus(undefined);
  expect(head()).toBe(whole);
});

it('has figures of the selected time range in every column', () => {
  const { store, table } = tableOf();
  const row = () => buttonOf(table.root, 'sort.c:12').closest('tr')!;
  const cells = () => all(row(), 'td').map((cell) => cell.textContent!);
  const whole = cells();
  const { grain } = store.model;
  const ends = [...store.bySite.of(siteId(2))].map((row) => grain.start[row]!).sort((a, b) => a - b);
  store.focus({ start: ns(0), end: ns(ends[ends.length >> 1]! + 1) });
  const { ran, count, all: everything, wait, creation, critical } = store.inRange()!;
  const half = cells();
  const share = formatPercent(ran[2]! / everything);
  const times = [ran[2]! / count[2]!, creation[2]!, wait[2]!].map((time) => (time > 0 ? formatTime(ns(time)) : ''));
  expect(half.slice(2, 6)).toEqual([share, ...times]);
  expect(half[7]).toBe(critical[2]! > 0 ? formatCount(critical[2]!) : '');
  for (const column of [0, 1, 2, 4]) expect(half[column], `column ${column}`).not.toBe(whole[column]);
  const bars = all(row(), 'svg rect title').map((title) => Number(title.textContent!.split(' of')[0]!));
  expect(bars.reduce((sum, grains) => sum + grains, 0)).toBe(count[2]);
});

it('describes the histogram of each site', () => {
  const { store, table } = tableOf();
  const row = buttonOf(table.root, 'sort.c:12').closest('tr')!;
  const { count } = store.model.sites[2]!;
  expect(one(row, 'svg').getAttribute('aria-label')).toMatch(new RegExp(`^${count} grains of .*, half of them below `));
  const bins = store.model.whole.sites[2]!.histogram.filter((grains) => grains > 0);
  expect(all(row, 'svg rect').length).toBe(bins.length);
});

it('has a column for each counter, of the whole run and of a range', () => {
  const store = storeOf(counted);
  const { root } = new SiteTable(store);
  const heads = all(root, 'thead th').map(({ textContent }) => textContent!);
  const at = heads.indexOf('task-clock');
  expect(heads[at - 1]).toBe('page-faults');
  const cells = () => all(root, `tbody td:nth-child(${at + 1})`).map(({ textContent }) => textContent!);
  expect(new Set(cells())).toEqual(new Set(['1.50 us']));
  store.focus({ start: ns(0), end: ns(store.model.run.wall_ns / 2) });
  expect(cells()).toContain('');
});

it('has the work until each barrier, where there are steps', () => {
  expect(tableOf().table.root.textContent).not.toContain('Until');
  const { table, cells } = tableOf(withSteps);
  buttonOf(table.root, 'Until').click();
  expect(cells(4)[0]).toBe('70.0 ns');
});
