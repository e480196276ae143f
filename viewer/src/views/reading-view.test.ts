// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, one, usePage } from '../../test/page';
import { element } from '../base/dom';
import { decodeReading, type Reading } from '../model/reading';
import { readingView } from './reading-view';

usePage();

const READING: Reading = {
  state: 'reading',
  problem: '',
  step: 'reading',
  read: 30,
  bytes: 120,
  first: [{ title: './sort 9', about: 'These are sums.', rows: [['wall time', '1.00 s', '2 workers']] }],
};

it('shows the sums with what they are, and how far the reading has come', () => {
  const root = element('div', {}, 'before');
  document.body.append(root);
  const view = readingView(root);
  view.show(READING);
  expect(one(root, 'h1').textContent).toBe('./sort 9');
  expect(one(root, 'section p').textContent).toBe('These are sums.');
  expect(all(root, 'tr *').map((cell) => cell.textContent)).toEqual(['wall time', '1.00 s', '2 workers']);
  const bar = one(root, 'progress') as HTMLProgressElement;
  expect([bar.getAttribute('value'), bar.getAttribute('max')]).toEqual(['30', '120']);
  view.show({ ...READING, step: 'laying out' });
  expect(bar.hasAttribute('value')).toBe(false);
  expect(one(root, '.status').textContent).toContain('laying out…');
  expect(all(root, 'section')).toHaveLength(1);
});

it('refuses answers that it cannot show', () => {
  expect(decodeReading(JSON.stringify(READING))).toEqual({ ok: true, value: READING });
  const wrong = [
    '',
    'null',
    '{}',
    JSON.stringify({ ...READING, state: 'asleep' }),
    JSON.stringify({ ...READING, step: 7 }),
    JSON.stringify({ ...READING, first: [{ title: 'a', about: 'b', rows: [['c']] }] }),
  ];
  for (const text of wrong) expect(decodeReading(text).ok, text).toBe(false);
});
