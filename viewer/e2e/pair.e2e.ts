// SPDX-License-Identifier: Apache-2.0
// Tests the page of two recordings: it has one time scale, one selected site, and the figures of
// `teff diff`.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '../src/base/format';
import type { Ns } from '../src/base/time';
import { pairOf } from '../test/pair';
import { openBrowser, openPage, writePage } from './browser';

const pair = pairOf();
const path = writePage(JSON.stringify(pair));

let browser: Browser;
let page: Page;
let errors: string[];
beforeAll(async () => {
  browser = await openBrowser();
  ({ page, errors } = await openPage(browser, path));
});
afterAll(() => browser.close());
beforeEach(async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.evaluate(() => {
    const { store, before } = window.teffPair!;
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    store.before.select(undefined);
    store.after.select(undefined);
    store.choose(undefined);
    store.before.focus(undefined);
    store.query.set('');
    before.timeline.root.querySelector('.surface')!.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }));
  });
});
afterEach(() => expect(errors.splice(0)).toEqual([]));

const shown = () =>
  page.evaluate(() => [window.teffPair!.before.timeline.shown(), window.teffPair!.after.timeline.shown()]);
const chosen = () =>
  page.evaluate(() => {
    const { store } = window.teffPair!;
    return [store.before.site.value, store.site.value, store.after.site.value];
  });
const row = (name: string) => page.locator('.site-table tbody tr', { hasText: name });
const press = (name: string) => row(name).getByRole('button').click();

