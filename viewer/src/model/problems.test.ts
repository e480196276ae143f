// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from 'vitest';
import { demo, initial, stalled } from '../../test/program';
import { viewModel } from '../../test/sample';
import { decodeModel } from './decode';
import { grainRow } from './ids';
import { categoryOf, largest, levelOf, METRICS, metricOf } from './metrics';
import { Flag, type Model } from './model';
import { PROBLEMS, severities, worst } from './problems';

function decode(json: object): Model {
  const decoded = decodeModel(JSON.parse(JSON.stringify(json)));
  if (!decoded.ok) throw new Error(decoded.error);
  return decoded.value;
}

const model = decode(viewModel(demo(400)));
const stalling = decode(viewModel(stalled(30)));
const rows = [...model.grain.kind.keys()].map(grainRow);

describe.each(PROBLEMS)('the problem "%s"', (problem) => {
  it('has severities from 0 to 1, and lists its grains by them', () => {
    for (const one of [model, stalling, decode(viewModel(initial([{ work: 10 }])))]) {
      const severity = severities(one, problem);
      const all = [...one.grain.kind.keys()].map((row) => severity(grainRow(row)));
      expect(all.every((value) => value >= 0 && value <= 1)).toBe(true);
      const listed = [...worst(one, severity)];
      expect(listed.length).toBe(all.filter((value) => value > 0).length);
      for (let at = 1; at < listed.length; at++) expect(all[listed[at]!]).toBeLessThanOrEqual(all[listed[at - 1]!]!);
    }
  });
});

it('finds the longest wait, the path, and what waits for memory', () => {
  const { wait, flags } = model.grain;
  expect(wait[worst(model, severities(model, 'wait'))[0]!]).toBe(Math.max(...wait));
  const path = worst(model, severities(model, 'path'));
  expect(path.length).toBe(rows.filter((grain) => flags[grain]! & Flag.Critical).length);
  expect(worst(stalling, severities(stalling, 'memory')).length).toBeGreaterThan(5);
  expect(worst(model, severities(model, 'memory')).length).toBe(0);
});

it('finds grains beside which little ran', () => {
  const alone = severities(model, 'alone');
  // The initial task runs for the whole of the program, which has parallel parts.
  const only = decode(viewModel(initial([{ work: 5000 }])));
  expect(severities(only, 'alone')(grainRow(0))).toBe(1);
  expect(rows.some((grain) => alone(grain) === 0)).toBe(true);
});

it('puts figures on a scale that ends with the largest', () => {
  for (const by of METRICS) {
    const most = largest(model, by);
    const levels = rows.map((grain) => levelOf(model, grain, by, most));
    expect(levels.every((level) => level === undefined || (level >= 0 && level <= 1))).toBe(true);
    if (by === 'benefit') continue;
    expect(levels[rows.findIndex((grain) => metricOf(model, grain, by) === most)]).toBe(1);
  }
  expect(levelOf(model, grainRow(0), 'work', Number.NaN)).toBe(0);
});

it('has low benefits high on their scale', () => {
  const { benefit } = model.grain;
  const [low, high] = [benefit.findIndex((value) => value < 0.9), benefit.findIndex((value) => value > 1.2)];
  expect(levelOf(model, grainRow(low), 'benefit', 0)).toBeGreaterThan(0.5);
  expect(levelOf(model, grainRow(high), 'benefit', 0)).toBeLessThan(0.5);
  expect(levelOf(model, grainRow(0), 'benefit', 0)).toBeUndefined();
});

it('knows the categories of grains', () => {
  expect(categoryOf(model, grainRow(3), 'worker')).toBe(model.grain.worker[3]);
  expect(categoryOf(model, grainRow(3), 'site')).toBe(model.grain.site[3]);
  expect(categoryOf(model, grainRow(3), 'work')).toBeUndefined();
});
