// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, modelOf, one, usePage } from '../../test/page';
import { speedupView } from './speedup-view';

usePage();

it('has a row for each number of threads, with a bar that ends at or before its bound', () => {
  const { speedup } = modelOf();
  const [section] = speedupView(speedup);
  const rows = all(section!, 'tbody tr');
  expect(rows.map((row) => one(row, 'td').textContent)).toEqual(['1', '2', '4']);
  for (const row of rows) {
    const [bar, bound] = [one(row, '.bar').style.width, one(row, '.bound').style.left].map(Number.parseFloat);
    expect(bar!).toBeLessThanOrEqual(bound!);
    expect(row.title).toContain('no schedule has a speed-up above');
  }
  expect(rows.map(({ className }) => className)).toEqual(['', '', 'recorded']);
});

it('is not there without a prediction', () => {
  expect(speedupView([])).toEqual([]);
});
