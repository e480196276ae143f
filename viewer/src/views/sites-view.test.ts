// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, one, storeOf, usePage, write } from '../../test/page';
import { withSteps } from '../../test/steps';
import { formatTime } from '../base/format';
import { ns } from '../base/time';
import { siteId } from '../model/ids';
import { SitesView } from './sites-view';

usePage();

function viewOf() {
  const store = storeOf();
  const view = new SitesView(store);
  return { store, view, rows: () => all<HTMLButtonElement>(view.root, '.site-list button') };
}

const nameOf = (row: HTMLElement) => one(row, '.name').textContent;
const stepper = (view: SitesView) => one(view.root, '.stepper');

it('lists sites with their counts, those with most work first', () => {
  const { store, rows } = viewOf();
  const sorted = [...store.model.sites].sort((a, b) => b.work_ns - a.work_ns);
  expect(rows().map((row) => one(row, '.count').textContent)).toEqual(
    sorted.map(({ count, low_benefit }) => `${low_benefit > 0 ? `${low_benefit} low` : ''} × ${count}`),
  );
  expect(rows()[0]!.querySelector<HTMLElement>('.bar')!.style.getPropertyValue('--share')).toBe('1');
});

it('finds sites by words', () => {
  const { view, rows } = viewOf();
  write(one<HTMLInputElement>(view.root, 'input'), 'sort 12');
  expect(rows().map(nameOf)).toEqual(['sort.c:12']);
  write(one<HTMLInputElement>(view.root, 'input'), 'nothing like it');
  expect(one(view.root, '.site-list').textContent).toBe('No site matches.');
});

it('highlights a site, and lets it go again', () => {
  const { store, rows } = viewOf();
  const row = () => rows().find((one) => nameOf(one) === 'sort.c:12')!;
  row().click();
  expect([store.site.value, row().getAttribute('aria-pressed')]).toEqual([2, 'true']);
  row().click();
  expect([store.site.value, row().getAttribute('aria-pressed')]).toEqual([undefined, 'false']);
});

it('offers no site without grains', () => {
  const { rows } = viewOf();
  expect(rows().find((row) => nameOf(row) === 'count_words')!.disabled).toBe(true);
});

it('steps through the grains that stand out', () => {
  const { store, view } = viewOf();
  expect(stepper(view).hidden).toBe(true);
  store.highlight(siteId(2));
  const grains = store.bySite.of(siteId(2));
  expect(one(stepper(view), 'span').textContent).toBe(`${grains.length} grains`);
  buttonOf(view.root, 'Next').click();
  expect(store.selected.value).toBe(grains[0]);
  expect(one(stepper(view), 'span').textContent).toBe(`1 of ${grains.length}`);
  buttonOf(view.root, 'Previous').click();
  expect(store.selected.value).toBe(grains.at(-1));
  buttonOf(view.root, 'Clear').click();
  expect(stepper(view).hidden).toBe(true);
});

it('counts what ran in the selected time range', () => {
  const { store, rows } = viewOf();
  store.focus({ start: ns(0), end: ns(30_000) });
  const { count } = store.inRange()!;
  const row = rows().find((one) => nameOf(one) === 'main.c:31')!;
  expect(one(row, '.count').textContent).toBe(` × ${count[0]}`);
});

it('has those first that worked most in the selected time range, and the waits of the others', () => {
  const store = storeOf((json) => {
    json.sites[0]!.kind = 'initial';
    json.sites[4]!.kind = 'chunk';
    Object.assign(json.sites[5]!, { kind: 'sync', count: 8, work_ns: 0 });
    json.whole.sites[5]!.wait_ns = 2000;
  });
  const view = new SitesView(store);
  const rows = () => all<HTMLButtonElement>(view.root, '.site-list button');
  store.focus({ start: ns(0), end: ns(store.model.run.wall_ns / 3) });
  const { ran } = store.inRange()!;
  const works = [...ran].filter((_, site) => site !== 5).sort((a, b) => b - a);
  const shown = rows().filter((row) => !row.querySelector('.whole-run'));
  expect(shown.map((row) => one(row, '.work').textContent)).toEqual(works.map((work) => formatTime(ns(work))));
  const other = rows().find((row) => row.querySelector('.whole-run'))!;
  expect([one(other, '.work').textContent, one(other, '.count').textContent]).toEqual(['waits 2.00 us', ' × 8']);
});

it('has the work until a barrier at its site, as the outline has it', () => {
  const view = new SitesView(
    storeOf((json) => {
      withSteps(json);
      json.whole.sites[5]!.wait_ns = 6;
    }),
  );
  const row = all(view.root, '.site-list button').find((one_) => one_.textContent!.includes('sync'))!;
  expect(one(row, '.work').textContent).toBe('until 70.0 ns');
  expect(one(row, '.function').textContent).toContain('sync · waits 6.00 ns');
});
