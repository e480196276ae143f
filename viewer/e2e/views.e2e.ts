// SPDX-License-Identifier: Apache-2.0
// The views beside graph and time line, and what links them: one time range, one site. TEFF_PAGE
// names a page that `teff view --html` made, to test it instead of a sample.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { demo } from '../test/program';
import { openBrowser, openPage, writeSample } from './browser';

const path = process.env.TEFF_PAGE ?? writeSample(demo(400));

let browser: Browser;
let page: Page;
let errors: string[];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  ({ page, errors } = await openPage(browser, path));
});
afterEach(async () => {
  expect(errors).toEqual([]);
  await page.close();
});

describe.each([360, 768, 1280, 3840])('on a page %d pixels wide', (width) => {
  it('has all views within its width', async () => {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
    const tabs = page.locator('.tabs button:visible');
    expect(await tabs.count()).toBe(width > 760 ? 6 : 9);
    for (const tab of await tabs.all()) {
      await tab.click();
      expect(await tab.getAttribute('aria-selected')).toBe('true');
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
      expect(await beyond(page)).toEqual([]);
    }
  });
});

describe('the strip of parallelism', () => {
  it('selects the time range of all views', async () => {
    const before = await page.evaluate(() => window.teff!.timeline.shown());
    await brush(page, 0.25, 0.5);
    const range = await page.evaluate(() => window.teff!.store.range.value!);
    const all = await page.evaluate(() => window.teff!.store.end);
    expect(range.start / all).toBeCloseTo(0.25, 1);
    expect(range.end / all).toBeCloseTo(0.5, 1);
    await expect.poll(() => page.evaluate(() => window.teff!.timeline.shown())).toBeLessThan(before / 3);
    expect(page.url()).toMatch(/#range=\d+-\d+$/);
    expect(await page.locator('.stepper').innerText()).toMatch(/grains/);
    const { page: other } = await openPage(browser, path, new URL(page.url()).hash);
    expect(await other.locator('.strip .range').innerText()).toBe(await page.locator('.strip .range').innerText());
    await other.close();
    await page.getByRole('button', { name: 'Whole run' }).click();
    expect(page.url()).not.toContain('range=');
    await expect.poll(() => page.evaluate(() => window.teff!.timeline.shown())).toBeGreaterThan(before * 0.99);
  });

  it('is moved and cleared by keys', async () => {
    await page.locator('.strip .sheet').focus();
    await page.keyboard.press('ArrowRight');
    const first = await page.evaluate(() => window.teff!.store.range.value!);
    await page.keyboard.press('Shift+ArrowRight');
    const longer = await page.evaluate(() => window.teff!.store.range.value!);
    expect([longer.start, longer.end > first.end]).toEqual([first.start, true]);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => window.teff!.store.range.value)).toBeUndefined();
  });

  it('says how many grains ran', async () => {
    expect(await page.locator('.strip .caption').innerText()).toMatch(/^[\d.]+ grains at a time on average/);
    await page.locator('.strip .sheet').hover({ position: { x: 200, y: 30 } });
    expect(await page.locator('.strip .caption').innerText()).toMatch(/grains ran, .* tasks created and not begun/);
  });
});

describe('keys', () => {
  it('choose views, show themselves, and move the time line', async () => {
    await page.keyboard.press('2');
    expect(page.url()).toContain('view=flame');
    await page.keyboard.press('1');
    await page.keyboard.press('?');
    expect(await page.locator('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog').isVisible()).toBe(false);
    const before = await page.evaluate(() => window.teff!.timeline.shown());
    await page.keyboard.press('w');
    await expect.poll(() => page.evaluate(() => window.teff!.timeline.shown())).toBeLessThan(before * 0.8);
  });
});

/** Drags over the strip, from one part of its width to another. */
async function brush(of: Page, from: number, to: number): Promise<void> {
  const box = (await of.locator('.strip .sheet').boundingBox())!;
  await of.mouse.move(box.x + box.width * from, box.y + 20);
  await of.mouse.down();
  await of.mouse.move(box.x + box.width * to, box.y + 20, { steps: 3 });
  await of.mouse.up();
}

/** Visible controls that stick out of the page's sides, and that no parent lets one scroll to. */
function beyond(of: Page): Promise<string[]> {
  return of.evaluate(() => {
    const scrolls = (node: Element | null): boolean =>
      node !== null && (['auto', 'scroll'].includes(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
    return [...document.querySelectorAll('button, input, select, h2, dd, .sheet, .surface')]
      .filter((node) => {
        const { left, right, width } = node.getBoundingClientRect();
        return width > 0 && (left < -1 || right > window.innerWidth + 1) && !scrolls(node.parentElement);
      })
      .map((node) => node.outerHTML.slice(0, 100));
  });
}
