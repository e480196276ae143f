// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { usePage } from '../../test/page';
import { edgesOf, signScroll } from './scroll-sign';

usePage();

const box = { scrollTop: 0, scrollLeft: 0, scrollWidth: 100, scrollHeight: 100, clientWidth: 100, clientHeight: 100 };

it('names the edges behind which there is more', () => {
  expect(edgesOf(box)).toEqual([]);
  expect(edgesOf({ ...box, scrollHeight: 300 })).toEqual(['below']);
  expect(edgesOf({ ...box, scrollHeight: 300, scrollTop: 50 })).toEqual(['above', 'below']);
  expect(edgesOf({ ...box, scrollHeight: 300, scrollTop: 200 })).toEqual(['above']);
  expect(edgesOf({ ...box, scrollWidth: 140, scrollLeft: 10 })).toEqual(['left', 'right']);
  expect(edgesOf({ ...box, scrollHeight: 101 })).toEqual([]);
});

it('marks a box again when it is scrolled', () => {
  const node = signScroll(document.createElement('div'));
  Object.defineProperty(node, 'scrollHeight', { value: 500 });
  node.dispatchEvent(new Event('scroll'));
  expect(node.dataset.more).toBe('below');
});
