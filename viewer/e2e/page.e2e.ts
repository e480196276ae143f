// SPDX-License-Identifier: Apache-2.0
// Tests the page in a browser, as a user sees it. TEFF_PAGE names a page that `teff view --html`
// made, to test it instead of a sample.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GrainRow, NONE } from '../src/model/ids';
import { column } from '../test/column';
import { demo, initial, stalled } from '../test/program';
import { viewModel } from '../test/sample';
import { REGION_IN_ROUNDS } from '../test/whole';
import { openBrowser, openPage, writePage, writeSample } from './browser';

const path = process.env.TEFF_PAGE ?? writeSample(demo(400));

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe('the page of a recording', () => {
  let page: Page;
  let errors: string[];

  beforeEach(async () => {
    ({ page, errors } = await openPage(browser, path));
  });
  afterEach(async () => {
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows the figures of the run', async () => {
    const figures = await page.locator('.run').innerText();
    for (const name of ['Wall time', 'Work', 'Span', 'Parallelism', 'Workers', 'Grains'])
      expect(figures).toContain(name);
    expect(await page.title()).toMatch(/ – Teff$/);
  });

  it('begins with what to change, where the time went and how far to trust that', async () => {
    expect(await page.locator('.answers .columns').isVisible()).toBe(true);
    const shares = await page.locator('.classes b').allInnerTexts();
    const sum = shares.reduce((all, share) => all + Number.parseFloat(share), 0);
    expect(Math.abs(sum - 100)).toBeLessThan(2);
    expect(await page.locator('.budget i').count()).toBe(shares.length);
    await page.locator('.answers > summary').click();
    expect(await page.locator('.answers .columns').isVisible()).toBe(false);
  });

  it('shows the speed-up that is predicted, each below its bound', async () => {
    const rows = page.locator('.speedup tbody tr:not(.reached)');
    expect(await rows.count()).toBeGreaterThan(2);
    expect(await page.locator('.speedup tr.recorded').count()).toBe(1);
    for (const row of await rows.all()) {
      const [bar, bound] = await Promise.all([row.locator('.bar').boundingBox(), row.locator('.bound').boundingBox()]);
      expect(bar!.x + bar!.width).toBeLessThanOrEqual(bound!.x + bound!.width + 1);
      expect(await row.getAttribute('title')).toContain('no schedule has a speed-up above');
    }
  });

  it.skipIf(process.env.TEFF_PAGE)('shows where a finding is', async () => {
    const finding = page.locator('.findings li').first();
    expect(await finding.locator('.remedy').isVisible()).toBe(true);
    expect(await finding.innerText()).toMatch(/tiny-tasks[\s\S]*Tasks of 200 ns[\s\S]*instead of creating a task/);
    await finding.getByRole('button').first().click();
    expect(await page.locator('.site-list button[aria-pressed=true]').count()).toBe(1);
    expect(await page.locator('.answers .notes').innerText()).toContain('Recording took');
  });

  it('draws graph and time line', async () => {
    for (const view of ['.graph', '.timeline'])
      await expect.poll(() => drawnPixels(page, view), { timeout: 10_000 }).toBeGreaterThan(200);
    const screenshot = await page.screenshot();
    expect(screenshot.length).toBeGreaterThan(10_000);
  });

  it('shows the figures of a grain that is clicked, and its address', async () => {
    const at = await showGrain(page, 1);
    await page.keyboard.press('Escape');
    expect(await page.locator('.panel h2').innerText()).toBe('Grain');
    await page.mouse.click(at.x, at.y);
    expect(await page.locator('.panel h2').innerText()).toMatch(/#1$/);
    const panel = await page.locator('.panel').innerText();
    for (const name of ['Work', 'Duration', 'Start', 'Creation cost', 'Wait', 'Worker', 'Children', 'Parent'])
      expect(panel).toContain(name);
    expect(new URL(page.url()).hash).toBe('#grain=1');
    const parent = page.locator('.panel').getByRole('button', { name: /#0$/ });
    await parent.click();
    expect(await page.locator('.panel h2').innerText()).toMatch(/#0$/);
  });

  it('opens at the grain that the address names', async () => {
    const { page: other } = await openPage(browser, path, '#grain=1');
    expect(await other.locator('.panel h2').innerText()).toMatch(/#1$/);
    await rest(other);
    const box = (await other.locator('.graph .surface').boundingBox())!;
    const at = await positionOf(other, 1);
    expect(at.x > box.x && at.x < box.x + box.width && at.y > box.y && at.y < box.y + box.height).toBe(true);
    await other.close();
  });

  it('selects a grain in the time line', async () => {
    const box = (await page.locator('.timeline .surface').boundingBox())!;
    // The first instant of the first worker is always some grain of the program's own thread.
    for (let x = 2; x < box.width && !page.url().includes('#grain='); x += 25)
      await page.mouse.click(box.x + x, box.y + 36);
    expect(page.url()).toContain('#grain=');
    expect(await page.locator('.panel h2').innerText()).toMatch(/#\d+$/);
  });

  it('finds sites, highlights one and steps through its grains', async () => {
    const name = (await page.locator('.site-list .name').first().innerText()).trim();
    await page.keyboard.press('/');
    await page.keyboard.type(name);
    const found = page.locator('.site-list button').first();
    expect(await found.locator('.name').innerText()).toBe(name);
    await found.click();
    expect(await page.locator('.site-list button[aria-pressed=true]').count()).toBe(1);
    await page.getByRole('button', { name: 'Next', exact: true }).first().waitFor();
    await page.locator('.stepper').getByRole('button', { name: 'Next' }).click();
    expect(await page.locator('.stepper span').innerText()).toMatch(/^1 of /);
    expect(page.url()).toMatch(/#grain=\d+&site=\d+/);
    await page.locator('.stepper').getByRole('button', { name: 'Clear' }).click();
    expect(await page.locator('.stepper').isHidden()).toBe(true);
  });

  it('zooms with wheel and keys, around the pointer, and back to all', async () => {
    await showGrain(page, 1);
    const spread = async () => {
      const [a, b] = [await positionOf(page, 0), await positionOf(page, 1)];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    const before = await positionOf(page, 1);
    const spreadBefore = await spread();
    await page.mouse.move(before.x, before.y);
    await page.mouse.wheel(0, -300);
    await expect.poll(spread, { timeout: 10_000 }).toBeGreaterThan(spreadBefore * 1.5);
    await rest(page);
    const after = await positionOf(page, 1);
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(4);
    await page.locator('.graph .surface').focus();
    await page.keyboard.press('ArrowRight');
    await rest(page);
    expect((await positionOf(page, 1)).x).toBeLessThan(after.x - 40);
    await page.keyboard.press('0');
    await rest(page);
    const { x, y } = await positionOf(page, 1);
    const box = (await page.locator('.graph .surface').boundingBox())!;
    expect(x > box.x && y > box.y && x < box.x + box.width && y < box.y + box.height).toBe(true);
    expect(await drawnPixels(page, '.graph')).toBeGreaterThan(200);
  });

  it('has a name for every control', async () => {
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select, [tabindex]')]
        .filter((node) => !(node.getAttribute('aria-label') || node.textContent?.trim()))
        .map((node) => node.outerHTML),
    );
    expect(unnamed).toEqual([]);
  });
});

it.each([
  ['no grains', () => withoutGrains()],
  ['one grain', () => viewModel(initial([{ work: 1000 }]))],
])('opens a recording of %s', async (_name, model) => {
  const { page, errors } = await openPage(browser, writePage(JSON.stringify(model())));
  await rest(page);
  await page.locator('.graph .surface').click();
  await page.keyboard.press('0');
  await rest(page);
  expect(await page.locator('.run').innerText()).toContain('Grains');
  expect(errors).toEqual([]);
  await page.close();
});

describe('a modelled run', () => {
  const model = viewModel(stalled(30));
  const file = writePage(
    JSON.stringify({ ...model, run: { ...model.run, modelled: 'toy', worker_names: ['core 0'] } }),
  );
  let page: Page;
  let errors: string[];

  beforeEach(async () => {
    ({ page, errors } = await openPage(browser, file));
  });
  afterEach(async () => {
    expect(errors).toEqual([]);
    await page.close();
  });

  it('is no measured one', async () => {
    expect(await page.locator('header .modelled').innerText()).toBe('modelled: toy');
    expect(await page.locator('.lane-names span').allInnerTexts()).toEqual([
      'core 0',
      'Worker 1',
      'Worker 2',
      'Worker 3',
    ]);
    const { page: measured } = await openPage(browser, path);
    expect(await measured.locator('header .modelled').count()).toBe(0);
    expect(await measured.getByLabel('Colour by').locator('option[value^=stall]').count()).toBe(0);
    await measured.close();
  });

  it('shows by colour how long grains waited for memory', async () => {
    const colours = () => page.evaluate(() => [...window.teff!.timeline.colours()]);
    const before = await colours();
    const colour = page.getByLabel('Colour by');
    await colour.selectOption('stall-share');
    expect(page.url()).toContain('colour=stall-share');
    expect(await page.locator('.legend').innerText()).toContain('Waits for memory: 0 to 100 % of its work');
    expect((await colours()).length).toBeGreaterThan(before.length + 20);
    await page.evaluate(() => window.teff!.store.goTo(30 as GrainRow));
    expect(await page.locator('.panel').innerText()).toMatch(/Memory\s+[\d.]+ us, 100 %/);
    await colour.selectOption('kind');
    expect(await colours()).toEqual(before);
    expect(page.url()).not.toContain('colour=');
  });

  it('is compared with another one on the scales that its address names', async () => {
    const { page: other } = await openPage(browser, file, '#colour=stall-time&stall=9000&span=800000');
    expect(await other.getByLabel('Colour by').inputValue()).toBe('stall-time');
    expect(await other.locator('.legend').innerText()).toContain('Waits for memory: 0 to 9.00 us');
    const shown = (of: Page) => of.evaluate(() => window.teff!.timeline.shown());
    expect(await shown(other)).toBeGreaterThan(800_000);
    expect(await shown(page)).toBeLessThan(400_000);
    await other.getByLabel('Colour by').selectOption('kind');
    expect(other.url()).toMatch(/#stall=9000&span=800000$/);
    await other.close();
  });
});

describe('a page that cannot show its recording', () => {
  it.each([
    ['is cut short', '{"version": 2', /not JSON/],
    ['is of another version', '{"version": 99}', /version 99/],
  ])('says so when the data %s', async (_name, data, message) => {
    const { page } = await openPage(browser, writePage(data));
    expect(await page.locator('.problem').innerText()).toMatch(message);
    await page.close();
  });

  it('says so when there is no data', async () => {
    const { page } = await openPage(browser, writePage(''));
    expect(await page.locator('.problem').innerText()).toMatch(/holds no recording/);
    await page.close();
  });

  it('shows figures and sites where there is no WebGL2', async () => {
    const without = await openBrowser(['--disable-3d-apis']);
    const { page } = await openPage(without, path);
    expect(await page.locator('.graph .no-webgl').innerText()).toContain('no WebGL2');
    expect(await page.locator('.site-list button').count()).toBeGreaterThan(0);
    await without.close();
  });
});

function withoutGrains() {
  const model = viewModel(initial([]));
  for (const table of [model.grain, model.fragment, model.item, model.idle])
    for (const entry of Object.values(table)) entry.data = '';
  return { ...model, item_start: column('u32', [0]) };
}

async function positionOf(page: Page, grain: number): Promise<{ x: number; y: number }> {
  const box = (await page.locator('.graph .surface').boundingBox())!;
  const at = await page.evaluate((g) => window.teff!.graph.positionOf(g as GrainRow), grain);
  return { x: box.x + at.x, y: box.y + at.y };
}

/** Waits until the graph has come to rest where it was sent: at least one frame after the last input. */
async function rest(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
  await page.waitForFunction(() => !window.teff!.graph.moving, undefined, { timeout: 20_000 });
}

/** Goes to a grain and returns where it is on the page once the view has come to rest. */
async function showGrain(page: Page, grain: number): Promise<{ x: number; y: number }> {
  await page.evaluate((g) => window.teff!.store.goTo(g as GrainRow), grain);
  await rest(page);
  return positionOf(page, grain);
}

/** Pixels of a view's drawing that differ from its first one. */
function drawnPixels(page: Page, view: string): Promise<number> {
  return page.evaluate((selector) => {
    const canvas = document.querySelector<HTMLCanvasElement>(`${selector} canvas`)!;
    const copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    const context = copy.getContext('2d')!;
    context.drawImage(canvas, 0, 0);
    const words = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    return words.reduce((count, word) => count + (word === words[0] ? 0 : 1), 0);
  }, view);
}

it('has its head, its tabs and its legend whole on a screen of 390 pixels', async () => {
  const { page, errors } = await openPage(browser, path, '', { width: 390, height: 844 });
  const inside = (selector: string) =>
    page.locator(selector).evaluateAll((all) =>
      all.every((node) => {
        const { left, right, bottom } = node.getBoundingClientRect();
        return left >= 0 && right <= innerWidth && bottom <= innerHeight;
      }),
    );
  for (const selector of ['.run > div', '.tabs button', '.findings .head']) expect(await inside(selector)).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.locator('.tabs button', { hasText: 'Graph' }).click();
  for (const selector of ['.tabs button', '.legend select', '.legend li']) expect(await inside(selector)).toBe(true);
  expect(await page.locator('.legend').getAttribute('data-more')).toBe('');
  expect(errors).toEqual([]);
  await page.close();
});

it('shows that the answers go on where they do not fit', async () => {
  const { page } = await openPage(browser, path, '', { width: 390, height: 500 });
  const answers = page.locator('.answers');
  expect(await answers.getAttribute('data-more')).toContain('below');
  await answers.evaluate((node) => node.scrollTo(0, node.scrollHeight));
  await expect.poll(() => answers.getAttribute('data-more')).toBe('above');
  await page.close();
});

it('opens a program without tasks on what it is made of', async () => {
  const model = viewModel(demo(200));
  for (const site of model.sites) if (site.kind === 'task') site.kind = 'implicit';
  model.whole.outline.row = [
    { ...REGION_IN_ROUNDS, kind: 'repeat', site: NONE },
    { ...REGION_IN_ROUNDS, depth: 1 },
    { ...REGION_IN_ROUNDS, depth: 2, kind: 'loop', site: 4, count: 3200, wall_ns: 0, classes: [] },
  ];
  const { page, errors } = await openPage(browser, writePage(JSON.stringify(model)));
  expect(await page.locator('.tabs [aria-selected=true]').innerText()).toBe('Program');
  expect(await page.locator('.outline tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/^100 rounds of/),
    expect.stringMatching(/^sort\.c:12 sort/),
    expect.stringMatching(/^loop scale\.c:58 scale/),
  ]);
  const colours = await page
    .locator('.outline .budget')
    .first()
    .locator('i')
    .evaluateAll((parts) => parts.map((part) => getComputedStyle(part).backgroundColor));
  expect(new Set(colours).size).toBe(2);
  await page.locator('.outline .link').first().click();
  expect(page.url()).toContain('site=2');
  await page.keyboard.press('2');
  expect(await page.locator('.graph .surface').isVisible()).toBe(true);
  expect(errors).toEqual([]);
  await page.close();
});
