// SPDX-License-Identifier: Apache-2.0
// Tests the views other than graph and time line, and the selection that they share: one time range
// and one site.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrainRow, SiteId } from '../src/model/ids';
import { column } from '../test/column';
import { demo, randomNumbers, siblings } from '../test/program';
import { viewModel } from '../test/sample';
import { openBrowser, openPage, writePage, writeSample } from './browser';

const path = writeSample(demo(400));

let browser: Browser;
let page: Page;
let errors: string[];
beforeAll(async () => {
  browser = await openBrowser();
  ({ page, errors } = await openPage(browser, path));
});
afterAll(() => browser.close());
/** One page for all tests: opening it takes longer than most of them. */
beforeEach(async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.evaluate(() => {
    const { store } = window.teff!;
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    document.querySelector('dialog')?.close();
    store.clear();
    store.select(undefined);
    store.view.set(undefined);
    store.query.set('');
    store.colour('kind');
    for (const surface of document.querySelectorAll('.surface'))
      surface.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }));
  });
});
afterEach(() => expect(errors.splice(0)).toEqual([]));

/** The boxes that can be scrolled, and do not show that there is more of them. */
const withoutSign = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('#app *')]
      .filter((box) => {
        const { overflowX, overflowY } = getComputedStyle(box);
        const scrolls = (how: string, more: number) => (how === 'auto' || how === 'scroll') && more > 2;
        const more = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight] as const;
        return (scrolls(overflowX, more[0]) || scrolls(overflowY, more[1])) && !box.dataset.more;
      })
      .map(({ className }) => className),
  );

describe.each([360, 768, 1280, 3840])('on a page %d pixels wide', (width) => {
  it('has all views within its width', async () => {
    const height = width < 500 ? 740 : 900;
    await page.setViewportSize({ width, height });
    const buttons = page.locator('.tabs button:visible');
    // The sample has no dependences, so their tab is hidden.
    expect(await buttons.count()).toBe(width > 760 ? 6 : 9);
    for (const tab of await buttons.all()) {
      await tab.click();
      expect(await tab.getAttribute('aria-selected')).toBe('true');
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
      expect(await beyond(page)).toEqual([]);
      expect(await withoutSign(page)).toEqual([]);
      const tabs = (await page.locator('.tabs').boundingBox())!;
      if (width <= 760) expect(tabs.y + tabs.height).toBe(height);
    }
  });
});

describe('the time line', () => {
  it('shows the whole run at any size of the page, and what was zoomed to in its scale', async () => {
    const surface = page.locator('.timeline .surface');
    const measure = () =>
      surface.evaluate((node) => [window.teff!.timeline.shown(), node.querySelector('canvas')!.width]);
    await surface.hover();
    await page.mouse.move(0, 0);
    const [all, width] = (await measure()) as [number, number];
    await page.setViewportSize({ width: 1600, height: 800 });
    await expect.poll(async () => (await measure())[1]).toBeGreaterThan(width);
    await expect.poll(async () => (await measure())[0]).toBeCloseTo(all);
    const wider = (await measure())[1]!;
    await surface.press('+');
    const [zoomed] = (await measure()) as [number];
    expect(zoomed).toBeLessThan(all);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(async () => (await measure())[0]).toBeCloseTo((zoomed * width) / wider);
  });
});

