// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Ns } from '../base/time';
import { siteId } from './ids';
import type { OutlineRow } from './outline';
import { partsOf } from './parts';

const row = (kind: OutlineRow['kind'], depth: number, wall: number, work: number, site?: number): OutlineRow => ({
  kind,
  depth,
  site: site === undefined ? undefined : siteId(site),
  count: 1,
  wall_ns: wall as Ns,
  work_ns: work as Ns,
  own_ns: 0 as Ns,
  classes: kind === 'repeat' || wall === 0 ? [] : [work as Ns],
});

it('sums a construct over the rounds in which it is, and counts no time twice', () => {
  const parts = partsOf({
    classes: ['work'],
    more: 0,
    row: [
      row('start', 0, 5, 5),
      row('repeat', 0, 50, 40),
      row('region', 1, 40, 35, 2),
      row('serial', 1, 10, 5),
      row('region', 0, 7, 6, 2),
      row('region', 0, 3, 3, 4),
    ],
  });
  expect(parts.map(({ kind, wall_ns, count }) => [kind, wall_ns, count])).toEqual([
    ['region', 47, 2],
    ['serial', 10, 1],
    ['start', 5, 1],
    ['region', 3, 1],
  ]);
  expect(parts[0]!.classes).toEqual([41]);
});

it('names what has most of the work in a region', () => {
  const inside = [row('phase', 1, 0, 30, 7), row('phase', 1, 0, 5, 8)];
  const outline = { classes: ['work'], more: 0, row: [row('region', 0, 40, 36, 2), ...inside] };
  expect(partsOf(outline)[0]!.inside.map(({ site }) => site)).toEqual([7]);
  inside[0]!.work_ns = 17 as Ns;
  expect(partsOf(outline)[0]!.inside).toEqual([]);
});

it('names what is a large part of the run, summed over its occurrences, but not what is in it', () => {
  const phases = [row('phase', 1, 8, 8, 7), row('loop', 2, 8, 8, 9), row('phase', 1, 12, 11, 8)];
  const region = row('region', 0, 60, 60, 2);
  const [part] = partsOf({
    classes: ['work'],
    more: 0,
    row: [region, ...phases, row('serial', 0, 20, 20), region, ...phases.slice(0, 1)],
  });
  expect(part!.inside.map(({ site, wall_ns, count }) => [site, wall_ns, count])).toEqual([[7, 16, 2]]);
  phases[2]!.wall_ns = 20 as Ns;
  const [other] = partsOf({ classes: ['work'], more: 0, row: [region, ...phases] });
  expect(other!.inside.map(({ site }) => site)).toEqual([8, 7]);
});
