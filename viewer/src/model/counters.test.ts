// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { modelOf } from '../../test/page';
import { counted } from '../../test/sample';
import { ns } from '../base/time';
import { counterOf, countOf, countText } from './counters';
import { grainRow } from './ids';
import { largest, levelOf } from './metrics';
import { inRange } from './range';

const model = modelOf(counted);

it('are columns of the grains, and figures by which grains are coloured', () => {
  expect(model.counters).toEqual(['page-faults', 'task-clock']);
  expect(countOf(model, grainRow(3), 1)).toBe(30);
  expect(largest(model, 'counter-0')).toBe(model.run.shown - 1);
  expect(levelOf(model, grainRow(model.run.shown - 1), 'counter-0', model.run.shown - 1)).toBe(1);
  expect(levelOf(model, grainRow(1), 'counter-1', 100)).toBeUndefined();
  expect(['counter-0', 'counter-12', 'counter-x', 'work'].map(counterOf)).toEqual([0, 12, undefined, undefined]);
  expect([countText('page-faults', 1500), countText('task-clock', 1500)]).toEqual(['1\u202f500', '1.50 us']);
});

it('in a range of time are shares of what the grains counted', () => {
  const whole = inRange(model, { start: ns(0), end: model.run.wall_ns });
  const expected = model.sites.map((_, site) => {
    const rows = [...model.grain.kind.keys()].filter((row) => model.grain.site[row] === site && whole.has[row]);
    return rows.reduce((sum, row) => sum + row, 0);
  });
  for (const [site, sum] of expected.entries()) expect(whole.counts[0]![site]).toBeCloseTo(sum, 6);
  const half = inRange(model, { start: ns(0), end: ns(model.run.wall_ns / 2) });
  const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0);
  expect(sum(half.counts[0]!)).toBeLessThan(sum(whole.counts[0]!));
});

it.each<[string, Parameters<typeof modelOf>[0], RegExp]>([
  [
    'too few columns',
    (json) => {
      counted(json);
      json.counts.pop();
    },
    /^counts: expected a list of 2/,
  ],
  [
    'a site without counts',
    (json) => {
      counted(json);
      json.whole.sites[1]!.counts = [];
    },
    /whole\.sites\[1\]\.counts/,
  ],
])('are refused with %s', (_name, change, message) => {
  expect(() => modelOf(change)).toThrow(message);
});
