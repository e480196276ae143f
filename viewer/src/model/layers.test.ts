// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { column } from '../../test/column';
import { randomNumbers, siblings } from '../../test/program';
import { viewModel } from '../../test/sample';
import { decodeModel } from './decode';
import { grainRow } from './ids';
import { layersOf, neighbourhood } from './layers';
import type { Model } from './model';

/** A model of `tasks` tasks beside each other, with the dependences `edges` between them. */
function modelWith(tasks: number, edges: [number, number][]): Model {
  const json = viewModel(siblings(tasks, randomNumbers(3)));
  const edge = {
    from: column(
      'u32',
      edges.map(([from]) => from),
    ),
    to: column(
      'u32',
      edges.map(([, to]) => to),
    ),
  };
  const decoded = decodeModel(JSON.parse(JSON.stringify({ ...json, edge })));
  if (!decoded.ok) throw new Error(decoded.error);
  return decoded.value;
}

const all = () => true;

it('draws a chain as a line', () => {
  const chain = Array.from({ length: 9 }, (_, at): [number, number] => [at + 1, at + 2]);
  const layers = layersOf(modelWith(10, chain), all)!;
  expect([layers.layers, layers.widest]).toEqual([10, 1]);
  expect(layers.layer).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(new Set(layers.place)).toEqual(new Set([0]));
});

it('draws a wavefront as a diamond without crossings', () => {
  const side = 4;
  const grain = (row: number, col: number) => 1 + row * side + col;
  const edges: [number, number][] = [];
  for (let row = 0; row < side; row++)
    for (let col = 0; col < side; col++) {
      if (row > 0) edges.push([grain(row - 1, col), grain(row, col)]);
      if (col > 0) edges.push([grain(row, col - 1), grain(row, col)]);
    }
  const layers = layersOf(modelWith(side * side, edges), all)!;
  const widths = new Array(layers.layers).fill(0);
  for (const layer of layers.layer) widths[layer]++;
  expect(widths).toEqual([1, 2, 3, 4, 3, 2, 1]);
  const ends = layers.edges.map(([from, to]) => [layers.layer[from]!, layers.place[from]!, layers.place[to]!] as const);
  for (const [layer, from, to] of ends)
    for (const [other, otherFrom, otherTo] of ends)
      if (layer === other) expect((from - otherFrom) * (to - otherTo)).toBeGreaterThanOrEqual(0);
});

it('takes only the grains that are wanted, and no more than can be drawn', () => {
  const chain = Array.from({ length: 2500 }, (_, at): [number, number] => [at + 1, at + 2]);
  const model = modelWith(2501, chain);
  expect(layersOf(model, all)).toBeUndefined();
  expect(layersOf(model, (grain) => grain < 6)!.grains).toEqual([1, 2, 3, 4, 5]);
  expect(neighbourhood(model, grainRow(100), 5)).toEqual(new Set([100, 99, 101, 98, 102]));
});

it('ends where a recording has a circle', () => {
  expect(
    layersOf(
      modelWith(3, [
        [1, 2],
        [2, 1],
        [1, 3],
      ]),
      all,
    )!.grains.length,
  ).toBe(3);
});
