// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { ns } from '../base/time';
import { decodeModel } from './decode';
import { inRange } from './range';

const decoded = decodeModel(JSON.parse(JSON.stringify(viewModel(demo(200)))));
if (!decoded.ok) throw new Error(decoded.error);
const model = decoded.value;

it('has all grains and all their time in the whole run', () => {
  const found = inRange(model, { start: ns(0), end: model.run.wall_ns });
  expect([...found.count]).toEqual(model.sites.map(({ count }) => count));
  for (const [site, { work_ns }] of model.sites.entries()) expect(found.ran[site]).toBeCloseTo(work_ns, 3);
});

it('shares the time out between two halves, and counts what runs in both twice', () => {
  const middle = model.run.wall_ns / 2;
  const halves = [
    inRange(model, { start: ns(0), end: ns(middle) }),
    inRange(model, { start: ns(middle), end: model.run.wall_ns }),
  ];
  for (const [site, { work_ns, count }] of model.sites.entries()) {
    expect(halves[0]!.ran[site]! + halves[1]!.ran[site]!).toBeCloseTo(work_ns, 3);
    expect(halves[0]!.count[site]! + halves[1]!.count[site]!).toBeGreaterThanOrEqual(count);
  }
  expect(halves[0]!.has.includes(0)).toBe(true);
});
