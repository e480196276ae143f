// SPDX-License-Identifier: Apache-2.0
// Tests in a browser how the parts of the page stand: what must not move, be cut or be too small.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { demo } from '../test/program';
import { viewModel } from '../test/sample';
import { REGION_IN_ROUNDS } from '../test/whole';
import { openBrowser, openPage, writePage } from './browser';

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/** A program with a region in rounds, and with more sites than fit. */
function written(): string {
  const model = viewModel(demo(400));
  model.run.wall_ns = 20_000;
  model.whole.outline.row = [
    { ...REGION_IN_ROUNDS, kind: 'start', site: 0xffffffff, count: 1 },
    ...Array.from({ length: 40 }, (_, at) => ({ ...REGION_IN_ROUNDS, site: at % 5 })),
  ];
  return writePage(JSON.stringify(model));
}

let browser: Browser;
const path = written();
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function on(size: typeof WIDE, hash: string, look: (page: Page) => Promise<void>): Promise<void> {
  const { page, errors } = await openPage(browser, path, hash, size);
  await look(page);
  expect(errors).toEqual([]);
  await page.close();
}

it('keeps the tabs in their place, whichever is chosen', () =>
  on(WIDE, '', async (page) => {
    const tops = new Set<number>();
    for (const tab of await page.locator('.tabs button:visible').all()) {
      await tab.click();
      tops.add((await page.locator('.tabs').boundingBox())!.y);
      expect(await page.locator('.answers .verdict').isVisible()).toBe(true);
    }
    expect(tops.size).toBe(1);
  }));

it.each([WIDE, { width: 1280, height: 800 }])('cuts no words beside the strip on a screen of %o', (size) =>
  on(size, '', async (page) => {
    const over = () =>
      page.evaluate(() => {
        const head = document.querySelector('.strip .head')!;
        return [head, head.querySelector('.caption')!].map((node) => node.scrollHeight - node.clientHeight);
      });
    const longest = () =>
      page.evaluate(() => {
        document.querySelector('.strip .caption')!.textContent =
          '0.26 of 2 on 1 processor on average, fewer than 1 for 83.5 % of the time; ' +
          'paler: 0.77 more in grains that stood still: no processor, or recorder at work';
      });
    await longest();
    expect(await over()).toEqual([0, 0]);
    await page.evaluate(() => {
      const { store } = window.teff!;
      store.focus({ start: (store.end * 0.25) as never, end: (store.end * 0.5) as never });
    });
    await longest();
    expect(await over()).toEqual([0, 0]);
    expect(await page.locator('.strip .range').isVisible()).toBe(true);
  }),
);

it('keeps the offsets of functions where names have little room, and marks nothing without a range', async () => {
  const model = viewModel(demo(400));
  const name = 'a_kernel_with_a_long_name_that_is_cut (module of_the_kernel) at a_program+0x';
  for (const [at, site] of model.sites.entries()) Object.assign(site, { file: '', line: 0, function: `${name}${at}f` });
  model.sites[1]!.kind = 'sync';
  model.run.wall_ns = 20_000;
  model.whole.outline.row = [
    { ...REGION_IN_ROUNDS, depth: 0, site: 0 },
    ...[1, 2, 3].map((site) => ({ ...REGION_IN_ROUNDS, kind: 'phase', depth: 1 + site, site })),
  ];
  for (const size of [WIDE, NARROW]) {
    const { page, errors } = await openPage(browser, writePage(JSON.stringify(model)), '#view=outline', size);
    for (const row of (await page.locator('.outline tbody tr').all()).slice(1)) {
      const [cell, offset] = [row.locator('th'), row.locator('.offset')];
      expect(await offset.isVisible()).toBe(true);
      const [outer, inner] = [(await cell.boundingBox())!, (await offset.boundingBox())!];
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
    }
    await page.goto(`${page.url().split('#')[0]}#view=sites`);
    expect(await page.locator('.site-table .whole-run').count()).toBeGreaterThan(0);
    expect(await page.locator('.site-table .whole-run:visible').count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  }
});

it('has the strip of parallelism on the axis of the time line', () =>
  on(WIDE, '', async (page) => {
    const [strip, line] = await Promise.all(
      ['.strip .sheet', '.timeline .surface'].map((name) => page.locator(name).boundingBox()),
    );
    expect(Math.abs(strip!.x - line!.x)).toBeLessThan(1);
    expect(Math.abs(strip!.width * 1.005 - line!.width)).toBeLessThan(2);
  }));

it('keeps the button for help beside the figures', () =>
  on({ width: 1280, height: 800 }, '', async (page) => {
    const [button, title] = await Promise.all(
      ['header > button', '.title'].map((name) => page.locator(name).last().boundingBox()),
    );
    expect(button!.x).toBeGreaterThan(1200);
    expect(button!.y).toBeLessThan(title!.y + title!.height);
  }));

it('has no text below 12 pixels', () =>
  on(WIDE, '', async (page) => {
    const small = await page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((node) => node.checkVisibility() && [...node.childNodes].some((child) => child.nodeType === 3))
        .filter((node) => Number.parseFloat(getComputedStyle(node).fontSize) < 12)
        .map((node) => `${node.tagName}.${node.className}: ${node.textContent}`),
    );
    expect(small).toEqual([]);
  }));

it.each([
  ['outline', '.outline .scroll'],
  ['sites', '.site-table .scroll'],
])('does not fade the head of the table of %s', (view, box) =>
  on({ width: 1000, height: 600 }, `#view=${view}`, async (page) => {
    const scroll = page.locator(box);
    await scroll.evaluate((node) => node.scrollTo(0, 40));
    await expect.poll(() => scroll.getAttribute('data-more')).toContain('above');
    expect(await scroll.evaluate((node) => getComputedStyle(node).getPropertyValue('--above'))).toBe('0px');
  }),
);

it('has the waits of lines on a narrow page', () =>
  on(NARROW, '#view=source', async (page) => {
    const heads = await page.locator('.source .head > span:visible').allInnerTexts();
    expect(heads).toEqual(['Line', 'Work', 'Waits', 'Text']);
  }));

it('leaves names of sites room beside many columns on a narrow page', () =>
  on(NARROW, '#view=sites', async (page) => {
    const name = page.locator('.site-table tbody th').first();
    await name.evaluate((cell) => {
      for (let more = 0; more < 8; more++) cell.parentElement!.append(cell.nextElementSibling!.cloneNode(true));
    });
    expect((await name.boundingBox())!.width).toBeGreaterThan(120);
  }));

it.each([
  ['outline', '.outline tbody tr', [3, 4, 5]],
  ['sites', '.site-table tbody tr', [2, 3]],
] as const)('has figures of %s on a narrow page', (view, rows, columns) =>
  on(NARROW, `#view=${view}`, async (page) => {
    const row = page.locator(rows).first();
    for (const column of columns) {
      const cell = row.locator(`:nth-child(${column})`).first();
      expect(await cell.innerText()).not.toBe('');
      const { x, width } = (await cell.boundingBox())!;
      expect(x).toBeGreaterThan(0);
      expect(x + width).toBeLessThanOrEqual(NARROW.width);
    }
  }),
);
