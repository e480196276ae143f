// SPDX-License-Identifier: Apache-2.0
// How fast the page is with large recordings. Slow: runs only when TEFF_PERF is set, and prints its figures.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain, demo, type Grain, randomNumbers, siblings } from '../test/program';
import { openBrowser, openPage, writeSample } from './browser';

const FRAMES = 60;

describe.runIf(process.env.TEFF_PERF)('speed with', () => {
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
      const { graph, layoutMs } = window.teff!;
      await new Promise((resolve) => setTimeout(resolve, 500));
      const fit = graph.measureFrames(frames);
      graph.zoom(30);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const close = graph.measureFrames(frames);
      return { layoutMs, fit, close, rectangles: graph.scene.count };
    }, FRAMES);
    const text = Object.entries(figures).map(([key, value]) => `${key} ${value.toFixed(1)}`);
    process.stdout.write(`${name}: ${text.join(', ')} (frame times in ms, software drawing)\n`);
    expect(figures.layoutMs).toBeLessThan(20_000);
    expect(figures.fit).toBeLessThan(1000);
    expect(figures.rectangles).toBeLessThanOrEqual(100_000);
    await page.close();
  });
});
