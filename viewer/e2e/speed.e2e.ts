// SPDX-License-Identifier: Apache-2.0
// Measures how fast the page is with large recordings. Slow: runs only when TEFF_PERF is set, and
// prints its figures.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain, demo, type Grain, randomNumbers, siblings } from '../test/program';
import { openBrowser, openPage, writeSample } from './browser';

const FRAMES = 30;

describe.runIf(process.env.TEFF_PERF)('speed with', { timeout: 180_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each<[string, () => Grain]>([
    ['200,000 grains', () => demo(200_000)],
    ['100,000 siblings', () => siblings(100_000, randomNumbers(3))],
    ['100,000 levels', () => chain(100_000)],
  ])('%s', async (name, program) => {
    const { page } = await openPage(browser, writeSample(program()));
    const figures = await page.evaluate(async (frames) => {
      const { graph, timeline, layouts } = window.teff!;
      const layoutMs = layouts.tookMs;
      await new Promise((resolve) => setTimeout(resolve, 500));
      const fit = graph.measureFrames(frames);
      const time = timeline.measureFrames(frames);
      graph.zoom(30);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const close = graph.measureFrames(frames);
      return { layoutMs, fit, close, time, rectangles: graph.scene.count };
    }, FRAMES);
    const { layoutMs, fit, close, time } = figures;
    process.stdout.write(
      `${name}: layout ${layoutMs.toFixed(0)} ms; milliseconds per frame, drawn in software: ` +
        `whole graph ${fit.toFixed(1)}, close up ${close.toFixed(1)}, time line ${time.toFixed(1)}\n`,
    );
    expect(figures.layoutMs).toBeLessThan(20_000);
    expect(figures.fit).toBeLessThan(1000);
    expect(figures.rectangles).toBeLessThanOrEqual(100_000);
    await page.close();
  });
});
