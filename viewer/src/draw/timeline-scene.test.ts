// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { ns } from '../base/time';
import type { Viewport } from '../base/viewport';
import { decodeModel } from '../model/decode';
import type { GrainRow } from '../model/ids';
import { buildLanes, timeRange } from '../model/lanes';
import { buildTree, summarise } from '../model/tree';
import { paintGrains } from './paint';
import { LIGHT } from './theme';
import { fragmentAt, TimelineScene } from './timeline-scene';

const decoded = decodeModel(viewModel(demo(5000)));
if (!decoded.ok) throw new Error(decoded.error);
const model = decoded.value;
const tree = buildTree(model);
const lanes = buildLanes(model);
const paint = paintGrains(model, tree, summarise(model, tree), LIGHT, undefined);
const { end } = timeRange(model);
const WIDTH = 800;

function build(view: Viewport, selected?: GrainRow): TimelineScene {
  const scene = new TimelineScene(model, lanes);
  const geometry = { top: 0, height: 20, gap: 4 };
  scene.build({
    view,
    width: WIDTH,
    height: 200,
    lanes: geometry,
    paint,
    marks: { selected: selected, hovered: undefined },
  });
  return scene;
}

it('gives every worker a lane whose fragments do not overlap', () => {
  expect(lanes.length).toBe(4);
  const { start, end } = model.fragment;
  for (const { fragments } of lanes)
    for (let i = 1; i < fragments.length; i++)
      expect(start[fragments[i]!]!).toBeGreaterThanOrEqual(end[fragments[i - 1]!]!);
});

it('draws no more than a few rectangles per pixel when all is shown', () => {
  const { fragments } = build({ x: 0, y: 0, scaleX: WIDTH / end, scaleY: 1 }).batches;
  expect(fragments.count).toBeGreaterThan(500);
  expect(fragments.count).toBeLessThan(4 * WIDTH * 3);
});

it('draws fragments where their times are', () => {
  const row = lanes[1]!.fragments[5]!;
  const start = model.fragment.start[row]!;
  const scaleX = 400 / (model.fragment.end[row]! - start);
  const { fragments } = build({ x: start - 100 / scaleX, y: 0, scaleX, scaleY: 1 }).batches;
  const drawn = Array.from({ length: fragments.count }, (_, i) => fragments.rect(i));
  expect(drawn.some(({ x, width, y }) => y === 24 && Math.abs(x - 100) < 0.01 && Math.abs(width - 400) < 1)).toBe(true);
});

it('outlines every fragment of the selected grain', () => {
  const grain = model.fragment.grain[lanes[0]!.fragments[3]!]!;
  const rows = [...model.fragment.grain].filter((g) => g === grain).length;
  const { marks } = build({ x: 0, y: 0, scaleX: WIDTH / end, scaleY: 1 }, grain).batches;
  expect(marks.count).toBe(rows);
});

it('finds the fragment at a time, or one close by', () => {
  const lane = lanes[0]!;
  const row = lane.fragments[7]!;
  const { start, end } = model.fragment;
  expect(fragmentAt(model, lane, ns((start[row]! + end[row]!) / 2), ns(0))).toBe(row);
  expect(fragmentAt(model, lane, ns(1e15), ns(10))).toBeUndefined();
  const last = lane.fragments.at(-1)!;
  expect(fragmentAt(model, lane, ns(end[last]! + 5), ns(10))).toBe(last);
});
