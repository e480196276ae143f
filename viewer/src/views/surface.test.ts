// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { drawFrames, resize, SIZE, show, usePage } from '../../test/page';
import { Surface } from './surface';

usePage();

it('draws once per frame, and at once when its size changes', () => {
  const [draw, resized] = [vi.fn(), vi.fn()];
  const surface = new Surface('name', draw, resized);
  surface.request();
  drawFrames();
  expect(draw).not.toHaveBeenCalled(); // it has no size yet
  show(surface.root);
  expect([surface.width, surface.height]).toEqual([SIZE.width, SIZE.height]);
  expect([draw.mock.calls.length, resized.mock.calls.length]).toEqual([1, 1]);
  surface.request();
  surface.request();
  drawFrames();
  expect(draw).toHaveBeenCalledTimes(2);
  resize();
  expect(draw).toHaveBeenCalledTimes(3);
});

it('says so where there is no WebGL2, and draws nothing', () => {
  HTMLCanvasElement.prototype.getContext = (() => null) as typeof HTMLCanvasElement.prototype.getContext;
  const draw = vi.fn();
  const surface = new Surface('name', draw, () => {});
  show(surface.root);
  expect(surface.root.textContent).toMatch(/^This browser offers no WebGL2/);
  expect(draw).not.toHaveBeenCalled();
});
