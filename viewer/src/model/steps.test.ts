// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Ns } from '../base/time';
import type { OutlineRow } from './outline';
import { longestOf, type Step, stepsOf, sumOf } from './steps';

const row = (kind: OutlineRow['kind'], depth: number, wall: number, work = 0): OutlineRow => ({
  kind,
  depth,
  site: undefined,
  count: 1,
  wall_ns: wall as Ns,
  work_ns: work as Ns,
  own_ns: 0 as Ns,
  classes: [],
});

/** Kinds by depth; a star is on the way to the longest, and brackets are around what is inside. */
const text = (steps: readonly Step[]): string =>
  steps
    .map(({ row, most, inside }) => {
      return `${row?.kind ?? 'short'}${most ? '*' : ''}${inside.length > 0 ? `(${text(inside)})` : ''}`;
    })
    .join(' ');

it('marks the way to what takes most of the run', () => {
  const rows = [
    row('serial', 0, 200),
    row('repeat', 0, 800),
    row('serial', 1, 100),
    row('region', 1, 700),
    row('loop', 2, 0, 50),
    row('task', 2, 0, 90),
    row('region', 0, 10),
  ];
  expect(text(stepsOf(rows, 1000 as Ns))).toBe('serial repeat*(serial region*(loop task*)) region');
});

it('puts short steps in a row together, with what is in them', () => {
  const rows = [
    row('region', 0, 990),
    row('serial', 0, 1),
    row('region', 0, 2),
    row('loop', 1, 0, 1),
    row('serial', 0, 3),
  ];
  const steps = stepsOf(rows, 1000 as Ns);
  expect(text(steps)).toBe('region* short(serial region(loop*) serial)'.replace('loop*', 'loop'));
  expect([steps[1]!.wall_ns, steps[1]!.inside[1]!.inside[0]!.depth]).toEqual([6, 2]);
  expect(text(stepsOf(rows.slice(0, 2), 1000 as Ns))).toBe('region* serial');
});

it('knows the longest of the steps that stand together, and their sums', () => {
  const rows = [row('region', 0, 950), row('region', 0, 12), row('serial', 0, 3), row('region', 0, 14, 5)];
  const steps = stepsOf(rows, 1000 as Ns);
  expect(text(steps)).toBe('region* short(region serial region)');
  const { inside } = steps[1]!;
  expect(longestOf(inside)!.wall_ns).toBe(14);
  const { wall_ns, work_ns } = sumOf(inside.map(({ row }) => row!));
  expect([wall_ns, work_ns]).toEqual([29, 5]);
});
