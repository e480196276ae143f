// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { between, fitBox, panBy, type Viewport, zoomAround } from './viewport';

const toWorld = (v: Viewport, px: number, py: number) => [v.x + px / v.scaleX, v.y + py / v.scaleY];
const view: Viewport = { x: 10, y: -5, scaleX: 2, scaleY: 4 };

it('shows all of a fitted box, centred', () => {
  const v = fitBox({ x0: 0, y0: 0, x1: 1000, y1: 100 }, 500, 500, 50);
  expect(v.scaleX).toBeCloseTo(0.4);
  expect(toWorld(v, 250, 250)).toEqual([500, 50]);
});

it('keeps the point under the pointer when zooming', () => {
  const before = toWorld(view, 70, 30);
  const after = toWorld(zoomAround(view, 70, 30, 1.7, 0.3), 70, 30);
  expect(after[0]).toBeCloseTo(before[0]!);
  expect(after[1]).toBeCloseTo(before[1]!);
});

it('pans with the pointer', () => {
  expect(toWorld(panBy(view, 10, 20), 30, 40)).toEqual(toWorld(view, 20, 20));
});

describe('between', () => {
  it('starts and ends where it should', () => {
    const to = zoomAround(view, 5, 5, 8, 8);
    expect(between(view, to, 0).x).toBeCloseTo(view.x);
    expect(between(view, to, 1).x).toBeCloseTo(to.x);
    expect(between(view, panBy(view, 10, 0), 0.5).x).toBeCloseTo(view.x - 2.5);
  });

  it('keeps the fixed point fixed on the way', () => {
    const middle = between(view, zoomAround(view, 60, 20, 8, 8), 0.4);
    expect(toWorld(middle, 60, 20)[0]).toBeCloseTo(toWorld(view, 60, 20)[0]!);
  });
});
