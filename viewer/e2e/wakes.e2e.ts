// SPDX-License-Identifier: Apache-2.0
// Tests how the page shows wake-ups, as arrows and in words, and the cores on which grains ran.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ns } from '../src/base/time';
import type { CoreId } from '../src/model/ids';
import { demo } from '../test/program';
import { MOVED, viewModel } from '../test/sample';
import { openBrowser, openPage, writePage, writeSample } from './browser';

const path = writeSample(demo(400));
const NOBODY = 0xffff;

let browser: Browser;
let page: Page;
let errors: string[];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  ({ page, errors } = await openPage(browser, path));
  await page.emulateMedia({ reducedMotion: 'reduce' });
});
afterEach(async () => {
  expect(errors).toEqual([]);
  await page.close();
});

/** The arrows of the next frame, and how wide the time line is. */
const arrows = () =>
  page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    const { width, left, top } = document.querySelector('.timeline .surface')!.getBoundingClientRect();
    return { arrows: [...window.teff!.timeline.arrows()], width, left, top };
  });

/** A grain that its worker began right after it was woken, and the row of that idle time. */
const woken = () =>
  page.evaluate(() => {
    const { idle, grain, fragment } = window.teff!.store.model;
    for (let row = 0; row < idle.worker.length; row++) {
      if (idle.woken_by[row] === 0xffff) continue;
      for (let f = 0; f < fragment.start.length; f++) {
        const g = fragment.grain[f]!;
        const isNext = fragment.worker[f] === idle.worker[row] && fragment.start[f] === idle.end[row];
        if (isNext && grain.start[g] === idle.end[row] && grain.worker[g] === idle.worker[row])
          return { grain: g, row, by: idle.woken_by[row]!, end: idle.end[row]!, start: idle.start[row]! };
      }
    }
    throw new Error('the sample has none');
  });

describe('wake-ups', () => {
  it('are no carpet, and all there when there is room', async () => {
    const far = await arrows();
    expect(far.arrows.length * 12).toBeLessThanOrEqual(far.width);
    const { end, start } = await woken();
    await page.evaluate(
      ([from, to]) => window.teff!.store.focus({ start: from! as Ns, end: to! as Ns }),
      [start, end + 2000],
    );
    await expect.poll(async () => (await arrows()).arrows.length).toBeGreaterThan(0);
    const inSight = await page.evaluate(
      ([from, to]) => {
        const { idle } = window.teff!.store.model;
        return [...idle.woken_by].filter(
          (by, row) => by !== 0xffff && idle.end[row]! >= from! && idle.woken[row]! <= to!,
        ).length;
      },
      [start, end + 2000],
    );
    await expect.poll(async () => (await arrows()).arrows.length).toBe(inSight);
  });

  it('lead from the lane of who woke to the lane of who slept', async () => {
    const { end, start, by } = await woken();
    const slept = await page.evaluate(
      ([end, by]) => {
        const { idle } = window.teff!.store.model;
        return idle.worker[[...idle.end].findIndex((one, row) => one === end && idle.woken_by[row] === by)]!;
      },
      [end, by] as const,
    );
    await page.evaluate(
      ([from, to]) => window.teff!.store.focus({ start: from! as Ns, end: to! as Ns }),
      [start, end + 2000],
    );
    await expect.poll(async () => (await arrows()).arrows.length).toBeGreaterThan(0);
    const found = await arrows();
    const names = await page.locator('.lane-names span').all();
    const middle = async (lane: number) => {
      const { y, height } = (await names[lane]!.boundingBox())!;
      return y + height / 2 - found.top;
    };
    const rows = [await middle(by), await middle(slept)];
    const one = found.arrows.find(({ from, to }) => {
      return Math.abs(from.y - rows[0]!) < 6 && Math.abs(to.y - rows[1]!) < 6 && from.x < to.x;
    });
    expect(one).toBeDefined();
  });

  it('of the selected grain stand out, and are said in the panel', async () => {
    const { grain, by } = await woken();
    const before = await ink();
    await page.evaluate((grain) => window.teff!.store.select(grain), grain);
    expect(await page.locator('.panel').innerText()).toMatch(
      new RegExp(`Woken by\\s+worker ${by}, 200 ns before it began: a task was ready`),
    );
    const { arrows: drawn } = await arrows();
    expect(drawn.filter(({ strong }) => strong).length).toBeGreaterThan(0);
    expect(await ink()).not.toEqual(before);
    const link = new URL(page.url()).hash;
    const { page: other } = await openPage(browser, path, link);
    expect(await other.locator('.panel').innerText()).toContain('Woken by');
    await other.close();
    await page.evaluate(() => window.teff!.store.select(undefined));
    expect((await arrows()).arrows.filter(({ strong }) => strong)).toEqual([]);
  });

  it('are said of the grain that woke', async () => {
    const waker = await page.evaluate(() => {
      const { idle, fragment } = window.teff!.store.model;
      for (let row = 0; row < idle.worker.length; row++) {
        const at = idle.woken[row]!;
        for (let f = 0; f < fragment.start.length; f++)
          if (fragment.worker[f] === idle.woken_by[row] && fragment.start[f]! <= at && fragment.end[f]! >= at)
            return fragment.grain[f]!;
      }
      throw new Error('the sample has none');
    });
    await page.evaluate((grain) => window.teff!.store.select(grain), waker);
    expect(await page.locator('.panel').innerText()).toMatch(/Woke\s+workers? \d/);
  });

  it('are said of an idle time under the pointer', async () => {
    const { start, end, by } = await woken();
    await page.evaluate(
      ([from, to]) => window.teff!.store.focus({ start: from! as Ns, end: to! as Ns }),
      [start, end + 2000],
    );
    await expect.poll(async () => (await arrows()).arrows.length).toBeGreaterThan(0);
    const { arrows: drawn, left, top, width } = await arrows();
    const lane = drawn
      .map(({ to }) => to)
      .find(({ x }) => Math.abs(x - ((end - start) / (end - start + 2000)) * width) < 3)!;
    await page.mouse.move(left + lane.x - 5, top + lane.y);
    await expect
      .poll(() => page.locator('.tooltip').innerText())
      .toMatch(new RegExp(`Idle for .*woken by worker ${by}, awake 200 ns later: a task was ready`));
    await expect.poll(async () => (await arrows()).arrows.some(({ strong }) => strong)).toBe(true);
  });

  it('are not there where nobody has told', async () => {
    const json = viewModel(demo(50));
    const { idle } = json;
    const rows = idle.worker.data.length;
    const silent = await page.evaluate((length) => btoa('\xff'.repeat(length)), atobLength(idle.woken_by.data));
    const told = { ...json, idle: { ...idle, woken_by: { type: 'u16', data: silent } } };
    expect(rows).toBeGreaterThan(0);
    const { page: other } = await openPage(browser, writePage(JSON.stringify(told)));
    expect(await other.evaluate(() => window.teff!.timeline.arrows().length)).toBe(0);
    expect(await other.locator('.legend').innerText()).not.toContain('woken by');
    await other.close();
    expect(await page.locator('.legend').innerText()).toContain('woken by');
  });
});

