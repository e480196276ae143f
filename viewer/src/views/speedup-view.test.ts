// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, modelOf, one, usePage } from '../../test/page';
import { ns } from '../base/time';
import { speedupView } from './speedup-view';

usePage();

it('has a row for each number of threads, with a bar that ends at or before its bound', () => {
  const { speedup, run } = modelOf();
  const [section] = speedupView(speedup, run);
  const rows = all(section!, 'tbody tr:not(.reached)');
  expect(rows.map((row) => one(row, 'td').textContent)).toEqual(['1', '2', '4']);
  for (const row of rows) {
    const [bar, bound] = [one(row, '.bar').style.width, one(row, '.bound').style.left].map(Number.parseFloat);
    expect(bar!).toBeLessThanOrEqual(bound!);
    expect(row.title).toContain('no schedule has a speed-up above');
  }
  expect(one(section!, 'h2 small').title).toContain('the serial part stays as long as it is');
  expect(rows.map(({ className }) => className)).toEqual(['', '', 'recorded']);
});

it('has what the recorded run reached beside the prediction for as many threads', () => {
  const { speedup } = modelOf();
  const [section] = speedupView(speedup, { work_ns: ns(300), wall_ns: ns(400) });
  const rows = all(section!, 'tbody tr');
  const at = rows.findIndex(({ className }) => className === 'reached');
  expect(rows[at - 1]!.className).toBe('recorded');
  expect(rows[at]!.textContent).toBe('0.75this run, measured');
  expect(all(section!, '.reached').length).toBe(1);
});

it('is not there without a prediction', () => {
  expect(speedupView([], modelOf().run)).toEqual([]);
});
