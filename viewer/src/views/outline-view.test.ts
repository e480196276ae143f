// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, one, storeOf, usePage } from '../../test/page';
import { piecesOf } from '../../test/whole';
import { ns } from '../base/time';
import { NONE } from '../model/ids';
import { OutlineView } from './outline-view';

usePage();

/** By the classes of the sample: work, serial, imbalance. */
const times = (work: number, imbalance: number) => [work, 0, imbalance];

function viewOf() {
  const store = storeOf((json) => {
    const row = { depth: 0, site: NONE, count: 1, wall_ns: 1000, work_ns: 0, classes: times(0, 0), own_ns: 0 };
    json.run.wall_ns = 10_000;
    json.whole.outline.more = 3;
    json.whole.outline.row = [
      { ...row, kind: 'serial' },
      { ...row, kind: 'repeat', count: 100, wall_ns: 9000, work_ns: 8000, classes: times(8000, 2000) },
      { ...row, depth: 1, kind: 'region', site: 2, count: 100, wall_ns: 6000, classes: times(6000, 0), own_ns: 800 },
      {
        ...row,
        depth: 2,
        kind: 'loop',
        site: 3,
        count: 1600,
        wall_ns: 4000,
        work_ns: 5000,
        classes: times(5000, 200),
        own_ns: 5200,
      },
      { ...row, depth: 1, kind: 'serial', count: 100 },
    ];
  });
  const { root } = new OutlineView(store);
  return { store, root, rows: all(root, 'tbody tr') };
}

it('has the steps of the program in order, with their times and repetitions', () => {
  const { rows } = viewOf();
  const texts = rows.map((row) => [...row.children].slice(0, 7).map(({ textContent }) => textContent));
  expect(texts).toEqual([
    ['serial', '', '1.00 us', '10.0 %', '', '', ''],
    ['100 rounds of', '× 100', '9.00 us', '90.0 %', '8.00 us', '10.0 us', '0'],
    ['sort.c:12 sort', '× 100', '6.00 us', '60.0 %', '', '6.00 us', '800 ns'],
    ['loop sort.c:14 sort', '× 1\u202f600', '4.00 us', '40.0 %', '5.00 us', '5.20 us', '5.20 us'],
    ['serial', '× 100', '1.00 us', '10.0 %', '', '', ''],
  ]);
});

it('draws the time of the workers as long as its share of the run, in the colours of the budget', () => {
  const { store, rows } = viewOf();
  expect(one(rows[1]!, '.budget').style.width).toBe('90%');
  const parts = all(rows[1]!, '.budget i').map(({ className, style }) => [className, style.flexGrow]);
  expect(parts).toEqual([
    ['work', '0.8'],
    ['imbalance', '0.2'],
  ]);
  const share = 5200 / (10_000 * store.model.run.workers);
  expect(one(rows[3]!, '.budget').style.width).toBe(`${Math.max(share * 100, 0.4)}%`);
});

it('selects the site of a row, and marks the rows of the selected site', () => {
  const { store, rows } = viewOf();
  one(rows[2]!, '.link').click();
  expect(store.site.value).toBe(2);
  expect(rows.map(({ classList }) => classList.contains('chosen'))).toEqual([false, false, true, false, false]);
  one(rows[2]!, '.link').click();
  expect(store.site.value).toBeUndefined();
});

it('is open down to what takes most of the run, and opens by buttons', () => {
  const { root, rows } = viewOf();
  expect(rows.map(({ hidden }) => hidden)).toEqual([false, false, false, false, false]);
  expect(rows.map(({ classList }) => classList.contains('most'))).toEqual([false, true, true, true, false]);
  all(root, '.toggle')[0]!.click();
  expect(rows.map(({ hidden }) => hidden)).toEqual([false, false, true, true, true]);
});

it('opens what the selected site is in', () => {
  const { store, root, rows } = viewOf();
  for (const toggle of all(root, '.toggle')) toggle.click();
  expect(rows[3]!.hidden).toBe(true);
  store.highlight(3 as never);
  expect([rows[3]!.hidden, rows[3]!.className]).toEqual([false, 'most chosen']);
});

it('leaves out short serial parts, and says what is left out', () => {
  const { root } = viewOf();
  expect(one(root, '.hint').textContent).toBe('3 more rows are left out.');
  const short = storeOf((json) => {
    const row = { depth: 0, site: NONE, count: 1, work_ns: 0, classes: [], own_ns: 0 };
    json.run.wall_ns = 10_000;
    json.whole.outline.row = [
      { ...row, kind: 'region', site: 2, wall_ns: 9995 },
      { ...row, kind: 'serial', wall_ns: 5 },
    ];
  });
  expect(all(new OutlineView(short).root, 'tbody tr').length).toBe(1);
});

