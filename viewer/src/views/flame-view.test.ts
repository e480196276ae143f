// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import {
  all,
  buttonOf,
  choose,
  click,
  drawingOf,
  one,
  point,
  press,
  show,
  storeOf,
  textsOf,
  theme,
  usePage,
  write,
} from '../../test/page';
import { stacksOf } from '../../test/whole';
import { ns } from '../base/time';
import { icicleOf } from '../model/icicle';
import { NONE, siteId } from '../model/ids';
import { FlameView } from './flame-view';
import { Tooltip } from './tooltip';

usePage();

const ROW = 22;

function viewOf(change?: Parameters<typeof storeOf>[0]) {
  const store = storeOf(change);
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

it('begins below the whole program, with any key, and zooms with Enter as a click does', () => {
  for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) {
    const { store, view, sheet } = viewOf();
    press(sheet, key);
    if (key !== 'Enter') press(sheet, 'Enter');
    const chosen = [path(view), store.site.value];
    const other = viewOf();
    click(other.sheet, 400, ROW * 1.5);
    expect(chosen, key).toEqual([path(other.view), other.store.site.value]);
  }
});

it('outlines the path that the keys are at', () => {
  const { view, sheet } = viewOf();
  expect(drawingOf(view.root).outlines).toBe(0);
  press(sheet, 'ArrowDown');
  expect(drawingOf(view.root).outlines).toBe(1);
});

it('dims paths of other sites', () => {
  const { store, view } = viewOf();
  const strong = () => drawingOf(view.root).rects.filter(({ fill }) => fill.length === 7).length;
  const every = strong();
  store.highlight(siteId(2));
  const ofSite = strong();
  expect(ofSite).toBeGreaterThan(0);
  expect(ofSite).toBeLessThan(every);
});

it('has the paths of which grains ran in the time range alone, and zooms out of others', () => {
  const { store, view, sheet } = viewOf();
  const every = drawingOf(view.root).rects.length;
  click(sheet, 400, ROW * 1.5);
  store.focus({ start: store.model.grain.start[0]!, end: store.model.fragment.end[0]! });
  const { rects } = drawingOf(view.root);
  expect(rects[0]).toMatchObject({ x: 0, width: 799 });
  expect(rects.length).toBeLessThan(every);
  expect(path(view)).toBe(1);
  expect(status(view)).toMatch(/^1 grain, .* \(100 %\) with what they created$/);
  buttonOf(view.root, 'All').click();
  expect(status(view)).toMatch(/ work in the selected time range$/);
});

it('dims the calls to sites of which nothing ran in the time range', () => {
  const { store, view } = viewOf(recorded);
  store.showFlame('calls');
  const strong = () => drawingOf(view.root).rects.filter(({ fill }) => fill.length === 7).length;
  expect(strong()).toBe(2);
  store.focus({ start: store.model.grain.start[0]!, end: store.model.fragment.end[0]! });
  expect(strong()).toBe(0);
  expect(status(view)).toMatch(/ work in the whole run$/);
});

it('describes the path under the pointer', () => {
  const { tooltip, sheet } = viewOf();
  point(sheet, 'pointermove', 400, 5);
  expect(tooltip.root.textContent).toMatch(/^main\.c:31 main 1 grain, .* work, .*\(100 %\) with what they created$/);
  point(sheet, 'pointermove', 400, 390);
  expect(tooltip.root.hidden).toBe(true);
});

/** Two samples of sort, one of merge below it, and one in no grain; call paths of one site. */
const recorded: Parameters<typeof storeOf>[0] = (json) => {
  json.whole.stacks = stacksOf([
    [2, ['sort'], 10],
    [2, ['sort'], 20],
    [2, ['sort', 'merge'], 30],
    [NONE, ['wait'], 40],
  ]);
  const calls = [{ file: '/src/main.c', line: 3, function: 'main', times: 1 }];
  for (const site of json.sites) Object.assign(site, { call_paths: [] });
  Object.assign(json.sites[2]!, { call_paths: [{ count: 1, work_ns: 1e9, wait_ns: 0, cut: false, calls }] });
};

const options = (view: FlameView) => all<HTMLOptionElement>(view.root, 'option').map(({ textContent }) => textContent);
const status = (view: FlameView) => one(view.root, '.path small').textContent;

it('shows samples first where there are some, and offers the other trees', () => {
  const { store, view } = viewOf(recorded);
  expect(options(view)).toEqual(['CPU time by call path', 'Work by call path', 'Work by path of creation']);
  expect(textsOf(view.root)).toEqual([
    'sort.c:12 sort  3.00 us',
    'sort  3.00 us',
    'merge  1.00 us',
    'in no grain  1.00 us',
    'wait  1.00 us',
  ]);
  expect(status(view)).toBe('4.00 us CPU time in all, by a sample every 1.00 us');
  choose(one<HTMLSelectElement>(view.root, 'select'), 'calls');
  expect(store.flame.value).toBe('calls');
  expect(textsOf(view.root)).toContain('main.c:3 main  1.00 s');
  store.showFlame('creation');
  expect(one<HTMLSelectElement>(view.root, 'select').value).toBe('creation');
  expect(textsOf(view.root)[0]).toMatch(/^main\.c:31 main {2}/);
});

it('offers no choice where there is none', () => {
  const { store, view } = viewOf();
  expect(all(view.root, 'select')).toEqual([]);
  store.showFlame('samples');
  expect(store.flame.value).toBeUndefined();
});

it('has the samples of the selected time range alone', () => {
  const { store, view } = viewOf(recorded);
  store.focus({ start: ns(25), end: ns(35) });
  expect(textsOf(view.root)).toEqual(['sort.c:12 sort  1.00 us', 'sort  1.00 us', 'merge  1.00 us']);
  expect(status(view)).toContain('1.00 us CPU time in the selected time range');
});

it('lets what is searched for stand out, and says how much it is', () => {
  const { view } = viewOf(recorded);
  const strong = () => drawingOf(view.root).rects.filter(({ fill }) => fill.length === 7).length;
  expect(strong()).toBe(5);
  write(one<HTMLInputElement>(view.root, 'input'), 'sort');
  expect(strong()).toBe(2);
  expect(status(view)).toBe('found: 3.00 us (75.0 %) CPU time');
  write(one<HTMLInputElement>(view.root, 'input'), '');
  expect(strong()).toBe(5);
});

it('selects no site with a node that has none, and lets calls stand out with what they called', () => {
  const { store, view, sheet } = viewOf(recorded);
  click(sheet, 790, 5);
  expect([store.site.value, path(view)]).toEqual([undefined, 1]);
  store.showFlame('calls');
  expect(path(view)).toBe(0);
  store.highlight(siteId(2));
  const strong = () => drawingOf(view.root).rects.filter(({ fill }) => fill.length === 7);
  expect(strong().length).toBeGreaterThanOrEqual(2);
  store.highlight(siteId(1));
  expect(strong().every(({ y }) => y === 0)).toBe(true);
});
