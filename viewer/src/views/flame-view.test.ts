// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, click, drawingOf, one, point, press, show, storeOf, theme, usePage } from '../../test/page';
import { icicleOf } from '../model/icicle';
import { siteId } from '../model/ids';
import { FlameView } from './flame-view';
import { Tooltip } from './tooltip';

usePage();

const ROW = 22;

function viewOf() {
  const store = storeOf();
  const tooltip = new Tooltip(store);
  const view = new FlameView(store, theme, tooltip);
  show(view.root);
  const icicle = icicleOf(store.model.whole.flame);
  return { store, view, tooltip, icicle, sheet: one(view.root, '.sheet') };
}

const path = (view: FlameView) => all(view.root, '.path .link').length;

it('draws every path of creation as wide as its work, below the path that created it', () => {
  const { view, icicle } = viewOf();
  const { rects, texts } = drawingOf(view.root);
  const wide = [...icicle.width].filter((width) => width * 800 >= 0.4).length;
  expect(rects.length).toBe(wide);
  expect(rects[0]).toMatchObject({ x: 0, y: 0, width: 799, height: ROW - 1 });
  expect(new Set(rects.map(({ y }) => y / ROW)).size).toBe(icicle.depths);
  expect(texts[0]!.text).toMatch(/^main\.c:31 main {2}/);
});

it('says how much work there is in all', () => {
  const { store, view } = viewOf();
  expect(one(view.root, '.path small').textContent).toMatch(/ work in all$/);
  expect(store.model.whole.flame.more).toBe(0);
});

it('zooms to the path that is clicked, and selects its site', () => {
  const { store, view, sheet } = viewOf();
  click(sheet, 400, ROW * 1.5);
  expect(store.site.value).toBe(1);
  expect(path(view)).toBe(2);
  // The path is now as wide as the view.
  expect(view.nodeAt(1, ROW * 1.5)).toBe(view.nodeAt(799, ROW * 1.5));
  buttonOf(view.root, 'All').click();
  expect([store.site.value, path(view)]).toEqual([undefined, 0]);
});

it('is walked by keys', () => {
  const { store, view, sheet } = viewOf();
  expect(press(sheet, 'ArrowDown')).toBe(true);
  press(sheet, 'ArrowDown');
  press(sheet, 'Enter');
  expect([path(view), store.site.value]).toEqual([2, 1]);
  expect(sheet.getAttribute('aria-label')).toMatch(/^main\.c:33 .*with what they created$/);
  press(sheet, 'ArrowUp');
  expect(sheet.getAttribute('aria-label')).toMatch(/^main\.c:31 /);
  press(sheet, 'Backspace');
  expect(path(view)).toBe(0);
  expect(press(sheet, 'x')).toBe(false);
  expect(press(sheet, 'ArrowDown', { altKey: true })).toBe(false);
});

it('outlines the path that the keys are at', () => {
  const { view, sheet } = viewOf();
  expect(drawingOf(view.root).outlines).toBe(0);
  press(sheet, 'ArrowDown');
  expect(drawingOf(view.root).outlines).toBe(1);
});

it('dims paths of other sites, and those of which nothing ran in the time range', () => {
  const { store, view } = viewOf();
  const strong = () => drawingOf(view.root).rects.filter(({ fill }) => fill.length === 7).length;
  const every = strong();
  store.highlight(siteId(2));
  const ofSite = strong();
  expect(ofSite).toBeGreaterThan(0);
  expect(ofSite).toBeLessThan(every);
  store.highlight(undefined);
  store.focus({ start: store.model.grain.start[0]!, end: store.model.fragment.end[0]! });
  expect(strong()).toBeLessThan(every);
});

it('describes the path under the pointer', () => {
  const { tooltip, sheet } = viewOf();
  point(sheet, 'pointermove', 400, 5);
  expect(tooltip.root.textContent).toMatch(/^main\.c:31 main 1 grain, .* work, .*\(100 %\) with what they created$/);
  point(sheet, 'pointermove', 400, 390);
  expect(tooltip.root.hidden).toBe(true);
});