describe('the strip of parallelism', () => {
  it('selects the time range of all views', async () => {
    await brush(page, 0.25, 0.5);
    const range = await page.evaluate(() => window.teff!.store.range.value!);
    const all = await page.evaluate(() => window.teff!.store.end);
    expect(range.start / all).toBeCloseTo(0.25, 1);
    expect(range.end / all).toBeCloseTo(0.5, 1);
    await expect.poll(() => page.evaluate(() => window.teff!.timeline.shown())).toBeCloseTo(range.end - range.start);
    expect(page.url()).toMatch(/#range=\d+-\d+$/);
    expect(await page.locator('.stepper').innerText()).toMatch(/grains/);
    const { page: other } = await openPage(browser, path, new URL(page.url()).hash);
    expect(await other.locator('.strip .range').innerText()).toBe(await page.locator('.strip .range').innerText());
    const shown = await other.evaluate(() => window.teff!.timeline.shown());
    expect(shown / (range.end - range.start)).toBeCloseTo(1, 1);
    await other.close();
    await page.getByRole('button', { name: 'Whole run', exact: true }).click();
    expect(page.url()).not.toContain('range=');
    await expect.poll(() => page.evaluate(() => window.teff!.timeline.shown())).toBeGreaterThan(all);
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

  it('says how many workers were at work', async () => {
    expect(await page.locator('.strip .caption').innerText()).toMatch(/^[\d.]+ of \d+ on average/);
    await page.locator('.strip .sheet').hover({ position: { x: 200, y: 30 } });
    expect(await page.locator('.strip .caption').innerText()).toMatch(
      /workers at work, .* in grains; .* tasks created and not begun/,
    );
  });
});

it('follows the colours of the system', async () => {
  const ground = () =>
    page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.strip canvas')!;
      return [...canvas.getContext('2d')!.getImageData(canvas.width - 3, 3, 1, 1).data].slice(0, 3);
    });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expect.poll(async () => (await ground())[0]).toBeGreaterThan(200);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(async () => (await ground())[0]).toBeLessThan(60);
});

it('zooms with two fingers', async () => {
  const shown = () => page.evaluate(() => window.teff!.timeline.shown());
  const before = await shown();
  await page.evaluate(() => {
    const surface = document.querySelector<HTMLElement>('.timeline .surface')!;
    surface.setPointerCapture = () => {};
    const { left, top } = surface.getBoundingClientRect();
    const send = (type: string, pointerId: number, x: number) =>
      surface.dispatchEvent(new PointerEvent(type, { pointerId, clientX: left + x, clientY: top + 40, button: 0 }));
    for (const [finger, x] of [1, 2].map((finger) => [finger, 300 + finger * 50] as const))
      send('pointerdown', finger, x);
    send('pointermove', 2, 500);
    for (const finger of [1, 2]) send('pointerup', finger, 500);
  });
  expect(before / (await shown())).toBeCloseTo(3, 1);
  expect(page.url()).not.toContain('grain=');
});

describe('keys', () => {
  it('choose views, show themselves, and move the time line', async () => {
    await page.keyboard.press('3');
    expect(page.url()).toContain('view=flame');
    await page.keyboard.press('2');
    await page.keyboard.press('?');
    expect(await page.locator('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog').isVisible()).toBe(false);
    const before = await page.evaluate(() => window.teff!.timeline.shown());
    await page.keyboard.press('w');
    await expect.poll(() => page.evaluate(() => window.teff!.timeline.shown())).toBeLessThan(before * 0.8);
  });
});

describe('the flame view', () => {
  beforeEach(() => page.keyboard.press('3'));

  it('shows all work, zooms to a path and selects its site', async () => {
    const work = await page
      .locator('.run div:has(dt:text-is("Work")) dd')
      .evaluate((figure) => figure.firstChild!.textContent);
    expect(await page.locator('.flame .path').innerText()).toContain(`${work} work in all`);
    await page.locator('.flame .sheet').click({ position: { x: 40, y: 33 } });
    expect(await page.locator('.flame .path .link').count()).toBe(2);
    expect(page.url()).toMatch(/#site=\d+&view=flame$/);
    expect(await page.locator('.site-list button[aria-pressed=true]').count()).toBe(1);
    await page.locator('.flame').getByRole('button', { name: 'All' }).click();
    expect(page.url()).not.toContain('site=');
  });

  it('is walked by keys', async () => {
    await page.locator('.flame .sheet').focus();
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    expect(await page.locator('.flame .path .link').count()).toBe(2);
    expect(await page.locator('.flame .sheet').getAttribute('aria-label')).toMatch(/work, .* with what they created/);
    await page.keyboard.press('Backspace');
    expect(await page.locator('.flame .path .link').count()).toBe(1);
  });
});

describe('the table of sites', () => {
  beforeEach(() => page.keyboard.press('4'));

  it('sorts, searches and selects', async () => {
    const cells = page.locator('.site-table tbody tr td:nth-child(2)');
    await page.locator('.site-table thead').getByRole('button', { name: 'Count' }).click();
    const counts = (await cells.allInnerTexts()).map(Number);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    await page.keyboard.press('/');
    await page.keyboard.type('scale.c loop');
    expect(await page.locator('.site-table tbody tr').count()).toBe(1);
    await page.locator('.site-table tbody .link').click();
    expect(page.url()).toMatch(/site=4/);
    expect(await page.locator('.site-table tr.chosen').count()).toBe(1);
  });

  it('has a histogram of all grains of a site', async () => {
    const row = page.locator('.site-table tbody tr', { hasText: 'sort.c:12' });
    const count = await row.locator('td').first().innerText();
    expect(await row.locator('svg').getAttribute('aria-label')).toMatch(
      new RegExp(`^${count} grains of .*half of them`),
    );
    expect(await row.locator('svg rect').count()).toBeGreaterThan(3);
  });

  it('follows the time range', async () => {
    const counts = page.locator('.site-table tbody tr td:nth-child(2)');
    const before = (await counts.allInnerTexts()).map(Number);
    await brush(page, 0.02, 0.05);
    const after = (await counts.allInnerTexts()).map(Number);
    const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
    expect(sum(after)).toBeLessThan(sum(before));
    expect(await page.locator('.site-table .viewbar').innerText()).toContain('in the selected time range');
  });
});

describe('the source view', () => {
  beforeEach(() => page.keyboard.press('7'));

  it('shows the text with the costs of its lines, and selects what stands on one', async () => {
    await page.getByLabel('File', { exact: true }).selectOption({ label: 'sort.c' });
    const line = page.locator('.source .cost', { hasText: '#pragma omp task' });
    expect(await line.locator('code').innerText()).toBe('#pragma omp task // <b>no markup</b>');
    const shown = await page.evaluate(() => {
      const site = window.teff!.store.model.sites.findIndex(({ line }) => line === 12);
      return { count: window.teff!.store.model.sites[site]!.count, site };
    });
    expect(await line.locator('.figure').nth(1).innerText()).toBe(String(shown.count));
    await line.getByRole('button').click();
    expect(page.url()).toContain(`site=${shown.site}`);
    expect(await page.locator('.source .chosen').count()).toBe(1);
  });

  it('follows the selected site to its file, and says why that is not shown', async () => {
    await page.evaluate(() => window.teff!.store.highlight(4 as SiteId));
    expect(await page.getByLabel('File', { exact: true }).locator('option:checked').innerText()).toBe('scale.c');
    expect(await page.locator('.source .note').innerText()).toContain('does not exist');
    expect(await page.locator('.source .chosen code').innerText()).toBe('scale');
    await page.keyboard.press('2');
    await page.locator('.findings').getByRole('button', { name: 'source' }).first().click();
    expect(page.url()).toMatch(/site=1&view=source/);
    expect(await page.locator('.source .chosen').count()).toBe(1);
  });
});

describe('the view of loops', () => {
  it('shows chunks, workers and costs, and selects a chunk', async () => {
    await page.keyboard.press('5');
    expect(await page.locator('.loops .viewbar').innerText()).toMatch(
      /schedule\(dynamic, 64\), 4 threads, .* iterations in \d+ chunks, .* work; the longest chunk/,
    );
    const shares = (await page.locator('.workers li').allInnerTexts()).map((text) =>
      Number(/\((\d+) %\)/.exec(text)![1]),
    );
    expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100)).toBeLessThan(3);
    const box = (await page.locator('.loops .sheet').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height - 30);
    expect(await page.locator('.panel h2').innerText()).toMatch(/^Loop chunk/);
    expect(await page.locator('.panel').innerText()).toContain('Iterations');
  });
});

