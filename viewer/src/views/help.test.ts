// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, show, usePage } from '../../test/page';
import { Help } from './help';

usePage();

it('lists keys, mouse and terms', () => {
  const { root } = new Help([['K', 'does this']], [['Wheel', 'does that']], [['grain', 'a task']]);
  expect(all(root, 'dt').map(({ textContent }) => textContent)).toEqual(['K', 'Wheel', 'grain']);
  expect(all(root, 'dd').map(({ textContent }) => textContent)).toEqual(['does this', 'does that', 'a task']);
});

it('is opened and closed', () => {
  const help = new Help();
  show(help.root);
  help.toggle();
  expect(help.root.open).toBe(true);
  help.toggle();
  expect(help.root.open).toBe(false);
  help.toggle();
  buttonOf(help.root, 'Close').click();
  expect(help.root.open).toBe(false);
});
