// SPDX-License-Identifier: Apache-2.0
// Tests how the page of a host shows its devices: a lane for each, and what went on there in words.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { devicesOf } from '../test/devices';
import { demo } from '../test/program';
import { viewModel } from '../test/sample';
import { openBrowser, openPage, writePage } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('has a lane for each device', async () => {
  const model = viewModel(demo(400));
  Object.assign(model.whole, { devices: devicesOf() });
  const { page, errors } = await openPage(browser, writePage(JSON.stringify(model)));
  const names = page.locator('.timeline .lane-names span');
  await expect.poll(() => names.allTextContents()).toContain('Device 1');
  expect((await names.allTextContents()).slice(-2)).toEqual(['Device 0', 'Device 1']);
  await page.evaluate(() => window.teff!.store.focus({ start: 0 as never, end: 1000 as never }));
  const surface = (await page.locator('.timeline .surface').boundingBox())!;
  const lane = (await names.nth(-2).boundingBox())!;
  await expect
    .poll(async () => {
      await page.mouse.move(surface.x + 0.39 * surface.width, lane.y + lane.height / 2);
      await page.mouse.move(surface.x + 0.4 * surface.width, lane.y + lane.height / 2);
      return page.locator('.tooltip').textContent();
    })
    .toMatch(/^target at heat.c:42 · ran on device 0 for 400 ns/);
  await expect.poll(() => page.locator('.legend').textContent()).toContain('data to or from a device');
  expect(errors).toEqual([]);
  await page.close();
});
