// SPDX-License-Identifier: Apache-2.0
// Measures what a page of `teff view` costs with recordings of millions of grains. Slow: runs only
// when TEFF_SCALE names recordings, separated by colons, and prints its figures. The recordings are
// made by tools/crates/grains/examples/synth.rs.

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrainNumber } from '../src/model/ids';
import { randomNumbers } from '../test/program';
import { openBrowser } from './browser';

const TEFF = process.env.TEFF ?? new URL('../../build/bin/teff', import.meta.url).pathname;
const RECORDINGS = (process.env.TEFF_SCALE ?? '').split(':').filter(Boolean);
const GRAINS = 20;

describe.runIf(RECORDINGS.length > 0)('scale of', { timeout: 600_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(['--enable-precise-memory-info']);
  });
  afterAll(() => browser.close());

  it.each(RECORDINGS)('%s', async (recording) => {
    const { child, url, seconds } = await serve(recording);
    try {
      const first = [];
      for (let i = 0; i < 5; i++)
        first.push(await open(browser, url).then(({ ms, page }) => page.close().then(() => ms)));
      const { page } = await open(browser, url);
      const before = await frames(page);
      await page.keyboard.press('0');
      const { shown, arrived } = await reach(page);
      const after = await frames(page);
      const { grains, rows, data, heap } = await figures(page);
      process.stdout.write(
        `${recording}: ${grains} grains; read in ${seconds.toFixed(1)} s, tool ${memory(child.pid!, 'VmRSS')} MB ` +
          `(at most ${memory(child.pid!, 'VmHWM')}), data ${(data / 1e6).toFixed(1)} MB; first picture ` +
          `${Math.round(percentile(first, 0.5))} ms (5 times, slowest ${Math.max(...first)}); a grain of ${GRAINS}: median ` +
          `${Math.round(percentile(shown, 0.5))} ms, slowest ${Math.round(Math.max(...shown))}, and until the view rests ` +
          `${Math.round(Math.max(...arrived))}; frames drawn in software, p95: ${before.toFixed(1)} ms, after that ` +
          `${after.toFixed(1)}; ${rows} rows, heap ${heap} MB, browser ${browserMemory()} MB\n`,
      );
      expect(Math.max(...arrived)).toBeLessThan(60_000);
      await page.close();
    } finally {
      child.kill();
    }
  });
});

async function serve(recording: string): Promise<{ child: ChildProcess; url: string; seconds: number }> {
  const start = performance.now();
  const child = spawn(TEFF, ['view', '--no-open', recording], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (text) => resolve(String(text)));
    child.once('exit', () => reject(new Error(`${TEFF} ended`)));
  });
  return { child, url: line.split(/\s/)[0]!, seconds: (performance.now() - start) / 1000 };
}

async function open(browser: Browser, url: string): Promise<{ page: Page; ms: number }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const start = performance.now();
  await page.goto(url);
  await page.waitForFunction(() => window.teff, undefined, { timeout: 60_000 });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return { page, ms: Math.round(performance.now() - start) };
}

/** The time between frames that 95 of 100 do not exceed, while wheel and pointer zoom and pan. */
async function frames(page: Page): Promise<number> {
  const { x, y, width, height } = (await page.locator('.graph .surface').boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { times });
    const frame = (now: number) => {
      times.push(now);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, i % 20 < 10 ? -120 : 120);
    await page.waitForTimeout(25);
  }
  await page.mouse.down();
  for (let i = 0; i < 60; i++) {
    await page.mouse.move(x + width / 2 + 200 * Math.sin(i / 6), y + height / 2 + 100 * Math.cos(i / 5));
    await page.waitForTimeout(20);
  }
  await page.mouse.up();
  const times = await page.evaluate(() => (window as unknown as { times: number[] }).times);
  return percentile(
    times.slice(1).map((time, i) => time - times[i]!),
    0.95,
  );
}

/** Milliseconds to grains anywhere in the recording: until each is laid out and selected, and until the view is there. */
async function reach(page: Page): Promise<{ shown: number[]; arrived: number[] }> {
  const [shown, arrived]: [number[], number[]] = [[], []];
  const random = randomNumbers(12345);
  const grains = await page.evaluate(() => window.teff!.store.model.run.grains);
  for (let i = 0; i < GRAINS; i++) {
    const [first, last] = await page.evaluate(
      async (number) => {
        const { store, graph } = window.teff!;
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const start = performance.now();
        await store.reach(number as GrainNumber);
        await frame();
        await frame();
        const first = performance.now() - start;
        while (graph.moving) await frame();
        const row = store.selected.value!;
        const { x, y } = graph.positionOf(row);
        if (store.model.grain.number[row] !== number || store.folds.isGroup(row) || !(x > 0 && y > 0))
          throw new Error(`grain ${number} was not reached`);
        return [first, performance.now() - start] as const;
      },
      Math.floor(random() * grains),
    );
    shown.push(first);
    arrived.push(last);
  }
  return { shown, arrived };
}

const figures = (page: Page) =>
  page.evaluate(async () => {
    const { model } = window.teff!.store;
    const data = (await (await fetch('data.json')).text()).length;
    const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
    const heap = Math.round(memory.usedJSHeapSize / 1e6);
    return { grains: model.run.grains, rows: model.grain.kind.length, data, heap };
  });

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** In MB. */
function memory(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
}

/** Of all processes of the browser together, what they share counted once, in MB. */
function browserMemory(): number {
  let kilobytes = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('chromium')) continue;
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return Math.round(kilobytes / 1024);
}
