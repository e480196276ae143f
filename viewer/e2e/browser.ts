// SPDX-License-Identifier: Apache-2.0
// A browser that draws in software, and self-contained pages to open in it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll } from 'vitest';
import type { Grain } from '../test/program';
import { viewModel } from '../test/sample';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const BUILT = new URL('../dist/index.html', import.meta.url).pathname;
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

export const writeSample = (program: Grain): string => writePage(JSON.stringify(viewModel(program)));

/** Opens a page and waits until it shows its recording or a problem. Errors of the page fail the test. */
export async function openPage(browser: Browser, path: string, hash = ''): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`file://${path}${hash}`);
  await page.waitForFunction(() => window.teff || document.querySelector('.problem'), undefined, { timeout: 50_000 });
  return { page, errors };
}