describe.each([360, 768, 1280, 3840])('on a page %d pixels wide', (width) => {
  it('both recordings are shown, with the wall times and the speed-up on the first screen', async () => {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
    for (const view of ['.strip', '.timeline']) {
      const boxes = await page
        .locator(`.pair .side ${view} canvas`)
        .evaluateAll((all) => [...new Set(all.map((canvas) => JSON.stringify(canvas.getBoundingClientRect())))]);
      const [before, after, ...others] = boxes.map((box) => JSON.parse(box) as DOMRect);
      expect(others).toEqual([]);
      expect(after!.width).toBe(before!.width);
      expect(after!.left).toBe(before!.left);
      expect(after!.top).toBeGreaterThanOrEqual(before!.bottom);
      expect(before!.width).toBeGreaterThan(width * 0.7);
      expect(before!.height).toBeGreaterThan(40);
    }
    const { wall } = pair.diff;
    for (const figure of [
      `${formatTime(wall.before_ns as Ns)} → ${formatTime(wall.after_ns as Ns)}`,
      (wall.before_ns / wall.after_ns).toFixed(2),
    ]) {
      const box = (await page.locator('.run dd', { hasText: figure }).first().boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    const wider = (name: string) =>
      page.locator(name).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect([await wider('html'), await wider('.pair')]).toEqual([0, 0]);
  });
});

describe('time', () => {
  it('has one scale, at first and after any move', async () => {
    const [all, other] = await shown();
    expect(other).toBe(all);
    const { before, after } = pair;
    expect(all).toBeGreaterThanOrEqual(Math.max(before.run.wall_ns, after.run.wall_ns));
    const second = page.locator('.side.after .timeline .surface');
    await second.focus();
    await page.keyboard.press('+');
    await expect.poll(shown).toEqual([expect.closeTo(all! / 1.5), expect.closeTo(all! / 1.5)]);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.keyboard.press('-');
    await expect.poll(shown).toEqual([expect.closeTo(all!), expect.closeTo(all!)]);
    await page.locator('.side.before .timeline .surface').hover();
    await page.mouse.wheel(0, -600);
    await expect.poll(async () => (await shown())[1]).toBeLessThan(all! / 2);
    await expect.poll(async () => ((a) => a[0]! - a[1]!)(await shown())).toBe(0);
    await page.setViewportSize({ width: 1000, height: 800 });
    await expect.poll(async () => ((a) => a[0]! - a[1]!)(await shown())).toBe(0);
    await page.keyboard.press('0');
  });

  it('is selected in both, and in the address', async () => {
    const strip = (await page.locator('.side.after .strip .sheet').boundingBox())!;
    const middle = strip.y + strip.height / 2;
    await page.mouse.move(strip.x + strip.width * 0.25, middle);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width * 0.5, middle, { steps: 4 });
    await page.mouse.up();
    const ranges = await page.locator('.strip .range').allInnerTexts();
    expect(ranges[0]).toMatch(/ to /);
    expect(ranges[1]).toBe(ranges[0]);
    await expect.poll(async () => (await shown())[0]! / (await shown())[1]!).toBe(1);
    expect(page.url()).toMatch(/#range=\d+-\d+$/);
  });
});

describe('a site', () => {
  it('that is selected in the table is selected in both recordings, and in their sources', async () => {
    await press('sort.c:12 → sort.c:14');
    expect(await chosen()).toEqual([2, 0, 3]);
    expect(page.url()).toMatch(/#site=0$/);
    const lines = page.locator('.source .line.chosen .number');
    expect(await lines.allTextContents()).toEqual(['12', '14']); // which may not be drawn yet
    await press('sort.c:12 → sort.c:14');
    expect(await chosen()).toEqual([undefined, undefined, undefined]);
    expect(page.url()).not.toContain('#');
  });

  it('that is selected in the source of one is selected in the other and in the table', async () => {
    const source = page.locator('.side.after .source');
    await source.getByLabel('File').selectOption({ label: 'sort.c' });
    await source.getByRole('button', { name: /^Line 12:/ }).click();
    expect(await chosen()).toEqual([3, 1, 2]);
    expect(await page.locator('.site-table .chosen').innerText()).toContain('sort.c:14 → sort.c:12');
  });

  it('that is selected by a click on a grain is selected in the other', async () => {
    const surface = page.locator('.side.before .timeline .surface');
    const grain = await page.evaluate(() => {
      const { model } = window.teffPair!.store.before;
      const of = [...model.fragment.grain.keys()].filter((row) => model.grain.site[model.fragment.grain[row]!] === 3);
      const length = (row: number) => model.fragment.end[row]! - model.fragment.start[row]!;
      const longest = of.reduce((a, b) => (length(b) > length(a) ? b : a));
      const { start, end, worker } = model.fragment;
      return { time: (start[longest]! + end[longest]!) / 2, worker: worker[longest]! };
    });
    const box = (await surface.boundingBox())!;
    const x = (grain.time / (await shown())[0]!) * box.width;
    await surface.click({ position: { x, y: 26 + 20 * grain.worker } });
    expect(await chosen()).toEqual([3, 1, 2]);
  });

  it('without a counterpart is said to have none', async () => {
    await press('count_words (only before)');
    expect(await chosen()).toEqual([5, 2, undefined]);
    expect(await row('count_words').innerText()).toContain('no counterpart');
  });

  it('is stepped to and cleared with keys, and found by its words', async () => {
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    expect(await chosen()).toEqual([3, 1, 2]);
    await page.keyboard.press('p');
    expect(await chosen()).toEqual([2, 0, 3]);
    await page.keyboard.press('Escape');
    expect(await chosen()).toEqual([undefined, undefined, undefined]);
    await page.keyboard.press('/');
    await page.keyboard.type('words');
    expect(await page.locator('.site-table tbody tr').count()).toBe(1);
    await page.keyboard.press('Escape');
  });
});

describe('what is said', () => {
  it('are the figures of the comparison, with how far to trust them', async () => {
    const cells = await row('sort.c:12 → sort.c:14').locator('td').allInnerTexts();
    const { work, count_before, count_after } = pair.diff.sites[0]!;
    expect(cells.slice(0, 4)).toEqual([
      String(count_before),
      String(count_after),
      formatTime(work.before_ns as Ns),
      formatTime(work.after_ns as Ns),
    ]);
    expect(cells[4]).toContain(`${Math.abs((work.ratio! - 1) * 100).toFixed(1)} %`);
    expect(cells[4]).toContain('more than noise');
    const totals = page.locator('.totals tbody tr');
    expect(await totals.allInnerTexts()).toHaveLength(2);
    expect(await totals.nth(1).innerText()).toMatch(/nothing ready\s+2.00 us\s+1.90 us\s+−5.0 %\s+noise \(p 0.25\)/);
    expect(await page.locator('.pair .notes').innerText()).toContain('5 against 1 runs');
    expect(await page.locator('.joined').innerText()).toContain('20 of 25 grains after have a counterpart');
    expect(await page.locator('.side.before h2').first().innerText()).toContain('the median of 5 runs');
  });

  it('has both budgets on one scale', async () => {
    const bars = await page.locator('.pair .budget').evaluateAll((all) => all.map((bar) => bar.clientWidth));
    const [before, after] = [pair.before.answers.whole_ns, pair.after.answers.whole_ns];
    expect(bars[0]! / bars[1]!).toBeCloseTo(before / after, 1);
  });

  it('is the same from its address', async () => {
    const { page: other } = await openPage(browser, path, '#site=1&range=1000-50000');
    expect(await other.locator('.site-table .chosen').innerText()).toContain('sort.c:14 → sort.c:12');
    expect(await other.locator('.strip .range').allInnerTexts()).toEqual(Array(2).fill('1.00 us to 50.0 us: 49.0 us'));
    await other.close();
  });
});

describe('each recording', () => {
  it('has a page of its own with all views, and the way back', async () => {
    const { page: other, errors: ofOther } = await openPage(browser, path);
    await other.locator('.side.after h2 a').first().click();
    await other.waitForFunction(() => window.teff);
    expect(await other.locator('h1').innerText()).toContain('after.teff');
    expect(await other.locator('.tabs').count()).toBe(1);
    await other.getByRole('link', { name: 'show both' }).click();
    await other.waitForFunction(() => window.teffPair);
    expect(ofOther).toEqual([]);
    await other.close();
  });
});

it('draws in the colours of a dark page', async () => {
  const paint = () => page.evaluate(() => [...window.teffPair!.after.timeline.colours()]);
  const light = await paint();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(paint).not.toEqual(light);
});