it('has the figures of the selected time range, and says what rounds in rounds are', () => {
  const store = storeOf((json) => {
    const row = { site: NONE, wall_ns: 1000, work_ns: 700, classes: times(700, 300), own_ns: 0 };
    json.run.wall_ns = 10_000;
    json.whole.outline.row = [
      { ...row, depth: 0, kind: 'repeat', count: 8 },
      { ...row, depth: 1, kind: 'repeat', count: 75 },
      { ...row, depth: 2, kind: 'region', site: 2, count: 75 },
      { ...row, depth: 0, kind: 'end', count: 1 },
    ];
    json.whole.outline.piece = piecesOf([
      [2, 1000, 4000, [0.5, 0, 0.5]],
      [3, 5000, 5000, [0.25, 0.75, 0]],
    ]);
  });
  const { root } = new OutlineView(store);
  const texts = () =>
    all(root, 'tbody tr').map((row) => [...row.children].slice(0, 7).map(({ textContent }) => textContent));
  expect(texts().map(([name, times]) => [name, times])).toEqual([
    ['8 rounds of', '× 8'],
    ['75 rounds in all, 9.38 in each, of', '× 75'],
    ['sort.c:12 sort', '× 75'],
    ['serial, after the last region', ''],
  ]);
  store.focus({ start: ns(3000), end: ns(7000) });
  expect(texts().slice(2)).toEqual([
    ['sort.c:12 sort', '× 1', '2.00 us', '50.0 %', '≈ 4.02 us', '≈ 8.03 us', '≈ 8.03 us'],
    ['serial, after the last region', '', '2.00 us', '50.0 %', '≈ 2.01 us', '≈ 8.00 us', '≈ 8.00 us'],
  ]);
  expect(one(root, '.about').hidden).toBe(false);
  store.focus({ start: ns(500), end: ns(10_000) });
  expect(one(root, '.about').hidden).toBe(true);
  expect(texts()[2]![5]).toBe('16.1 us');
  store.focus(undefined);
  expect(texts()[2]![1]).toBe('× 75');
});

it('says where there are no regions', () => {
  expect(new OutlineView(storeOf()).root.textContent).toBe('The recording has no parallel regions.');
});

it('names short steps by the longest of them, and has their sums', () => {
  const store = storeOf((json) => {
    const row = { depth: 0, count: 1, work_ns: 40, classes: times(40, 10), own_ns: 1e-10 };
    json.run.wall_ns = 10_000;
    json.whole.outline.row = [
      { ...row, kind: 'region', site: 2, wall_ns: 9000 },
      { ...row, kind: 'region', site: 3, wall_ns: 50 },
      { ...row, kind: 'region', site: 1, wall_ns: 60 },
    ];
  });
  const { root } = new OutlineView(store);
  const rows = all(root, 'tbody tr');
  const texts = (row: HTMLElement) => [...row.children].slice(0, 7).map(({ textContent }) => textContent);
  expect(texts(rows[1]!)).toEqual([
    '2 steps below 2 % each, the longest main.c:33 60.0 ns',
    '',
    '110 ns',
    '1.10 %',
    '80.0 ns',
    '100 ns',
    '',
  ]);
  expect(all(rows[1]!, '.budget i').length).toBe(2);
  expect(one(rows[1]!, '.toggle').getAttribute('aria-label')).toBe(
    'What is in 2 steps below 2 % each, the longest main.c:33 60.0 ns',
  );
  expect(texts(rows[0]!)[6]).toBe('0');
  expect(rows[2]!.hidden).toBe(true);
  store.unfolded.set({});
  expect(rows[2]!.hidden).toBe(false);
});

it('selects the grains of a region without debug information, and shows its largest occurrence', () => {
  const shown: unknown[] = [];
  HTMLElement.prototype.scrollIntoView = function (this: HTMLElement) {
    shown.push(this);
  };
  const store = storeOf((json) => {
    const row = { depth: 0, count: 1, work_ns: 0, classes: times(0, 0), own_ns: 0, kind: 'region', site: 2 };
    const name = 'sort at prog+0x12';
    for (const site of json.sites)
      if (site.line === json.sites[2]!.line) Object.assign(site, { file: '', line: 0, function: name });
    json.sites.push({ ...json.sites[2]!, kind: 'region' });
    json.whole.sites.push({ ...json.whole.sites[2]! });
    json.whole.outline.row = [2000, 6000, 100].map((wall_ns) => ({ ...row, site: json.sites.length - 1, wall_ns }));
    json.sites[2]!.kind = 'implicit';
  });
  const { root } = new OutlineView(store);
  const rows = all(root, 'tbody tr');
  one(rows[2]!, '.link').click();
  expect(store.site.value).toBe(2);
  expect(shown).toEqual([rows[1]]);
});
