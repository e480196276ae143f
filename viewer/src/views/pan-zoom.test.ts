// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import { point, press, show, usePage } from '../../test/page';
import { element } from '../base/dom';
import type { Viewport } from '../base/viewport';
import { PanZoom } from './pan-zoom';

usePage();

const FIT: Viewport = { x: 0, y: 0, scaleX: 1, scaleY: 1 };
let surface: HTMLElement;
let panZoom: PanZoom;
const told = { changed: vi.fn(), aimed: vi.fn(), clicked: vi.fn(), hovered: vi.fn(), left: vi.fn() };

function make(axes: 'both' | 'x'): void {
  for (const mock of Object.values(told)) mock.mockClear();
  surface = show(element('div'));
  const limit = (view: Viewport) => ({ ...view, scaleX: Math.min(view.scaleX, 8), scaleY: Math.min(view.scaleY, 8) });
  panZoom = new PanZoom({ surface, axes, limit, fit: () => FIT, ...told });
}

beforeEach(() => make('both'));

it('zooms by keys around the middle', () => {
  for (const key of ['+', '=', 'w']) {
    panZoom.moveTo(FIT);
    expect(press(surface, key)).toBe(true);
    expect(panZoom.view.scaleX).toBe(1.5);
    // The middle is at 400, 200 of 800, 400.
    expect(panZoom.view.x + 400 / 1.5).toBeCloseTo(400);
    expect(panZoom.view.y + 200 / 1.5).toBeCloseTo(200);
  }
  press(surface, '-');
  expect(panZoom.view.scaleX).toBeCloseTo(1);
  expect(press(surface, '+', { ctrlKey: true })).toBe(false);
  expect(press(surface, 'q')).toBe(false);
});

it('moves by keys, and shows all', () => {
  press(surface, 'ArrowRight');
  press(surface, 'ArrowDown');
  expect([panZoom.view.x, panZoom.view.y]).toEqual([80, 80]);
  press(surface, 'a');
  expect(panZoom.view.x).toBe(0);
  press(surface, '0');
  expect(panZoom.view).toEqual(FIT);
});

it('zooms with the wheel around the pointer, and moves with Shift', () => {
  point(surface, 'wheel', 100, 50, { deltaX: 0, deltaY: -200, deltaMode: 0 });
  const { x, y, scaleX } = panZoom.view;
  expect(scaleX).toBeGreaterThan(1);
  expect(x + 100 / scaleX).toBeCloseTo(100);
  expect(y + 50 / scaleX).toBeCloseTo(50);
  point(surface, 'wheel', 100, 50, { deltaX: 0, deltaY: 60, deltaMode: 0, shiftKey: true });
  expect(panZoom.view.x).toBeCloseTo(x + 60 / scaleX);
});

it('stays where it is at the limit of the scale', () => {
  panZoom.moveTo({ x: 10, y: 10, scaleX: 8, scaleY: 8 });
  panZoom.zoom(2);
  expect(panZoom.view).toEqual({ x: 10, y: 10, scaleX: 8, scaleY: 8 });
});

it('keeps the vertical scale where one axis alone is zoomed', () => {
  make('x');
  press(surface, '+');
  expect([panZoom.view.scaleX, panZoom.view.scaleY]).toEqual([1.5, 1]);
});

it('moves with a drag, which is no click', () => {
  point(surface, 'pointerdown', 100, 100);
  point(surface, 'pointermove', 102, 101);
  expect(panZoom.view).toEqual(FIT);
  point(surface, 'pointermove', 150, 90);
  expect([panZoom.view.x, panZoom.view.y]).toEqual([-50, 10]);
  expect(surface.hasAttribute('data-dragging')).toBe(true);
  point(surface, 'pointerup', 150, 90);
  expect(surface.hasAttribute('data-dragging')).toBe(false);
  expect(told.clicked).not.toHaveBeenCalled();
});

it('tells clicks with the first button, and what is under the pointer', () => {
  point(surface, 'pointermove', 5, 6);
  expect(told.hovered).toHaveBeenCalledWith(5, 6);
  point(surface, 'pointerdown', 10, 20);
  point(surface, 'pointerup', 10, 20);
  expect(told.clicked).toHaveBeenCalledWith(10, 20);
  point(surface, 'pointerdown', 10, 20, { button: 2 });
  point(surface, 'pointerup', 10, 20, { button: 2 });
  expect(told.clicked).toHaveBeenCalledTimes(1);
});

it('zooms with two fingers by their distance', () => {
  point(surface, 'pointerdown', 100, 100, { pointerId: 1 });
  point(surface, 'pointerdown', 200, 100, { pointerId: 2 });
  point(surface, 'pointermove', 300, 100, { pointerId: 2 });
  expect(panZoom.view.scaleX).toBeCloseTo(2);
  point(surface, 'pointerup', 300, 100, { pointerId: 2 });
  point(surface, 'pointerup', 100, 100, { pointerId: 1 });
  expect(told.clicked).not.toHaveBeenCalled();
});

it('says where it is going', () => {
  panZoom.moveTo({ ...FIT, x: 7 });
  expect(told.aimed).toHaveBeenCalledOnce();
  expect(panZoom.target.x).toBe(7);
  panZoom.shift(3, 4);
  expect([panZoom.view.x, panZoom.target.x, panZoom.target.y]).toEqual([10, 10, 4]);
});