describe('problems and colours', () => {
  it('shows the grains of one problem, the worst first, and dims the rest', async () => {
    await page.getByLabel('Show', { exact: true }).selectOption('wait');
    expect(page.url()).toContain('problem=wait');
    expect(await page.locator('.legend').innerText()).toContain('Long waits, mild to worst');
    await page.keyboard.press('n');
    const [selected, longest] = await page.evaluate(() => {
      const { store } = window.teff!;
      const { wait } = store.model.grain;
      return [wait[store.selected.value!], Math.max(...wait)];
    });
    expect(selected).toBe(longest);
    for (let times = 0; times < 2; times++) await page.keyboard.press('Escape');
    expect(page.url()).not.toContain('problem=');
  });

  it.each(['site', 'worker', 'work', 'wait', 'creation', 'benefit'])('colours by %s', async (by) => {
    await page.getByLabel('Colour by').selectOption(by);
    expect(page.url()).toContain(`colour=${by}`);
    const colours = await page.evaluate(() => window.teff!.timeline.colours().size);
    const workers = await page.evaluate(() => window.teff!.store.model.run.workers);
    if (by === 'worker') expect(colours).toBe(workers);
    else expect(colours).toBeGreaterThan(2);
    expect(await page.locator('.legend').innerText()).not.toContain('Implicit or initial task');
  });
});

