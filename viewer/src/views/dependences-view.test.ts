// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { column } from '../../test/column';
import { all, click, drawingOf, one, point, press, show, storeOf, textsOf, theme, usePage } from '../../test/page';
import { randomNumbers, siblings } from '../../test/program';
import { viewModel } from '../../test/sample';
import { grainRow, siteId } from '../model/ids';
import { DependencesView } from './dependences-view';
import { Tooltip } from './tooltip';

usePage();

/** Tasks beside each other, each of which depends on the one before. */
function chainOf(tasks: number) {
  const from = Array.from({ length: tasks - 1 }, (_, at) => at + 1);
  const edge = {
    from: column('u32', from),
    to: column(
      'u32',
      from.map((row) => row + 1),
    ),
  };
  const sums = { count: tasks - 1, tasks, levels: tasks, width: column('f32', [1, 1]) };
  return storeOf(
    (json) => ({
      ...json,
      edge,
      whole: { ...json.whole, dependences: { ...sums, pairs: [{ from: 5, to: 5, count: tasks - 1 }] } },
    }),
    viewModel(siblings(tasks, randomNumbers(5))),
  );
}

function viewOf(store = chainOf(6)) {
  const tooltip = new Tooltip(store);
  const view = new DependencesView(store, theme, tooltip);
  show(view.root);
  view.open();
  return { store, view, tooltip, sheet: one(view.root, '.sheet') };
}

const status = (view: DependencesView) => one(view.root, '[role=status]').textContent;

it('draws a box for each task and a curve for each dependence', () => {
  const { view } = viewOf();
  expect(view.drawn()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(status(view)).toBe('5 dependences between 6 tasks, 6 on the longest chain; at most 1 in one layer');
  const drawing = drawingOf(view.root);
  expect(drawing.lines).toBe(5);
  // The ground of each box, and the box.
  expect(drawing.rects.length).toBe(12);
});

it('selects the task that is clicked, and clears the selection beside all tasks', () => {
  const { store, view, sheet } = viewOf();
  const { x, y } = view.positionOf(grainRow(3));
  click(sheet, x, y);
  expect(store.selected.value).toBe(3);
  click(sheet, x, y + 150);
  expect(store.selected.value).toBeUndefined();
});

it('names the task under the pointer', () => {
  const { view, sheet, tooltip } = viewOf();
  const { x, y } = view.positionOf(grainRow(2));
  point(sheet, 'pointermove', x, y);
  expect(tooltip.root.hidden).toBe(false);
  expect(tooltip.root.textContent).toContain('count_words');
  point(sheet, 'pointerleave', x, y);
  expect(tooltip.root.hidden).toBe(true);
});

it('shows the tasks of the selected time range', () => {
  const { store, view } = viewOf();
  const { start, end } = store.model.grain;
  store.focus({ start: start[2]!, end: end[3]! });
  const { has } = store.inRange()!;
  // A task is drawn where a task that it depends on, or that depends on it, is in the range, too.
  const isDrawn = (row: number) => has[row] && ((row > 1 && has[row - 1]) || has[row + 1]);
  expect(view.drawn()).toEqual([1, 2, 3, 4, 5, 6].filter(isDrawn));
  expect(status(view)).toContain('(of the selected time range)');
});

it('has sums of more tasks than can be told apart, and tasks near a selected one', () => {
  const { store, view } = viewOf(chainOf(2100));
  expect(view.drawn()).toEqual([]);
  expect(status(view)).toContain('these are sums');
  expect(all(view.root, '.levels i').length).toBe(2);
  const pair = one(view.root, '.pairs li');
  expect(pair.textContent).toMatch(/^2.099count_words → count_words$/);
  one(pair, 'button').click();
  expect(store.site.value).toBe(5);
  store.select(grainRow(1000));
  expect(view.drawn().length).toBe(200);
  expect(view.drawn()).toContain(1000);
  expect(status(view)).toContain('(those nearest to grain #1000)');
});

it('dims the boxes of other sites', () => {
  const { store, view } = viewOf();
  const before = drawingOf(view.root).rects.map(({ fill }) => fill);
  store.highlight(siteId(2));
  expect(drawingOf(view.root).rects.map(({ fill }) => fill)).not.toEqual(before);
});

it('zooms with keys until the tasks have labels, and back', () => {
  const { view, sheet } = viewOf();
  const wide = () => view.positionOf(grainRow(6)).x - view.positionOf(grainRow(1)).x;
  const before = wide();
  expect(press(sheet, '+')).toBe(true);
  expect(wide()).toBeCloseTo(before * 1.5);
  press(sheet, '+');
  expect(textsOf(view.root).length).toBeGreaterThan(0);
  press(sheet, '0');
  expect(wide()).toBeCloseTo(before);
});

it('says that there are none', () => {
  const { view } = viewOf(storeOf());
  expect(view.root.textContent).toMatch(/^No task of this run depended on another/);
});
