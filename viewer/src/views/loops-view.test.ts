// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import {
  all,
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
} from '../../test/page';
import { siteId } from '../model/ids';
import { LoopsView } from './loops-view';
import { Tooltip } from './tooltip';

usePage();

/** A view of the loop of the sample, and of a second one that is like it. */
function viewOf(store = storeOf((json) => void json.whole.loops.push({ ...json.whole.loops[0]!, site: 3, chunk: 0 }))) {
  const tooltip = new Tooltip(store);
  const view = new LoopsView(store, theme, tooltip);
  show(view.root);
  const choice = one<HTMLSelectElement>(view.root, 'select');
  return { store, view, tooltip, choice, sheet: one(view.root, '.sheet') };
}

const status = (view: LoopsView) => one(view.root, '[role=status]').textContent;

it('lists the loops, and says how the first was shared out', () => {
  const { store, view, choice } = viewOf();
  const { chunks, iterations } = store.model.whole.loops[0]!;
  expect(all(choice, 'option').map(({ textContent }) => textContent!.split(' ')[0])).toEqual([
    'scale.c:58',
    'sort.c:14',
  ]);
  expect(status(view)).toContain(`schedule(dynamic, 64), 4 threads, ${iterations} iterations in ${chunks} chunks, `);
  expect(status(view)).toMatch(/the longest chunk .* times the mean$/);
});

it('draws each chunk when it ran, and what it cost', () => {
  const { store, view } = viewOf();
  expect(drawingOf(view.root).rects.length).toBe(2 * store.model.whole.loops[0]!.row.first.length);
  expect(textsOf(view.root)).toContain('Work per iteration');
});

it('has no labels of the axis over each other', () => {
  const store = storeOf();
  const { row } = store.model.whole.loops[0]!;
  const last = Math.max(...row.first.map((first, at) => first + row.iterations[at]!));
  const scale = 1_800_000 / last;
  row.first = row.first.map((first) => first * scale);
  row.iterations = row.iterations.map((number) => number * scale);
  const { view } = viewOf(store);
  const { texts } = drawingOf(view.root);
  const bottom = Math.max(...texts.map(({ y }) => y));
  const boxes = texts
    .filter(({ y }) => y === bottom)
    .map(({ text, x }) => {
      const room = 6 * text.length;
      const left = x > 760 ? x - room : x - room / 2;
      return { left, right: left + room };
    });
  expect(boxes.length).toBeGreaterThan(4);
  for (const [at, { left }] of boxes.slice(1).entries()) expect(left - boxes[at]!.right).toBeGreaterThan(4);
});

it('says how much of the loop each worker did', () => {
  const { view } = viewOf();
  const workers = all(view.root, '.workers li').map(({ textContent }) => textContent!);
  expect(workers.map((text) => text.slice(0, 8))).toEqual(['Worker 0', 'Worker 1', 'Worker 2', 'Worker 3']);
  const shares = workers.map((text) => Number(/\((\d+) %\)/.exec(text)![1]));
  expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100)).toBeLessThan(3);
});

it('goes to other loops by its list, by keys, and with the selected site', () => {
  const { store, view, choice, sheet } = viewOf();
  choose(choice, '1');
  expect(store.site.value).toBe(3);
  expect(status(view)).toContain('schedule(dynamic), ');
  expect(press(sheet, 'ArrowLeft')).toBe(true);
  expect([choice.value, store.site.value]).toEqual(['0', 4]);
  press(sheet, 'ArrowLeft');
  expect(choice.value).toBe('0');
  store.highlight(siteId(3));
  expect(choice.value).toBe('1');
  expect(press(sheet, 'ArrowLeft', { altKey: true })).toBe(false);
});

it('selects the grain of a chunk, and describes the chunk under the pointer', () => {
  const { store, tooltip, sheet } = viewOf();
  point(sheet, 'pointermove', 70, 300);
  expect(tooltip.root.textContent).toMatch(/^Iterations 0 to 63 worker \d, .* work, from .* to /);
  click(sheet, 70, 300);
  const { row } = store.model.whole.loops[0]!;
  expect(store.model.grain.start[store.selected.value!]).toBe(row.start[0]);
});

it('dims chunks outside the selected time range', () => {
  const { store, view } = viewOf();
  const { row } = store.model.whole.loops[0]!;
  store.focus({ start: row.start[0]!, end: row.end[0]! });
  const outside = [...row.start.keys()].filter((at) => row.end[at]! < row.start[0]! || row.start[at]! > row.end[0]!);
  expect(drawingOf(view.root).rects.filter(({ alpha }) => alpha < 1).length).toBe(2 * outside.length);
});

it('says why there are no loops', () => {
  const { view } = viewOf(
    storeOf((json) => {
      json.whole.loops = [];
    }),
  );
  expect(view.root.textContent).toMatch(/^No loop of this run was recorded chunk by chunk/);
});
