// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { folded } from '../../test/folded';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { ns } from '../base/time';
import { decodeModel } from './decode';
import { grainRow, grainRows } from './ids';
import { GrainKind } from './model';
import { histogramOf, inRange } from './range';

const decoded = decodeModel(JSON.parse(JSON.stringify(viewModel(demo(200)))));
if (!decoded.ok) throw new Error(decoded.error);
const model = decoded.value;

it('has all grains and all their time in the whole run', () => {
  const found = inRange(model, { start: ns(0), end: model.run.wall_ns });
  expect([...found.count]).toEqual(model.sites.map(({ count }) => count));
  for (const [site, { work_ns, low_benefit }] of model.sites.entries()) {
    const { creation_ns, wait_ns, critical } = model.whole.sites[site]!;
    expect(found.ran[site]).toBeCloseTo(work_ns, 3);
    expect(found.creation[site]).toBeCloseTo(creation_ns, 3);
    expect(found.wait[site]).toBeCloseTo(wait_ns, 3);
    expect([found.critical[site], found.low[site]]).toEqual([critical, low_benefit]);
  }
  expect(found.all).toBeCloseTo(model.run.work_ns, 3);
});

it('shares the time out between two halves, and counts what runs in both twice', () => {
  const middle = model.run.wall_ns / 2;
  const halves = [
    inRange(model, { start: ns(0), end: ns(middle) }),
    inRange(model, { start: ns(middle), end: model.run.wall_ns }),
  ];
  for (const [site, { work_ns, count }] of model.sites.entries()) {
    expect(halves[0]!.ran[site]! + halves[1]!.ran[site]!).toBeCloseTo(work_ns, 3);
    const { wait_ns, creation_ns } = model.whole.sites[site]!;
    expect(halves[0]!.wait[site]! + halves[1]!.wait[site]!).toBeCloseTo(wait_ns, 3);
    expect(halves[0]!.creation[site]! + halves[1]!.creation[site]!).toBeCloseTo(creation_ns, 3);
    expect(halves[0]!.count[site]! + halves[1]!.count[site]!).toBeGreaterThanOrEqual(count);
  }
  expect(halves[0]!.has.includes(0)).toBe(true);
});

it('counts grains by their work as the tools do', () => {
  for (const [site, { first_bin, histogram }] of model.whole.sites.entries()) {
    const rows = [...model.grain.site.keys()].filter((row) => model.grain.site[row] === site);
    if (rows.length > 0)
      expect(histogramOf(model, grainRows(Uint32Array.from(rows)))).toEqual({ first_bin, histogram });
  }
});

it('counts the work of a group, which is not the time from its first grain to its last', () => {
  const { json, whole } = folded(demo(60), 10);
  const model = decodeModel(JSON.parse(JSON.stringify(json)));
  if (!model.ok) throw new Error(model.error);
  const sum = (values: ArrayLike<number>) => Array.from(values).reduce((all, value) => all + value, 0);
  const groups = [...model.value.grain.kind.keys()].filter((row) => model.value.grain.kind[row] === GrainKind.Group);
  expect(groups.length).toBeGreaterThan(0);
  const work = groups.reduce((all, row) => all + model.value.grain.work[row]!, 0);
  const found = inRange(model.value, { start: ns(0), end: whole.run.wall_ns }, (row) => groups.includes(row));
  expect(found.all).toBeCloseTo(work, 3);
  expect(sum(found.ran)).toBeCloseTo(work, 3);
});

it('has no more work than a grain has whose thread lost its processor meanwhile', () => {
  const lost = structuredClone(viewModel(demo(20)));
  const model = decodeModel(JSON.parse(JSON.stringify(lost)));
  if (!model.ok) throw new Error(model.error);
  const { value } = model;
  for (let row = grainRow(0); row < value.grain.work.length; row++)
    value.grain.work[row] = ns(value.grain.work[row]! / 2);
  value.fragment.work = value.fragment.work.map((work) => work / 2);
  const found = inRange(value, { start: ns(0), end: value.run.wall_ns });
  expect(found.all).toBeCloseTo(value.run.work_ns / 2, 3);
});
