// SPDX-License-Identifier: Apache-2.0
// Tests what a page shows while the server reads a large recording.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folded } from '../test/folded';
import { randomNumbers, siblings } from '../test/program';
import { openBrowser, openServed } from './browser';

const RECORDING = folded(siblings(200, randomNumbers(4)), 60);

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const FIRST = [{ title: './sort 9', about: 'These are sums.', rows: [['wall time', '1.00 s', '2 workers']] }];
const READING = { state: 'reading', step: 'reading', read: 30, bytes: 120, first: FIRST };

const seesSums = async (page: Page) => {
  await page.locator('.reading h1', { hasText: './sort 9' }).waitFor();
  expect(await page.locator('.reading').innerText()).toContain('These are sums.');
  expect(await page.locator('.reading tr').innerText()).toMatch(/wall time\s+1.00 s\s+2 workers/);
};

it('shows the sums at once, and the recording in their place when it has been read', async () => {
  let answer: object = READING;
  const look = async (page: Page) => {
    await seesSums(page);
    answer = { state: 'ready' };
  };
  const { page, errors } = await openServed(browser, RECORDING, '', { reading: () => answer, look });
  await page.waitForFunction(() => window.teff);
  expect(await page.locator('.reading').count()).toBe(0);
  expect(errors).toEqual([]);
  await page.close();
});

it('says why a recording cannot be read', async () => {
  let answer: object = READING;
  const look = async (page: Page) => {
    await seesSums(page);
    answer = { state: 'failed', problem: 'stream-0000.bin is damaged.' };
  };
  const { page, errors } = await openServed(browser, RECORDING, '', { reading: () => answer, look });
  expect(await page.locator('.problem').innerText()).toContain('stream-0000.bin is damaged.');
  expect(errors).toEqual([]);
  await page.close();
});
