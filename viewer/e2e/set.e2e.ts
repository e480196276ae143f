// SPDX-License-Identifier: Apache-2.0
// Tests the page of a set of runs: its table, the runs it leads to, and the way back.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setOf } from '../test/run-set';
import { openBrowser, openPage, writePage } from './browser';

const path = writePage(JSON.stringify(setOf()));
const alone = writePage(JSON.stringify(setOf([2])));

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe.each([360, 1280])('on a page %d pixels wide', (width) => {
  it('the verdict and the times of all rows are on the first screen, and nothing is cut', async () => {
    const { page, errors } = await openPage(browser, path, '', { width, height: 740 });
    for (const row of await page.locator('.set > .verdict, .scaling tbody tr').all())
      expect((await row.boundingBox())!.y).toBeLessThan(740);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const more = await page
      .locator('.set .scroll')
      .evaluate((box) => [box.scrollWidth > box.clientWidth, box.dataset.more]);
    expect(more).toEqual(more[0] ? [true, 'right'] : [false, '']); // what is cut has a sign
    expect(errors).toEqual([]);
    await page.close();
  });
});

it('leads to the median run of each number of threads, and back', async () => {
  const { page, errors } = await openPage(browser, path);
  await page.locator('.scaling').getByRole('link', { name: '2 threads' }).click();
  await page.waitForFunction(() => window.teff);
  expect(await page.locator('h1').innerText()).toContain('a.teff/threads-2-2');
  expect(await page.evaluate(() => window.teff!.store.model.run.workers)).toBe(2);
  await page.getByRole('link', { name: 'the median of 3 runs; show the set' }).click();
  expect(await page.locator('.scaling tbody tr').count()).toBe(3);
  expect(errors).toEqual([]);
  await page.close();
});

it('with one number of threads shows its median run', async () => {
  const { page } = await openPage(browser, alone);
  expect(await page.evaluate(() => window.teff!.store.model.run.workers)).toBe(2);
  await page.getByRole('link', { name: 'show the set' }).click();
  expect(await page.locator('.scaling tbody tr').count()).toBe(1);
  await page.close();
});
