// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { point, press, show, usePage } from '../../test/page';
import { element } from '../base/dom';
import { splitter } from './splitter';

usePage();

function splitterOf() {
  const container = element('div');
  const bar = splitter(container);
  container.append(bar);
  show(container);
  container.getBoundingClientRect = () => ({ bottom: 400, height: 400 }) as DOMRect;
  return { container, bar, share: () => container.style.getPropertyValue('--timeline') };
}

it('moves with arrow keys, within its limits', () => {
  const { bar, share } = splitterOf();
  expect(share()).toBe('27%');
  expect(press(bar, 'ArrowUp')).toBe(true);
  expect([share(), bar.getAttribute('aria-valuenow')]).toEqual(['31%', '31']);
  for (let times = 0; times < 20; times++) press(bar, 'ArrowUp');
  expect(share()).toBe('80%');
  for (let times = 0; times < 20; times++) press(bar, 'ArrowDown');
  expect(share()).toBe('10%');
  expect(press(bar, 'ArrowUp', { altKey: true })).toBe(false);
  expect(press(bar, 'x')).toBe(false);
});

it('moves with a drag', () => {
  const { bar, share } = splitterOf();
  point(bar, 'pointerdown', 0, 300);
  point(bar, 'pointermove', 0, 200);
  expect(share()).toBe('50%');
});
