// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { initial, siblings, stalled } from '../../test/program';
import { viewModel } from '../../test/sample';
import type { NsColumn } from '../base/time';
import { paintGrains } from '../draw/paint';
import { LIGHT, levelColor } from '../draw/theme';
import { Store } from '../state/store';
import { decodeModel } from './decode';
import { grainRow } from './ids';
import { GrainKind, type Model } from './model';
import { hasStalls, longestStall, stallLevel, stallShare } from './stall';
import { buildTree, summarise } from './tree';

function decoded(program: Parameters<typeof viewModel>[0]): Model {
  const result = decodeModel(viewModel(program));
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

const model = decoded(stalled(3));
const tasks = [...model.grain.kind.keys()].map(grainRow).filter((g) => model.grain.kind[g] === GrainKind.Task);

it('is a share of the work, where it was counted', () => {
  expect(tasks.map((g) => stallShare(model, g))).toEqual([0, 0.5, 1]);
  expect(stallShare(model, grainRow(0))).toBeUndefined();
  expect(hasStalls(model)).toBe(true);
});

it('is never more than the work', () => {
  const grain = { ...model.grain, stall: model.grain.stall.map((time) => time * 3 - 1) as NsColumn };
  for (const g of tasks) expect(stallShare({ ...model, grain }, g)).toSatisfy((x: number) => x >= 0 && x <= 1);
});

it('colours grains and subtrees when it is asked for', () => {
  const tree = buildTree(model);
  const subtrees = summarise(model, tree);
  const plain = paintGrains(model, tree, subtrees, LIGHT, undefined);
  const paint = paintGrains(model, tree, subtrees, LIGHT, undefined, { by: 'stall-share', most: 1 });
  expect(tasks.map((g) => paint.fill[g])).toEqual([0, 0.5, 1].map((share) => levelColor(LIGHT, share)));
  expect(new Set(tasks.map((g) => plain.fill[g])).size).toBe(1);
  expect(paint.block[tasks[1]!]).toBe(levelColor(LIGHT, 0.5));
});

it('is also a time, up to the longest or to what it is compared with', () => {
  const most = longestStall(model);
  const levels = (most: number) => tasks.map((g) => stallLevel(model, g, 'stall-time', most));
  expect(most).toBe(model.grain.work[tasks[2]!]);
  expect(levels(most)).toEqual([0, 0.5, 1]);
  expect(levels(2 * most)).toEqual([0, 0.25, 0.5]);
  expect(levels(most / 2)).toEqual([0, 1, 1]);
  expect(stallLevel(model, grainRow(0), 'stall-time', most)).toBeUndefined();
});

it('is no choice where nothing was counted', () => {
  const without = decoded(siblings(3, () => 0.5));
  const store = new Store(without, buildTree(without));
  store.colour('stall-time');
  expect(store.colourBy.value).toBe('kind');
  expect(hasStalls(decoded(initial([])))).toBe(false);
});
