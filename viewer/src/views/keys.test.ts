// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { press, show, storeOf, usePage } from '../../test/page';
import { element } from '../base/dom';
import { ns } from '../base/time';
import { grainRow, siteId } from '../model/ids';
import { Help } from './help';
import { bindKeys } from './keys';

usePage();

const listen = vi.spyOn(window, 'addEventListener');
afterEach(() => {
  for (const [type, listener] of listen.mock.calls) window.removeEventListener(type, listener as EventListener);
  listen.mockClear();
});

function keysOf() {
  const store = storeOf();
  const help = new Help();
  const drawing = element('div', { class: 'surface' });
  const field = element('input');
  const search = vi.fn();
  const moved = vi.fn((event: KeyboardEvent) => event.key);
  drawing.addEventListener('keydown', moved);
  show(element('div', {}, help.root, drawing, field));
  bindKeys(store, { help, search, drawing: () => drawing });
  return { store, help, search, field, drawing, moved };
}

it('choose views by their digits', () => {
  const { store } = keysOf();
  const seen = ['1', '2', '3', '4', '5', '6', '7'].map((key) => {
    expect(press(document.body, key)).toBe(true);
    return store.view.value;
  });
  expect(seen).toEqual(['outline', 'graph', 'flame', 'sites', 'loops', 'dependences', 'source']);
  expect(press(document.body, '8')).toBe(false);
});

it('walk the tree with Alt and arrows', () => {
  const { store } = keysOf();
  store.select(grainRow(0));
  press(document.body, 'ArrowDown', { altKey: true });
  expect(store.selected.value).toBe(1);
  press(document.body, 'ArrowUp', { altKey: true });
  expect(store.selected.value).toBe(0);
});

it('step through the grains that stand out', () => {
  const { store } = keysOf();
  store.highlight(siteId(2));
  const grains = [...store.bySite.of(siteId(2))];
  press(document.body, 'n');
  expect(store.selected.value).toBe(grains[0]);
  press(document.body, 'p');
  expect(store.selected.value).toBe(grains.at(-1));
});

it('search and help', () => {
  const { help, search } = keysOf();
  press(document.body, '/');
  expect(search).toHaveBeenCalledOnce();
  press(document.body, '?');
  expect(help.root.open).toBe(true);
});

it('clear what was chosen last first', () => {
  const { store, help } = keysOf();
  store.focus({ start: ns(0), end: ns(5000) });
  store.problem.set('path');
  store.highlight(siteId(2));
  store.select(grainRow(3));
  const chosen = () =>
    [store.selected, store.site, store.problem, store.range].filter(({ value }) => value !== undefined);
  for (const left of [3, 2, 1, 0]) {
    press(document.body, 'Escape');
    expect(chosen().length).toBe(left);
  }
  store.select(grainRow(3));
  help.toggle();
  press(document.body, 'Escape');
  expect(store.selected.value).toBe(3);
});

it('leave fields alone, of which Escape takes the focus', () => {
  const { store, field } = keysOf();
  field.focus();
  expect(press(field, '2')).toBe(false);
  expect(store.view.value).toBeUndefined();
  press(field, 'Escape');
  expect(document.activeElement).not.toBe(field);
});

it('move the drawing, once', () => {
  const { drawing, moved } = keysOf();
  press(document.body, 'w');
  expect(moved.mock.results.map(({ value }) => value)).toEqual(['w']);
  press(drawing, 'w');
  expect(moved).toHaveBeenCalledTimes(2);
  press(document.body, 'w', { ctrlKey: true });
  expect(moved).toHaveBeenCalledTimes(2);
});