describe('the view of dependences', () => {
  /** Tasks beside each other, each behind the one before. */
  const chainOf = (tasks: number): string => {
    const json = viewModel(siblings(tasks, randomNumbers(5)));
    const numbers = Array.from({ length: tasks - 1 }, (_, at) => at + 1);
    const sums = { count: tasks - 1, tasks, levels: tasks, width: column('f32', [1, 1, 1]) };
    return writePage(
      JSON.stringify({
        ...json,
        edge: {
          from: column('u32', numbers),
          to: column(
            'u32',
            numbers.map((from) => from + 1),
          ),
        },
        whole: { ...json.whole, dependences: { ...sums, pairs: [{ from: 5, to: 5, count: tasks - 1 }] } },
      }),
    );
  };

  it('shows a chain as a chain', async () => {
    const { page: chain, errors: own } = await openPage(browser, chainOf(12), '#view=dependences');
    expect(await chain.locator('.dependences').innerText()).toContain(
      '11 dependences between 12 tasks, 12 on the longest chain; at most 1 in one layer',
    );
    const box = (await chain.locator('.dependences .sheet').boundingBox())!;
    const at = await chain.evaluate(() => window.teff!.dependences.positionOf(5 as GrainRow));
    await chain.mouse.click(box.x + at.x, box.y + at.y);
    expect(await chain.locator('.panel h2').innerText()).toMatch(/#5$/);
    expect(await chain.locator('.panel').innerText()).toMatch(/Depends on\s+1 grain\s+Needed by\s+1 grain/);
    expect(own).toEqual([]);
    await chain.close();
  });

  it('shows sums of many tasks, and the tasks near a selected one', async () => {
    const { page: many, errors: own } = await openPage(browser, chainOf(2600), '#view=dependences');
    expect(await many.locator('.dependences').innerText()).toContain('these are sums');
    expect(await many.locator('.pairs').innerText()).toMatch(/2.599\s*count_words → count_words/);
    expect(await many.locator('.dependences .sheet').isVisible()).toBe(false);
    await many.evaluate(() => window.teff!.store.select(100 as GrainRow));
    expect(await many.locator('.dependences .sheet').isVisible()).toBe(true);
    expect(await many.evaluate(() => window.teff!.dependences.drawn().length)).toBe(200);
    expect(own).toEqual([]);
    await many.close();
  });

  it('says where there are none', async () => {
    await page.keyboard.press('6');
    expect(await page.locator('.dependences').innerText()).toMatch(/^No task of this run depended/);
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