describe('cores', () => {
  it('colour fragments, also by a link, and are named', async () => {
    await page.getByLabel('Colour by').selectOption('core');
    expect(page.url()).toContain('colour=core');
    const cores = await page.evaluate(() => [...new Set(window.teff!.store.model.fragment.core)]);
    const known = cores.filter((core) => core !== NOBODY);
    expect(known).toContain(MOVED.core);
    const { page: other } = await openPage(browser, path, '#colour=core');
    for (const one of [page, other]) {
      // One more: of those whose core is not known.
      const colours = await one.evaluate(() => window.teff!.timeline.colours().size);
      expect(colours).toBeGreaterThan(known.length);
      const legend = await one.locator('.legend').innerText();
      for (const core of known) expect(legend).toContain(`Core ${core}`);
      expect(legend).not.toContain('Implicit or initial task');
    }
    await other.close();
  });

  it('are said of a grain', async () => {
    const moved = await page.evaluate((core) => {
      const { fragment } = window.teff!.store.model;
      return fragment.grain[[...fragment.core].indexOf(core as CoreId)]!;
    }, MOVED.core);
    await page.evaluate((grain) => window.teff!.store.select(grain), moved);
    expect(await page.locator('.panel').innerText()).toMatch(new RegExp(`Cores?\\s+(\\d, )?${MOVED.core}`));
  });

  it('are no choice where none is known', async () => {
    const json = viewModel(demo(50));
    const silent = await page.evaluate((length) => btoa('\xff'.repeat(length)), atobLength(json.fragment.core.data));
    const told = { ...json, fragment: { ...json.fragment, core: { type: 'u16', data: silent } } };
    const { page: other } = await openPage(browser, writePage(JSON.stringify(told)), '#colour=core');
    expect(await other.locator('select[name=colour]').innerText()).not.toContain('core');
    expect(await other.locator('select[name=colour]').inputValue()).toBe('kind');
    await other.close();
  });
});

const atobLength = (base64: string): number => Buffer.from(base64, 'base64').length;

/** What the layer of texts and arrows shows, in short. */
const ink = () =>
  page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    const canvas = [...document.querySelectorAll<HTMLCanvasElement>('.timeline .surface canvas')].at(-1)!;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((sum, value, at) => (sum + value * (at % 97)) % 1_000_003, 0);
  });
