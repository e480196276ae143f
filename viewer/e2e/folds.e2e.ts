// SPDX-License-Identifier: Apache-2.0
// Tests folded groups in a browser: they are opened and closed in place, opened on the way to a
// grain, and shown on the map.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fitBox } from '../src/base/viewport';
import type { GrainRow } from '../src/model/ids';
import { folded } from '../test/folded';
import { randomNumbers, siblings } from '../test/program';
import { openBrowser, openPage, openServed, writePage } from './browser';

const program = siblings(1200, randomNumbers(4));
const recording = folded(program, 60);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('a folded recording that is served', () => {
  let page: Page;
  let errors: string[];

  beforeEach(async () => {
    ({ page, errors } = await openServed(browser, recording));
  });
  afterEach(async () => {
    expect(errors).toEqual([]);
    await page.close();
  });

  it('opens a group in place, and closes it again', async () => {
    await page.evaluate(() => window.teff!.store.goTo(5 as GrainRow));
    await rest(page);
    const before = await placeOf(page, 5);
    const bar = page.locator('.fold-bar');
    expect(await bar.innerText()).toContain('60 grains');
    await page.locator('.graph .surface').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page)).toBe(21 + 60);
    await rest(page);
    const open = await placeOf(page, 5);
    expect(Math.hypot(open.right - before.right, open.top - before.top)).toBeLessThan(2);
    expect(open.right - open.left).toBeGreaterThan(2 * (before.right - before.left));
    // What it holds stands below its head, and in it.
    const inside = await placeOf(page, 21);
    expect(inside.top >= open.top && inside.left >= open.left && inside.right <= open.right).toBe(true);
    await bar.getByRole('button', { name: 'Close' }).click();
    await expect.poll(async () => (await placeOf(page, 5)).left).toBeCloseTo(before.left, 0);
    expect(await rowsOf(page)).toBe(21 + 60);
  });

  it('goes to a grain whose group is closed', async () => {
    const find = page.locator('.find');
    await find.locator('summary').click();
    await find.locator('input').fill('# 777');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.panel h2').innerText()).toMatch(/task #777$/);
    await rest(page);
    expect(page.url()).toContain('#grain=777');
    const box = (await page.locator('.graph .surface').boundingBox())!;
    const at = await page.evaluate(() => window.teff!.graph.positionOf(window.teff!.store.selected.value!));
    expect(at.x > 0 && at.y > 0 && at.x < box.width && at.y < box.height).toBe(true);
    await find.locator('input').fill('999999');
    await find.getByRole('button', { name: 'Go' }).click();
    expect(await find.innerText()).toContain('from 0 to');
  });

  it('opens at a folded grain that the address names', async () => {
    const { page: other } = await openServed(browser, recording, '#grain=1000');
    await expect.poll(() => other.locator('.panel h2').innerText()).toMatch(/task #1000$/);
    await other.close();
  });

  it('has a map that moves the view', async () => {
    expect(await page.locator('.minimap').isVisible()).toBe(false);
    await page.evaluate(() => window.teff!.store.goTo(10 as GrainRow));
    await rest(page);
    await page.evaluate(() => window.teff!.graph.zoom(5));
    await rest(page);
    const map = page.locator('.minimap');
    const scale = await page.evaluate(() => window.teff!.graph.view.scaleX);
    expect(await map.isVisible()).toBe(true);
    const box = (await map.boundingBox())!;
    const graph = (await page.locator('.graph .surface').boundingBox())!;
    const bounds = await page.evaluate(() => window.teff!.graph.layout.bounds);
    const fit = fitBox(bounds, box.width - 2, box.height - 2, 4);
    for (const row of [4, 15]) {
      const [x, y] = await page.evaluate((g) => {
        const [x0, y0, x1, y1] = window.teff!.graph.layout.boxes.subarray(g * 4, g * 4 + 4);
        return [(x0! + x1!) / 2, (y0! + y1!) / 2] as const;
      }, row);
      await page.mouse.move(box.x + 1 + (x - fit.x) * fit.scaleX, box.y + 1 + (y - fit.y) * fit.scaleY);
      await page.mouse.down();
      await page.mouse.up();
      // A pixel of the map is many of the view.
      const slack = { x: (3 * scale) / fit.scaleX, y: (3 * scale) / fit.scaleY };
      const away = async () => {
        const at = await page.evaluate((g) => window.teff!.graph.positionOf(g as GrainRow), row);
        return Math.max(Math.abs(at.x - graph.width / 2) / slack.x, Math.abs(at.y - graph.height / 2) / slack.y);
      };
      await expect.poll(away).toBeLessThan(1);
      const frame = (await map.locator('i').boundingBox())!;
      expect(Math.abs(middle(frame) - (box.x + 1 + (x - fit.x) * fit.scaleX))).toBeLessThan(4);
    }
  });

  it('says why a group cannot be opened', async () => {
    await page.unrouteAll();
    await page.route('**/part.json**', (route) => route.abort());
    await page.evaluate(() => window.teff!.store.folds.open(2 as GrainRow));
    expect(await page.locator('.fold-bar').innerText()).toContain('does not answer any more');
  });
});

it('says what is lost in a file, and how to see it', async () => {
  const file = writePage(JSON.stringify(folded(program, 60, false).json));
  const { page, errors } = await openPage(browser, file);
  const bar = page.locator('.fold-bar');
  expect(await bar.innerText()).toMatch(/1 of 1\D?201 grains stand alone.*20 groups.*teff view DIR/s);
  await page.evaluate(() => window.teff!.store.goTo(4 as GrainRow));
  expect(await bar.innerText()).toContain('folded in this file');
  expect(await bar.getByRole('button').count()).toBe(0);
  expect(errors).toEqual([]);
  await page.close();
});

const middle = ({ x, width }: { x: number; width: number }): number => x + width / 2;
const rowsOf = (page: Page): Promise<number> => page.evaluate(() => window.teff!.graph.layout.closed.length);

/** The box of a row, in pixels of the surface. */
function placeOf(page: Page, row: number): Promise<{ left: number; top: number; right: number }> {
  return page.evaluate((g) => {
    const { graph } = window.teff!;
    const [x0, y0, x1] = graph.layout.boxes.subarray(g * 4, g * 4 + 4);
    const { x, y, scaleX, scaleY } = graph.view;
    return { left: (x0! - x) * scaleX, top: (y0! - y) * scaleY, right: (x1! - x) * scaleX };
  }, row);
}

async function rest(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(() => !window.teff!.graph.moving);
}
