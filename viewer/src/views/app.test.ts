// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { all, choose, drawFrames, one, press, resize, storeOf, usePage } from '../../test/page';
import { element } from '../base/dom';
import { showApp } from './app';

usePage();

const listen = vi.spyOn(window, 'addEventListener');
afterEach(() => {
  for (const [type, listener] of listen.mock.calls) window.removeEventListener(type, listener as EventListener);
  listen.mockClear();
});

async function appOf() {
  const store = storeOf();
  const root = element('div');
  document.body.append(root);
  const app = showApp(root, store);
  resize();
  await app.ready;
  drawFrames();
  return { store, root, app };
}

it('shows the head, the answers, the strip, the views and the time line', async () => {
  const { root, app } = await appOf();
  expect([...root.children].map(({ className, localName }) => className || localName)).toEqual([
    'header',
    'answers',
    'strip',
    'tabs',
    'body',
    'tooltip',
    'help',
  ]);
  expect(all(root, '.panes > *').map(({ className }) => className)).toEqual([
    'outline',
    'graph',
    'flame',
    'site-table',
    'loops',
    'dependences',
    'source',
  ]);
  expect(document.title).toBe('sample.teff – Teff');
  expect(app.graph.layout.boxes.length).toBeGreaterThan(0);
});

it('shows the view whose digit is pressed, and searches where that is', async () => {
  const { root } = await appOf();
  press(document.body, '4');
  expect(one(root, '.site-table').hidden).toBe(false);
  press(document.body, '/');
  expect(document.activeElement).toBe(one(root, '.site-table input'));
  press(document.activeElement!, 'Escape');
  press(document.body, '3');
  press(document.body, '/');
  expect(document.activeElement).toBe(one(root, '.flame input'));
  press(document.activeElement!, 'Escape');
  press(document.body, '2');
  press(document.body, '/');
  expect(document.activeElement).toBe(one(root, '.sites input'));
});

it('colours grains by what is chosen', async () => {
  const { root, app } = await appOf();
  const before = app.timeline.colours();
  choose(one<HTMLSelectElement>(root, 'select[name=colour]'), 'worker');
  expect(app.timeline.colours().size).toBe(4);
  expect(app.timeline.colours()).not.toEqual(before);
  expect(one(root, '.legend').textContent).toContain('Worker 3');
});

it('has the selection in its address', async () => {
  const { store } = await appOf();
  store.view.set('flame');
  expect(window.location.hash).toBe('#view=flame');
});
