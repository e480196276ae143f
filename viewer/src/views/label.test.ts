// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { show, textsOf, usePage } from '../../test/page';
import { element } from '../base/dom';
import { writeLabel } from './label';

usePage();

/** The lines that are written into an area; a character is 6 pixels wide. */
function written(lines: string[], area: { x: number; y: number; width: number; height: number }): string[] {
  const canvas = element('canvas');
  const root = show(element('div', {}, canvas));
  writeLabel(canvas.getContext('2d')!, lines, area, { width: 200, height: 100 }, '#000000');
  return textsOf(root);
}

it('writes the lines that fit', () => {
  expect(written(['first', '', 'second'], { x: 0, y: 0, width: 100, height: 40 })).toEqual(['first', 'second']);
  expect(written(['first', 'second'], { x: 0, y: 0, width: 100, height: 20 })).toEqual(['first']);
  expect(written(['much too long', 'short'], { x: 0, y: 0, width: 50, height: 40 })).toEqual(['short']);
  expect(written(['first'], { x: 0, y: 0, width: 100, height: 10 })).toEqual([]);
});

it('takes what can be seen of the area', () => {
  expect(written(['first'], { x: 180, y: 0, width: 100, height: 40 })).toEqual([]);
  expect(written(['first'], { x: -500, y: -500, width: 1000, height: 1000 })).toEqual(['first']);
});
