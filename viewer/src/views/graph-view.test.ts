// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { click, drawFrames, one, paintOf, point, press, show, storeOf, textsOf, usePage } from '../../test/page';
import { initial } from '../../test/program';
import { viewModel } from '../../test/sample';
import { inputOf } from '../draw/layout/input';
import { Layouts } from '../draw/layout/layouts';
import { TimeScale } from '../draw/layout/measures';
import { grainRow } from '../model/ids';
import { GraphView, leftOut } from './graph-view';
import { Tooltip } from './tooltip';

usePage();

async function viewOf(store = storeOf()) {
  const layouts = new Layouts();
  const paint = paintOf(store);
  const tooltip = new Tooltip(store);
  const view = new GraphView(store, layouts, () => paint, tooltip);
  show(view.root);
  const { unitsPerNs } = TimeScale.of(store.model.fragment);
  await layouts.update(inputOf(store.model, store.tree, unitsPerNs, () => false));
  drawFrames();
  return { store, view, tooltip, surface: one(view.root, '.surface') };
}

it('shows all of the graph at first, with a bar for its scale', async () => {
  const { store, view, surface } = await viewOf();
  press(surface, 'x');
  expect(view.scene.batches.nodes.count).toBeGreaterThanOrEqual(store.model.fragment.grain.length);
  const texts = textsOf(one(view.root, '.surface'));
  expect(texts.at(-1)).toMatch(/^(1|2|5)0* (ns|us)$/);
});

it('says what a drawing of narrow grains leaves out', () => {
  expect(leftOut({ dense: false, detail: 9 }, 'kind')).toEqual([]);
  expect(leftOut({ dense: true, detail: 3 }, 'kind')).toEqual([
    'Zoomed out: colours by site',
    'Part of the critical path is drawn',
  ]);
  expect(leftOut({ dense: true, detail: 4.2 }, 'worker')).toEqual([
    'Zoomed out',
    'Part of the critical path is drawn',
    'What is below 5 pixels is one block',
  ]);
});

it('selects the grain that is clicked', async () => {
  const { store, view, surface } = await viewOf();
  for (const grain of [1, 4, 9].map(grainRow)) {
    const { x, y } = view.positionOf(grain);
    click(surface, x, y);
    expect(store.selected.value).toBe(grain);
  }
  view.redraw();
  drawFrames();
  expect(view.scene.batches.marks.count).toBeGreaterThan(0);
});

it('says what is under the pointer', async () => {
  const { store, view, surface, tooltip } = await viewOf();
  const { x, y } = view.positionOf(grainRow(4));
  point(surface, 'pointermove', x, y);
  expect(store.hovered.value).toBe(4);
  expect(tooltip.root.hidden).toBe(false);
  point(surface, 'pointerleave', x, y);
  expect([store.hovered.value, tooltip.root.hidden]).toEqual([undefined, true]);
});

it('zooms and moves with keys, and shows all again', async () => {
  const { view, surface } = await viewOf();
  const { x, scaleX } = view.view;
  press(surface, '+');
  expect(view.view.scaleX).toBeCloseTo(scaleX * 1.5);
  const before = view.view.x;
  press(surface, 'ArrowRight');
  expect(view.view.x).toBeGreaterThan(before);
  press(surface, '0');
  expect(view.view.scaleX).toBeCloseTo(scaleX);
  expect(view.view.x).toBeCloseTo(x);
});

it('brings a grain into sight that is gone to', async () => {
  const { store, view } = await viewOf();
  view.zoom(8);
  const last = grainRow(store.model.grain.kind.length - 1);
  store.goTo(last);
  const { x, y } = view.positionOf(last);
  expect(x > 0 && x < 800 && y > 0 && y < 400).toBe(true);
});

it('shows a recording of one grain', async () => {
  const { view } = await viewOf(storeOf(undefined, viewModel(initial([{ work: 1000 }]))));
  expect(view.scene.batches.nodes.count).toBe(1);
});

it('goes where the user goes in the time line, and back to all', async () => {
  const { store, view } = await viewOf();
  const { scaleX } = view.view;
  const { fragment } = store.model;
  const row = fragment.grain.length - 2;
  const at = { start: fragment.start[row]!, end: fragment.end[row]! };
  store.seen.set({ ...at, follow: false });
  expect(view.view.scaleX).toBeCloseTo(scaleX);
  store.seen.set({ ...at, follow: true });
  expect(view.view.scaleX).toBeGreaterThan(scaleX);
  const { x, y } = view.positionOf(fragment.grain[row]!);
  expect(x > 0 && x < 800 && y > 0 && y < 400).toBe(true);
  store.seen.set(undefined);
  expect(view.view.scaleX).toBeCloseTo(scaleX);
});
