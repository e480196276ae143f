// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { modelOf } from '../../test/page';
import { randomNumbers } from '../../test/program';
import { piecesOf } from '../../test/whole';
import { ns } from '../base/time';
import { NONE } from './ids';
import { outlineInRange } from './outline-range';
import { inRange } from './range';

/**
 * Serial until 100; two rounds of a region with two phases and a serial part; serial from 900 on.
 * The classes of the sample: work, serial, imbalance.
 */
const stretches: [row: number, start: number, length: number, share: number[]][] = [
  [0, 0, 100, [0.2, 0.8, 0]],
  [3, 100, 200, [0.8, 0, 0.2]],
  [4, 300, 100, [1, 0, 0]],
  [5, 400, 50, [0.2, 0.8, 0]],
  [3, 450, 300, [0.6, 0, 0.4]],
  [4, 750, 50, [1, 0, 0]],
  [5, 800, 100, [0.2, 0.8, 0]],
  [6, 900, 100, [0.2, 0.8, 0]],
];

const model = modelOf((json) => {
  json.run.workers = 4;
  json.whole.outline.row = [
    ['start', 0],
    ['repeat', 0],
    ['region', 1],
    ['phase', 2],
    ['phase', 2],
    ['serial', 1],
    ['end', 0],
  ].map(([kind, depth]) => ({
    kind: String(kind),
    depth: Number(depth),
    site: NONE,
    count: 2,
    wall_ns: 1,
    work_ns: 0,
    classes: [0, 0, 0],
    own_ns: 0,
  }));
  json.whole.outline.piece = piecesOf(stretches);
});

it('has in any range what the stretches in it have, and the sums of the rows below', () => {
  const random = randomNumbers(5);
  for (let times = 0; times < 50; times++) {
    const [a, b] = [random() * 1000, random() * 1000];
    const range = { start: ns(Math.min(a, b)), end: ns(Math.max(a, b)) };
    const rows = outlineInRange(model, range, inRange(model, range)).map((row) => row);
    // The truth, nanosecond by nanosecond.
    const time = [0, 0, 0, 0, 0, 0, 0];
    const work = [0, 0, 0, 0, 0, 0, 0];
    const step = (range.end - range.start) / 5000;
    for (let at = range.start + step / 2; at < range.end; at += step) {
      const [row, , , share] = stretches.find(([, start, length]) => at < start + length)!;
      time[row]! += step;
      work[row]! += step * 4 * share[0]!;
    }
    for (const at of [0, 3, 4, 5, 6]) {
      expect(Math.abs(rows[at]!.wall_ns - time[at]!)).toBeLessThan(2);
      expect(Math.abs(rows[at]!.work_ns - work[at]!)).toBeLessThan(8);
    }
    const sum = (of: number[]) => of.reduce((all, at) => all + rows[at]!.wall_ns, 0);
    expect(rows[2]!.wall_ns).toBeCloseTo(sum([3, 4]), 6);
    expect(rows[1]!.wall_ns).toBeCloseTo(sum([2, 5]), 6);
    expect(sum([0, 1, 6])).toBeCloseTo(range.end - range.start, 3);
    for (const { wall_ns, classes } of rows)
      expect(classes.reduce((all, one) => all + one, 0)).toBeLessThanOrEqual(4 * wall_ns * 1.01 + 1e-6);
  }
});

it('counts the instances that are in the range in part', () => {
  const range = { start: ns(350), end: ns(500) };
  const counts = outlineInRange(model, range, inRange(model, range)).map((row) => row!.count);
  // Of a region with phases it is known only if there was one instance.
  expect(counts).toEqual([0, 0, 0, 1, 1, 1, 0]);
  model.whole.outline.row[2]!.count = 1;
  expect(outlineInRange(model, range, inRange(model, range))[2]!.count).toBe(1);
});

it('gives a loop what it has of the pieces, and the rest to the row around it as its own', () => {
  const model = modelOf((json) => {
    json.run.workers = 4;
    const row = { site: 3, count: 1, wall_ns: 1, work_ns: 0, classes: [0, 0, 0], own_ns: 0 };
    json.whole.outline.row = [
      { ...row, depth: 0, kind: 'region' },
      { ...row, depth: 1, kind: 'phase' },
      { ...row, depth: 2, kind: 'loop', site: NONE },
      { ...row, depth: 1, kind: 'phase' },
    ];
    json.whole.outline.piece = piecesOf(
      [
        [1, 0, 100, [0.8, 0, 0.2]],
        [3, 100, 100, [0.4, 0, 0.6]],
      ],
      [[0, 2, [0.6, 0, 0]]],
    );
  });
  const range = { start: ns(50), end: ns(200) };
  const rows = outlineInRange(model, range, inRange(model, range));
  expect(rows.map(({ own_ns }) => Math.round(own_ns))).toEqual([0, 80, 120, 400]);
  expect(Math.round(rows[2]!.work_ns)).toBe(120);
});

it('says which figures are about: those of pieces that are partly in the range', () => {
  const of = (start: number, end: number) => {
    const range = { start: ns(start), end: ns(end) };
    return outlineInRange(model, range, inRange(model, range)).map(({ about }) => about);
  };
  expect(of(100, 450).some(({ spent, wall }) => spent || wall)).toBe(false);
  expect(of(100, 420).map(({ spent }) => spent)).toEqual([false, true, false, false, false, true, false]);
  expect(of(100, 420).some(({ wall }) => wall)).toBe(false);
  model.whole.outline.piece.count[3] = 7;
  expect(of(100, 420).map(({ wall }) => wall)).toEqual([false, true, false, false, false, true, false]);
});
