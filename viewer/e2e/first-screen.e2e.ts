// SPDX-License-Identifier: Apache-2.0
// Tests that the first screen of a program's page shows its defect, without scrolling or clicking.
// TEFF_DEFECTS names a folder with NAME.html by `teff view`, NAME.txt by `teff report` of the same
// recording, and NAME.cause.json, the finding that is the cause, as bench/truth/pages.py makes it.
// TEFF_PICTURES names a folder for pictures of these screens. TEFF_SCREEN gives another size of the
// screen.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatTime } from '../src/base/format';
import type { Ns } from '../src/base/time';
import { siteLabel } from '../src/model/sites';
import { openBrowser, openPage } from './browser';

interface Cause {
  rule: string;
  title: string;
  file: string;
  line: number;
  function: string;
  gain_ns: number;
}

const { TEFF_DEFECTS: folder, TEFF_PICTURES: pictures, TEFF_SCREEN: screen = '1440x900' } = process.env;
const names = folder
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.html'))
      .map((file) => file.slice(0, -'.html'.length))
  : ['none'];

const [width = 0, height = 0] = screen.split('x').map(Number);
const WIDE = { width, height };
const NARROW = { width: 360, height: 800 };

describe.skipIf(!folder)('the first screen', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  const read = (name: string, ending: string) => readFileSync(join(folder!, name + ending), 'utf8');

  async function onScreen(name: string, size: typeof WIDE, look: (page: Page) => Promise<void>): Promise<void> {
    const { page, errors } = await openPage(browser, join(folder!, `${name}.html`), '', size);
    if (pictures) await page.screenshot({ path: join(pictures, `${name}-${size.width}.png`) });
    await look(page);
    expect(errors).toEqual([]);
    await page.close();
  }

  it.each(names)('of %s says the cause, its time and its line in the words of the report', async (name) => {
    const cause: Cause = JSON.parse(read(name, '.cause.json'));
    const report = oneLine(read(name, '.txt'));
    const said = [cause.rule, cause.title, formatTime(cause.gain_ns as Ns), siteLabel(cause)];
    for (const words of said) expect(report).toContain(words);
    await onScreen(name, WIDE, async (page) => {
      const finding = page.locator('.findings > li', { hasText: cause.rule });
      for (const words of said) expect(await whyUnseen(finding.getByText(words).first()), words).toBe('');
    });
  });

  it.each(names)('of %s has the advice, the evidence and the source of the first finding', async (name) => {
    await onScreen(name, WIDE, async (page) => {
      const finding = page.locator('.findings > li:not(.of-machine)').first();
      const parts = [finding.locator('.remedy'), finding.locator('.evidence li').first()];
      const source = finding.locator('.snippet .chosen');
      if ((await finding.getByRole('button', { name: 'source' }).count()) > 0) parts.push(source);
      for (const part of parts) expect(await whyUnseen(part)).toBe('');
    });
  });

  it.each(names)('of %s has the first finding, however narrow it is', async (name) => {
    await onScreen(name, NARROW, async (page) => {
      const finding = page.locator('.findings > li:not(.of-machine)').first();
      for (const part of ['.head', 'summary']) expect(await whyUnseen(finding.locator(part)), part).toBe('');
    });
  });
});

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Why a reader cannot read all of an element; empty: nothing is in the way. */
const whyUnseen = (locator: Locator) =>
  locator.evaluate(async (shown) => {
    const ratio = await new Promise<number>((resolve) => {
      new IntersectionObserver(([entry]) => resolve(entry!.intersectionRatio)).observe(shown);
    });
    if (ratio < 0.99) return `only ${ratio} of it is on the screen`;
    for (let part: Element | null = shown; part; part = part.parentElement)
      if (getComputedStyle(part).textOverflow === 'ellipsis' && part.scrollWidth > part.clientWidth) return 'cut';
    const { left, top, width, height } = shown.getBoundingClientRect();
    const above = document.elementFromPoint(left + width / 2, top + height / 2);
    return above && (shown.contains(above) || above.contains(shown)) ? '' : `behind ${above?.className}`;
  });
