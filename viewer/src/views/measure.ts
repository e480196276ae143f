// SPDX-License-Identifier: Apache-2.0
// Measures how long frames take, for the speed test and for the console.
import type { PanZoom } from './pan-zoom';
import type { Surface } from './surface';

/** Draws frames while zooming in and out again, waits for each, and returns milliseconds per frame. */
export function measureFrames(panZoom: PanZoom, surface: Surface, frames: number): number {
  const before = panZoom.view;
  const start = performance.now();
  for (let i = 0; i < frames; i++) {
    panZoom.zoom(i < frames / 2 ? 1.08 : 1 / 1.08, undefined, undefined, false);
    surface.drawNow();
    surface.renderer?.finish();
  }
  const perFrame = (performance.now() - start) / frames;
  panZoom.moveTo(before, false);
  return perFrame;
}
