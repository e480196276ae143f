// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from 'vitest';
import { demo, initial, stalled } from '../../test/program';
import { column, viewModel } from '../../test/sample';
import { decodeModel } from './decode';
import { grainRow } from './ids';
import { categoryOf, largest, levelOf, METRICS, metricOf } from './metrics';
import { Flag, type Model } from './model';
import { affected, limitText, PROBLEMS, type Problem, severities, unknownText, worst } from './problems';

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

/** The model after two of its grains got a problem that the tools found. */
function withProblem(metric: string, limit: number | null, values: [number, number]) {
  const json = viewModel(demo(40));
  const row = json.problems.findIndex((problem) => problem.metric === metric);
  Object.assign(json.problems[row]!, { limit, judged: true, known: 2, grains: 2, grains_share: 0.25, work_share: 0.5 });
  const rows = json.grain.kind.data.length > 0 ? decode(json).grain.kind.length : 0;
  const column_ = (type: 'u8' | 'f32', of: (at: number) => number) =>
    column(
      type,
      Array.from({ length: rows }, (_, at) => of(at)),
    );
  if (metric !== 'parallel_benefit')
    Object.assign(json.grain, { [metric]: column_('f32', (at) => (at < 2 ? values[at]! : Number.NaN)) });
  json.grain.problems = column_('u8', (at) => (at < 2 ? 1 << row : 0));
  return decode(json);
}

it.each<[Problem, string, [number, number]]>([
  ['balance', 'load_balance', [8, 2]],
  ['deviation', 'work_deviation', [16, 1.3]],
  ['parallelism', 'instantaneous_parallelism', [1, 3]],
  ['scatter', 'scatter', [7, 5]],
])('has the problem "%s" where the tools say so, with their shares', (problem, metric, values) => {
  const found = withProblem(metric, 1.5, values);
  expect([...worst(found, severities(found, problem))]).toEqual([0, 1]);
  expect(affected(found, problem)).toEqual({ grains: 2, grainsShare: 0.25, workShare: 0.5 });
  expect(limitText(found, problem)).toMatch(/^Shown if (above|below) 1\.5$/);
  expect(unknownText(found, problem)).toBe('');
  const byTime = withProblem(metric, null, values);
  expect(limitText(byTime, problem)).toContain('1/1000');
});

it('says why a problem cannot be shown', () => {
  expect(unknownText(model, 'deviation')).toBe('needs --baseline');
  expect(unknownText(model, 'balance')).toBe('not known');
  const known = decode({
    ...viewModel(demo(4)),
    problems: model.problems.map((one) => ({ ...one, limit: null, known: 1 })),
  });
  expect(unknownText(known, 'scatter')).toBe('needs --threshold scatter=N');
  expect(unknownText(model, 'path')).toBe('');
});

it('takes a low benefit from the tools where a limit is given', () => {
  const found = withProblem('parallel_benefit', 0.5, [0, 0]);
  expect([...worst(found, severities(found, 'benefit'))].sort()).toEqual([0, 1]);
  expect(affected(found, 'benefit').grains).toBe(2);
  const flagged = affected(model, 'benefit');
  expect(flagged.grains).toBe(rows.filter((grain) => model.grain.flags[grain]! & Flag.LowBenefit).length);
  expect(flagged.grainsShare).toBeCloseTo(flagged.grains / model.run.grains);
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
