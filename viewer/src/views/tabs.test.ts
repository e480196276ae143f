// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, one, press, show, storeOf, usePage } from '../../test/page';
import { element } from '../base/dom';
import type { ViewName } from '../state/store';
import { MIDDLE, Tabs } from './tabs';

usePage();

function tabsOf(narrow = false) {
  const match = window.matchMedia;
  window.matchMedia = (query) => ({ ...match(query), matches: narrow });
  const store = storeOf();
  const page = element('div');
  const panes = new Map<ViewName, HTMLElement>(MIDDLE.map((name) => [name, element('section')]));
  const shown: ViewName[] = [];
  const tabs = new Tabs(store, page, panes, (view) => shown.push(view));
  show(tabs.root);
  const visible = () => [...panes].filter(([, pane]) => !pane.hidden).map(([name]) => name);
  return { store, page, tabs, shown, visible };
}

it('shows the graph at first, and one pane at a time', () => {
  const { store, page, tabs, visible, shown } = tabsOf();
  expect([tabs.shown, visible(), page.dataset.view]).toEqual(['graph', ['graph'], 'graph']);
  store.view.set('loops');
  expect([tabs.shown, visible(), page.dataset.view]).toEqual(['loops', ['loops'], 'loops']);
  expect(shown).toEqual(['graph', 'loops']);
});

it('chooses the view whose tab is pressed', () => {
  const { store, tabs } = tabsOf();
  const flame = all<HTMLButtonElement>(tabs.root, 'button').find(({ textContent }) => textContent === 'Flame')!;
  flame.click();
  expect(store.view.value).toBe('flame');
  expect([flame.getAttribute('aria-selected'), flame.tabIndex]).toEqual(['true', 0]);
  expect(all(tabs.root, '[aria-selected=true]').length).toBe(1);
});

it('shows at first what the program is made of, if it has regions and no tasks', () => {
  const shown = (hasTasks: boolean, hasRegions: boolean) => {
    const store = storeOf((json) => {
      for (const site of json.sites) if (site.kind === 'task' && !hasTasks) site.kind = 'implicit';
      const row = { depth: 0, kind: 'region', site: 0, count: 1, wall_ns: 1, work_ns: 1, classes: [], own_ns: 0 };
      if (hasRegions) json.whole.outline.row.push(row);
    });
    const panes = new Map<ViewName, HTMLElement>(MIDDLE.map((name) => [name, element('section')]));
    return new Tabs(store, element('div'), panes, () => {}).shown;
  };
  expect([shown(false, true), shown(true, true), shown(false, false)]).toEqual(['outline', 'graph', 'graph']);
});

it('goes to the tabs beside it by arrow keys', () => {
  const { store, tabs } = tabsOf();
  store.view.set('sites');
  const here = () => one(tabs.root, '[aria-selected=true]');
  press(here(), 'ArrowRight');
  expect(store.view.value).toBe('loops');
  press(here(), 'ArrowLeft');
  press(here(), 'ArrowLeft');
  expect(store.view.value).toBe('flame');
  expect(press(here(), 'ArrowLeft', { altKey: true })).toBe(false);
});

it('shows the graph in place of a part that a wide page always shows', () => {
  const { store, tabs } = tabsOf();
  store.view.set('overview');
  expect(tabs.shown).toBe('graph');
});

it('has all parts of a narrow page, the overview first', () => {
  const { store, tabs, visible } = tabsOf(true);
  expect([tabs.shown, visible()]).toEqual(['overview', []]);
  store.view.set('grain');
  expect(tabs.shown).toBe('grain');
});

it('offers no view that has nothing to show, unless it is shown', () => {
  const store = storeOf((json) => {
    json.whole.loops = [];
    json.whole.dependences.count = 0;
  });
  const tabs = new Tabs(store, element('div'), new Map(), () => {});
  const hidden = () => all<HTMLButtonElement>(tabs.root, 'button').filter((tab) => tab.hidden);
  expect(hidden().map(({ textContent }) => textContent)).toEqual(['Loops', 'Dependences']);
});
