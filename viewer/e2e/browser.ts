// SPDX-License-Identifier: Apache-2.0
// Starts a browser that draws in software, and makes self-contained pages to open in it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll } from 'vitest';
import type { Folded } from '../test/folded';
import type { Grain } from '../test/program';
import { viewModel } from '../test/sample';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const BUILT = new URL('../dist/index.html', import.meta.url).pathname;
const SERVED = 'http://teff.test/';
const SCREEN = { width: 1280, height: 800 };
const SLOT = '<script id="teff-data" type="application/json"></script>';

export function openBrowser(extraArgs: string[] = []): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`No browser at ${CHROMIUM}: install chromium or set CHROMIUM to its path.`);
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      ...extraArgs,
    ],
  });
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The built page with data in its slot, as the tools make it; returns its path. */
export function writePage(data: string): string {
  const html = readFileSync(BUILT, 'utf8');
  if (html.split(SLOT).length !== 2) throw new Error(`${BUILT} does not have exactly one slot for data.`);
  const folder = mkdtempSync(join(tmpdir(), 'teff-page-'));
  folders.push(folder);
  const path = join(folder, 'page.html');
  writeFileSync(
    path,
    html.replace(SLOT, () => SLOT.replace('></', `>${data.replaceAll('<', '\\u003c')}</`)),
  );
  return path;
}

/** The answers to `reading.json`, and what the test looks at before the recording is shown. */
interface WhileReading {
  reading: () => object;
  look: (page: Page) => Promise<void>;
}

const READ: WhileReading = { reading: () => ({ state: 'ready' }), look: () => Promise.resolve() };

/** The page and its data on a server made up for the test, which answers `part.json` and no other question. */
export async function openServed(
  browser: Browser,
  { json, part }: Folded,
  hash = '',
  { reading, look } = READ,
): Promise<{ page: Page; errors: string[] }> {
  const page = await newPage(browser);
  const html = readFileSync(BUILT, 'utf8');
  await page.page.route(`${SERVED}**`, (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const number = (name: string) => Number(searchParams.get(name));
    if (pathname === '/') return route.fulfill({ body: html, contentType: 'text/html' });
    if (pathname === '/reading.json')
      return route.fulfill({ json: { problem: '', step: '', read: 0, bytes: 0, first: [], ...reading() } });
    if (pathname === '/data.json') return route.fulfill({ json });
    if (pathname === '/part.json') return route.fulfill({ json: part(number('first'), number('count')) });
    return route.fulfill({ status: 400, body: 'there is no answer here.' });
  });
  await page.page.goto(SERVED + hash);
  await look(page.page);
  await shown(page.page);
  return page;
}

export const writeSample = (program: Grain): string => writePage(JSON.stringify(viewModel(program)));

/** Opens a page and waits until it shows its recording or a problem. Errors of the page fail the test. */
export async function openPage(
  browser: Browser,
  path: string,
  hash = '',
  size = SCREEN,
): Promise<{ page: Page; errors: string[] }> {
  const page = await newPage(browser, size);
  await page.page.goto(`file://${path}${hash}`);
  await shown(page.page);
  return page;
}

async function newPage(browser: Browser, viewport = SCREEN): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}

const shown = (page: Page) =>
  page.waitForFunction(() => window.teff || window.teffPair || document.querySelector('.set, .problem'), undefined, {
    timeout: 50_000,
  });
