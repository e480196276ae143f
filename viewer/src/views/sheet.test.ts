// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { drawFrames, resize, SIZE, show, usePage } from '../../test/page';
import { element } from '../base/dom';
import { fitting, Sheet } from './sheet';

usePage();

it('draws once per frame, however often it is asked to, and when its size changes', () => {
  const draw = vi.fn();
  const sheet = new Sheet('name', draw);
  sheet.request();
  drawFrames();
  expect(draw).not.toHaveBeenCalled(); // it has no size yet
  show(sheet.root);
  expect([sheet.width, sheet.height]).toEqual([SIZE.width, SIZE.height]);
  expect(draw).toHaveBeenCalledTimes(1);
  sheet.request();
  sheet.request();
  drawFrames();
  expect(draw).toHaveBeenCalledTimes(2);
  resize();
  expect(draw).toHaveBeenCalledTimes(3);
});

it('takes the focus where it has keys, and has a name', () => {
  const withKeys = new Sheet('name', () => {}).root;
  expect([withKeys.getAttribute('role'), withKeys.tabIndex]).toEqual(['application', 0]);
  const picture = new Sheet('name', () => {}, false);
  expect(picture.root.getAttribute('role')).toBe('img');
  picture.describe('other');
  expect(picture.root.getAttribute('aria-label')).toBe('other');
});

it('cuts a text to the room that it has', () => {
  const context = element('canvas').getContext('2d')!;
  expect(fitting(context, 'abcdef', 36)).toBe('abcdef');
  expect(fitting(context, 'abcdef', 30)).toBe('abcd…');
  expect(fitting(context, 'abcdef', 13)).toBe('');
});
