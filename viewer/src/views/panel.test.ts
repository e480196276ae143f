// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, one, storeOf, usePage } from '../../test/page';
import { stalled } from '../../test/program';
import { counted, viewModel } from '../../test/sample';
import { formatTime } from '../base/format';
import { grainRow, siteId } from '../model/ids';
import { GrainKind } from '../model/model';
import { Panel } from './panel';

usePage();

function panelOf(store = storeOf()) {
  const { root } = new Panel(store);
  const figures = () => {
    const names = all(root, 'dt').map(({ textContent }) => textContent!);
    return Object.fromEntries(all(root, 'dd').map(({ textContent }, at) => [names[at]!, textContent!]));
  };
  return { store, root, figures };
}

it('says what to do while no grain is selected', () => {
  const { root } = panelOf();
  expect(one(root, 'h2').textContent).toBe('Grain');
  expect(root.textContent).toContain('Click a grain');
});

it('shows the figures of the selected grain', () => {
  const { store, root, figures } = panelOf();
  const { grain } = store.model;
  const row = grainRow([...grain.site].indexOf(3 as never));
  store.select(row);
  expect(one(root, 'h2').textContent).toBe(`Explicit task #${row}`);
  expect(figures()).toMatchObject({
    Site: 'sort.c:14 source',
    Function: 'sort',
    Work: formatTime(grain.work[row]!),
    Start: formatTime(grain.start[row]!),
    Wait: formatTime(grain.wait[row]!),
    Worker: String(grain.worker[row]),
    Children: String(store.tree.childCount[row]),
  });
  expect(figures().Memory).toBeUndefined();
});

it('shows iterations of a chunk, and waits for memory where they were counted', () => {
  const { store, figures } = panelOf();
  store.select(grainRow([...store.model.grain.kind].indexOf(GrainKind.Chunk)));
  expect(figures().Iterations).toMatch(/^64, from \d+$/);
  const stalling = panelOf(storeOf(undefined, viewModel(stalled(3))));
  stalling.store.select(grainRow(2));
  expect(stalling.figures().Memory).toMatch(/, 50\.0 %$/);
});

it('lists the flags of the grain', () => {
  const { store, root } = panelOf();
  store.select(grainRow(0));
  expect(all(root, '.flags li').map(({ textContent }) => textContent)).toContain('critical path');
});

it('highlights the site, and lets it go again', () => {
  const { store, root } = panelOf();
  store.select(grainRow(1));
  one(root, 'dl .link').click();
  expect(store.site.value).toBe(1);
  one(root, 'dl .link').click();
  expect(store.site.value).toBeUndefined();
});

it('goes to relatives, as far as there are any', () => {
  const { store, root } = panelOf();
  store.select(grainRow(0));
  expect(buttonOf(root, 'Parent').disabled).toBe(true);
  expect(buttonOf(root, 'Next').disabled).toBe(true);
  buttonOf(root, 'Child').click();
  expect(store.selected.value).toBe(1);
  buttonOf(root, 'Initial task #0').click();
  expect(store.selected.value).toBe(0);
  buttonOf(root, '×').click();
  expect(store.selected.value).toBeUndefined();
});

it('says who woke the worker of the grain', () => {
  const { store, figures } = panelOf();
  const { idle, grain } = store.model;
  const woken = [...grain.start.keys()].find((row) =>
    [...idle.end.keys()].some(
      (at) => idle.woken[at]! > 0 && idle.end[at] === grain.start[row] && idle.worker[at] === grain.worker[row],
    ),
  );
  store.select(grainRow(woken!));
  expect(figures()['Woken by']).toMatch(/^worker \d, 200 ns before it began: a task was ready$/);
});

const inside = {
  samples: 40,
  kernel_unplaced: 4,
  functions: [
    { function: 'merge', object: 'sort', file: '/src/sort.c', line: 20, samples: 30, kernel: 3 },
    { function: 'memcpy', object: 'libc.so.6', file: '', line: 0, samples: 6, kernel: 0 },
  ],
  more: 2,
};

it('has the functions that ran inside the site of the grain, or inside the selected site', () => {
  const store = storeOf((json) => void Object.assign(json.sites[2]!, { inside }));
  const { root } = new Panel(store);
  const functions = () =>
    all(root, '.inside dt').map((name) => `${name.nextElementSibling!.textContent} ${name.textContent}`);
  const expected = ['75.0 % merge (sort.c:20) 10.0 % of it in the kernel', '15.0 % memcpy (libc.so.6)'];
  expect(functions()).toEqual([]);
  store.highlight(siteId(2));
  expect(one(root, 'h2').textContent).toBe('sort.c:12');
  expect(one(root, '.inside').textContent).toMatch(/^Inside by 40 samples.*and 2 more$/);
  expect(functions()).toEqual([...expected, '10.0 % in the kernel']);
  store.highlight(siteId(1));
  expect([one(root, 'h2').textContent, functions()]).toEqual(['Grain', []]);
  store.select(store.bySite.of(siteId(2))[0]);
  expect(functions().slice(0, 2)).toEqual(expected);
});

it('shows the metrics that are known, and what was counted', () => {
  const { store, figures } = panelOf(storeOf(counted));
  store.select(grainRow(1));
  expect(figures()).toMatchObject({ Parallelism: '1.00', 'page-faults': '1', 'task-clock': 'not counted' });
  expect(Object.keys(figures())).not.toContain('Work deviation');
  store.select(grainRow(2));
  expect(figures()['task-clock']).toBe('20.0 ns');
});
