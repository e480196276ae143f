// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { all, one, press, resize, usePage } from '../../test/page';
import { pairOf } from '../../test/pair';
import { element } from '../base/dom';
import { formatTime } from '../base/format';
import { ns } from '../base/time';
import { decodeText } from '../model/page-data';
import type { Pair } from '../model/pair';
import { showPair } from './pair-page';

usePage();

const listen = vi.spyOn(window, 'addEventListener');
afterEach(() => {
  for (const [type, listener] of listen.mock.calls) window.removeEventListener(type, listener as EventListener);
  listen.mockClear();
});

function pageOf() {
  const decoded = decodeText(JSON.stringify(pairOf([60, 20])));
  if (!decoded.ok) throw new Error(decoded.error);
  const pair = decoded.value as Pair;
  const root = element('div');
  document.body.append(root);
  const app = showPair(root, pair);
  resize();
  const chosen = () => [app.store.before.site.value, app.store.site.value, app.store.after.site.value];
  return { pair, root, app, chosen };
}

it('shows strips, time lines, budgets and sources of both recordings', () => {
  const { root } = pageOf();
  for (const view of ['.strip', '.timeline', '.in-budget', '.source'])
    expect(all(root, `.side.before ${view}, .side.after ${view}`).length, view).toBe(2);
  expect(document.title).toBe('before.teff and after.teff – Teff');
});

it('says the wall times, and what is said of the comparison', () => {
  const { pair, root } = pageOf();
  const { before_ns, after_ns } = pair.wall;
  expect(one(root, '.run dd').textContent).toContain(`${formatTime(before_ns)} → ${formatTime(after_ns)}`);
  expect(all(root, '.totals tbody tr').map((row) => one(row, 'th').textContent)).toEqual(['work', 'nothing ready']);
  expect(one(root, '.pair .notes').textContent).toContain('5 against 1 runs');
  expect(one(root, '.side.before h2 small').textContent).toBe('the median of 5 runs');
});

it('has one scale of time', () => {
  const { app } = pageOf();
  expect(app.before.timeline.shown()).toBe(app.after.timeline.shown());
  press(document.body, 'w');
  expect(app.before.timeline.shown()).toBe(app.after.timeline.shown());
  app.store.after.focus({ start: ns(1000), end: ns(9000) });
  expect(app.before.timeline.shown()).toBeCloseTo(8000);
  expect(app.after.timeline.shown()).toBeCloseTo(8000);
});

it('steps through the rows of the table, and clears the selection, by keys', () => {
  const { chosen } = pageOf();
  press(document.body, 'n');
  press(document.body, 'n');
  expect(chosen()).toEqual([3, 1, 2]);
  press(document.body, 'p');
  expect(chosen()).toEqual([2, 0, 3]);
  expect(window.location.hash).toBe('#site=0');
  press(document.body, 'Escape');
  expect(chosen()).toEqual([undefined, undefined, undefined]);
});

it('searches its table', () => {
  const { root } = pageOf();
  press(document.body, '/');
  expect(document.activeElement).toBe(one(root, '.site-table input'));
  expect(press(document.activeElement!, 'n')).toBe(false);
});
