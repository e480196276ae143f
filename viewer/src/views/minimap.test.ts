// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { drawingOf, one, paintOf, point, show, storeOf, usePage } from '../../test/page';
import { inputOf } from '../draw/layout/input';
import { Layouts } from '../draw/layout/layouts';
import { TimeScale } from '../draw/layout/measures';
import { Minimap } from './minimap';

usePage();

async function mapOf(part: number) {
  const store = storeOf();
  const layouts = new Layouts();
  const paint = paintOf(store);
  const lookAt = vi.fn();
  const bounds = () => layouts.shown.value.bounds;
  const map = new Minimap(store.model, layouts, () => paint, {
    seen: () => ({ x0: 0, y0: 0, x1: bounds().x1 * part, y1: bounds().y1 * part }),
    lookAt,
  });
  show(map.root);
  await layouts.update(inputOf(store.model, store.tree, TimeScale.of(store.model.fragment).unitsPerNs, () => false));
  return { map, lookAt, bounds: bounds(), drawing: drawingOf(map.root) };
}

it('draws the graph, and a frame around what is seen of it', async () => {
  const { map, drawing, bounds } = await mapOf(0.5);
  expect(drawing.rects.length).toBeGreaterThan(20);
  expect(map.root.hidden).toBe(false);
  const scale = Math.min(160 / bounds.x1, 104 / bounds.y1);
  const { width, height } = one(map.root, 'i').style;
  expect(Number.parseFloat(width)).toBeCloseTo((bounds.x1 / 2) * scale, 1);
  expect(Number.parseFloat(height)).toBeCloseTo((bounds.y1 / 2) * scale, 1);
});

it('is not there where all of the graph is seen', async () => {
  expect((await mapOf(1)).map.root.hidden).toBe(true);
});

it('moves the view to where it is pressed', async () => {
  const { map, lookAt, bounds } = await mapOf(0.5);
  point(map.root, 'pointerdown', 84, 56);
  const [x, y] = lookAt.mock.calls[0]!;
  expect(x).toBeCloseTo(bounds.x1 / 2);
  expect(y).toBeCloseTo(bounds.y1 / 2);
  point(map.root, 'pointermove', 90, 60, { buttons: 0 });
  expect(lookAt).toHaveBeenCalledTimes(1);
  point(map.root, 'pointermove', 90, 60);
  expect(lookAt).toHaveBeenCalledTimes(2);
});
