// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { chain, demo, type Grain, initial, loop, randomNumbers, region, siblings } from '../../test/program';
import { viewModel } from '../../test/sample';
import { fitBox, type Viewport } from '../base/viewport';
import { decodeModel } from '../model/decode';
import { type GrainRow, type GrainRows, grainRow, grainRows } from '../model/ids';
import { buildTree, summarise } from '../model/tree';
import { grainAt } from './graph-hit';
import { GraphScene, MAX_RECTS } from './graph-scene';
import { inputOf } from './layout/input';
import { layOut } from './layout/layout';
import { TimeScale } from './layout/measures';
import { paintGrains } from './paint';
import { LIGHT, siteColor } from './theme';

const SIZE = { width: 1000, height: 600 };

function sceneOf(program: Grain, highlighted?: GrainRows) {
  const decoded = decodeModel(viewModel(program));
  if (!decoded.ok) throw new Error(decoded.error);
  const model = decoded.value;
  const tree = buildTree(model);
  const layout = layOut(inputOf(model, tree, TimeScale.of(model.fragment).unitsPerNs, () => false));
  const scene = new GraphScene(model, layout);
  const paint = paintGrains(model, tree, summarise(model, tree), LIGHT, highlighted);
  const marks = { selected: undefined, hovered: undefined };
  const build = (view: Viewport, marked: { selected?: GrainRow } = {}) =>
    scene.build({ ...SIZE, view, paint, marks: { ...marks, ...marked } });
  const whole = fitBox(layout.bounds, SIZE.width, SIZE.height, 10);
  return { model, tree, layout, scene, paint, build, whole };
}

describe('level of detail', () => {
  it('keeps a grain of very many fragments within a small budget and yet shows it', () => {
    const { scene, build, whole } = sceneOf(initial(region(2, (w) => loop(w, 6000, randomNumbers(3)))));
    build(whole);
    expect(scene.count).toBeGreaterThan(10_000);
    scene.budget = 3_000;
    build(whole);
    expect(scene.count).toBeLessThan(5_000);
    expect(scene.batches.nodes.count).toBeGreaterThan(300);
  });

  it('thins out the critical path and shows sites where grains are too narrow to be told apart', () => {
    const { scene, build, whole, paint, model } = sceneOf(initial(region(2, (w) => loop(w, 6000, randomNumbers(3)))));
    const filled = () => {
      const { nodes } = scene.batches;
      return Array.from({ length: nodes.count }, (_, row) => nodes.rect(row));
    };
    build(whole);
    expect(scene.dense).toBe(true);
    const red = filled().filter(({ fill }) => fill === LIGHT.critical);
    const squares = new Set(red.map(({ x, y }) => `${Math.floor(x / 8)} ${Math.floor(y / 8)}`));
    expect(red.length).toBeGreaterThan(0);
    expect(red.every(({ width, height }) => width === 1 && height <= 8)).toBe(true);
    expect(red.length).toBeLessThanOrEqual(squares.size * 2); // a square's edge may be rounded
    const sites = new Set(model.grain.site);
    expect(filled().some(({ fill }) => [...sites].some((site) => fill === siteColor(LIGHT, site)))).toBe(true);
    const [middle] = [whole.x + SIZE.width / 2 / whole.scaleX];
    build({ x: middle, y: whole.y, scaleX: 2, scaleY: 2 });
    expect(scene.dense).toBe(false);
    expect(filled().every(({ fill }) => fill !== LIGHT.critical)).toBe(true);
    expect(paint.small.some((fill, g) => fill !== paint.fill[g])).toBe(true);
  });

  it('draws every fragment of a small graph', () => {
    const { scene, build, whole, model } = sceneOf(demo(20));
    build(whole);
    expect(scene.batches.nodes.count).toBeGreaterThanOrEqual(model.fragment.grain.length);
  });

  it.each([
    ['a large graph', () => demo(60_000)],
    ['very many siblings', () => siblings(100_000, randomNumbers(2))],
    ['a deep nest', () => chain(60_000)],
  ])('keeps %s within the budget and yet shows it', (_name, program) => {
    const { scene, build, whole } = sceneOf(program());
    build(whole);
    expect(scene.count).toBeLessThanOrEqual(MAX_RECTS);
    expect(scene.count).toBeGreaterThan(300);
    expect(scene.detail).toBeLessThan(60);
  });

  it('draws nothing beside the graph, and less of it close up', () => {
    const { scene, build, whole, layout } = sceneOf(demo(5000));
    build(whole);
    const all = scene.count;
    build({ x: layout.bounds.x1 - 200, y: layout.bounds.y0, scaleX: 3, scaleY: 3 });
    expect(scene.count).toBeLessThan(all);
    expect(scene.labels.length).toBeGreaterThan(0);
    build({ x: layout.bounds.x1 + 1e6, y: 0, scaleX: 1, scaleY: 1 });
    expect(scene.count).toBe(0);
  });

  it('keeps what it draws near the view, where single precision is exact', () => {
    const { scene, build, layout } = sceneOf(siblings(20_000, randomNumbers(2)));
    build({ x: layout.bounds.x1 - 100, y: layout.bounds.y1 / 2, scaleX: 8, scaleY: 8 });
    for (const batch of Object.values(scene.batches))
      for (let row = 0; row < batch.count; row++) {
        const { x, y, width, height } = batch.rect(row);
        expect(x >= -101 && y >= -101 && x + width <= SIZE.width + 101 && y + height <= SIZE.height + 101).toBe(true);
      }
  });
});

it('outlines the selected grain', () => {
  const { scene, build, whole } = sceneOf(demo(20));
  build(whole, { selected: grainRow(3) });
  expect(scene.batches.marks.count).toBeGreaterThan(0);
});

it('dims all but the highlighted grains', () => {
  const { paint } = sceneOf(demo(30), grainRows(Uint32Array.of(2)));
  expect(paint.fill[2]! >>> 24).toBe(255);
  expect(paint.fill[3]! >>> 24).toBeLessThan(80);
  expect([...paint.dimmed].filter((dimmed) => dimmed === 0).length).toBe(1);
});

describe('what is hit', () => {
  const { layout, tree, model } = sceneOf(demo(300));

  it('finds every grain at its first fragment', () => {
    for (let p = 0; p < tree.order.length; p++) {
      const g = tree.order[p]!;
      let s = layout.shapeStart[p]!;
      while (s < layout.shapeStart[p + 1]! && layout.shapes.kind[s]! > 2) s++;
      if (s === layout.shapeStart[p + 1]!) continue;
      const { x0, y0, x1, y1 } = layout.shapes.box(s);
      expect(grainAt(layout, (x0 + x1) / 2, (y0 + y1) / 2, 0)).toBe(g);
    }
    expect(model.grain.kind.length).toBe(tree.order.length);
  });

  it('finds nothing beside the graph, and one grain where all are small', () => {
    expect(grainAt(layout, -50, -50, 1)).toBeUndefined();
    const { x1, y1 } = layout.bounds;
    expect(grainAt(layout, x1 / 2, y1 / 2, 1e9)).toBe(0);
  });
});
