// SPDX-License-Identifier: Apache-2.0
// Tests that pages of recorded programs show the figures that `teff report` prints for the same
// recording. TEFF_RECORDED names a folder with NAME.html by `teff view` and NAME.json by `teff
// report --json`; the suite `demo` makes it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCount, formatPercent, formatTime } from '../src/base/format';
import type { Ns } from '../src/base/time';
import type { SiteId } from '../src/model/ids';
import { siteLabel } from '../src/model/sites';
import { openBrowser, openPage } from './browser';

interface Report {
  wall_ns: number;
  work_ns: number;
  workers: number;
  sites: {
    file: string;
    line: number;
    function: string;
    kind: string;
    count: number;
    work_ns: number;
    mean_ns: number;
    creation_ns: number;
    critical: number;
    low_benefit: number;
    inside?: { samples: number; functions: { function: string; samples: number }[] };
  }[];
  sampling: { period_ns: number; samples: number } | null;
  findings: { rule: string; gain_ns: number; gain_share: number; file: string; line: number; function: string }[];
  budget: { whole_ns: number; classes: { name: string; ns: number }[] };
}

const folder = process.env.TEFF_RECORDED;
const names = folder
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.html'))
      .map((file) => file.slice(0, -'.html'.length))
  : ['none'];

describe.skipIf(!folder).each(names)('the page of %s', (name) => {
  const report: Report = folder ? JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) : undefined;
  let browser: Browser;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    browser = await openBrowser();
    ({ page, errors } = await openPage(browser, join(folder!, `${name}.html`)));
  });
  afterAll(async () => {
    await browser.close();
    expect(errors).toEqual([]);
  });

  it('has rows whose own times are together the budget', async () => {
    const outline = await page.evaluate(() => window.teff!.store.model.whole.outline);
    const own = outline.row.reduce((sum, { own_ns }) => sum + own_ns, 0);
    const budget = report.budget.classes.reduce((sum, { name, ns }) => (name === 'rest' ? sum : sum + ns), 0);
    // In milliseconds, to a hundredth; fewer rows than there are have no sum.
    if (outline.more === 0) expect(own / 1e6).toBeCloseTo(budget / 1e6, 2);
  });

  it('has the figures of the run', async () => {
    const figures = await page.locator('.run').innerText();
    expect(figures).toContain(formatTime(report.wall_ns as Ns));
    expect(figures).toContain(formatTime(report.work_ns as Ns));
  });

  it('has the first findings with their seconds and lines, and the budget', async () => {
    const heads = await page.locator('.findings .head').allInnerTexts();
    const shown = report.findings.slice(0, 5).filter(({ rule }) => rule !== 'descheduled');
    expect(heads.length).toBe(shown.length);
    for (const [at, head] of heads.entries()) {
      const { gain_ns, gain_share } = shown[at]!;
      expect(head).toContain(`${formatTime(gain_ns as Ns)} (${formatPercent(gain_share)})`);
      const finding = shown[at]!;
      // A serial part has the stretch of time in the place of its line.
      if (finding.rule === 'serial-part') expect(head).toMatch(/ to /);
      else if (finding.file || finding.function) expect(head).toContain(siteLabel(finding));
    }
    const classes = await page.locator('.classes').innerText();
    for (const { name: of, ns } of report.budget.classes) {
      const share = ns / report.budget.whole_ns;
      if (share > 0.001) expect(classes).toContain(`${of.replaceAll('_', ' ')} ${formatPercent(share)}`);
    }
  });

  it('has the sites of the report in its table, in its order', async () => {
    await page.keyboard.press('4');
    const rows = await page.locator('.site-table tbody tr').all();
    const inOrder = [...report.sites].sort((a, b) => b.work_ns - a.work_ns);
    for (const [at, site] of inOrder.entries()) {
      if (site.work_ns === 0) continue;
      const cells = await rows[at]!.locator('td').allInnerTexts();
      const some = (value: number, format: (value: number) => string) => (value > 0 ? format(value) : '');
      expect(await rows[at]!.locator('.link').innerText()).toBe(siteLabel(site));
      expect([cells[0], cells[1], cells[3], cells[4], cells[6], cells[7]]).toEqual([
        formatCount(site.count),
        formatTime(site.work_ns as Ns),
        formatTime(site.mean_ns as Ns),
        some(site.creation_ns, (value) => formatTime(value as Ns)),
        some(site.low_benefit, formatCount),
        some(site.critical, formatCount),
      ]);
      expect(await rows[at]!.locator('svg').getAttribute('aria-label')).toMatch(
        new RegExp(`^${formatCount(site.count)} grains`),
      );
    }
  });

  it('has the work of each line in its source', async () => {
    await page.keyboard.press('7');
    const lines = new Map<string, number>();
    for (const { file, line, work_ns } of report.sites) {
      if (!file || line === 0) continue;
      lines.set(`${file}:${line}`, (lines.get(`${file}:${line}`) ?? 0) + work_ns);
    }
    const [dearest, work] = [...lines].sort(([, a], [, b]) => b - a)[0]!;
    const row = page.locator('.source .cost', {
      has: page.getByText(dearest.slice(dearest.lastIndexOf(':') + 1), { exact: true }),
    });
    expect(await row.locator('.figure').first().innerText()).toBe(formatTime(work as Ns));
    const colon = dearest.lastIndexOf(':');
    const text = readFileSync(dearest.slice(0, colon), 'utf8').split('\n')[Number(dearest.slice(colon + 1)) - 1]!;
    expect((await row.locator('code').innerText()).trim()).toBe(text.trim());
  });

  it('has all work below the roots of its flame view, and in the strip', async () => {
    await page.keyboard.press('3');
    await page.evaluate(() => window.teff!.store.showFlame('creation'));
    expect(await page.locator('.flame .path').innerText()).toContain(`${formatTime(report.work_ns as Ns)} work in all`);
    const area = await page.evaluate(() => {
      const { running, interval_ns } = window.teff!.store.model.whole.strip;
      return running.reduce((sum, mean) => sum + mean * interval_ns, 0);
    });
    // What the recorder took of it is in no work.
    expect(area).toBeGreaterThan(report.work_ns * 0.99);
    expect(area).toBeLessThan(report.wall_ns * report.workers * 1.01);
  });

  it('has the samples of the report, and the functions inside its sites', async () => {
    const { stacks, samples } = await page.evaluate(() => window.teff!.store.model.whole);
    expect(Object.values(samples.count).reduce((sum, count) => sum + count, 0)).toBe(report.sampling?.samples ?? 0);
    expect(stacks.period_ns).toBe(report.sampling?.period_ns ?? 0);
    for (const site of report.sites.filter(({ inside }) => inside && inside.samples > 0)) {
      const number = await page.evaluate(
        (of) => window.teff!.store.model.sites.findIndex((one) => one.line === of.line && one.count === of.count),
        site,
      );
      await page.evaluate((of) => window.teff!.store.highlight(of as SiteId), number);
      const panel = await page.locator('.inside').innerText();
      expect(panel).toContain(formatCount(site.inside!.samples));
      for (const { function: ran, samples: of } of site.inside!.functions.slice(0, 3)) {
        expect(panel).toContain(ran);
        expect(panel).toContain(formatPercent(of / site.inside!.samples));
      }
    }
    await page.evaluate(() => window.teff!.store.highlight(undefined));
  });

  it('has its loops and dependences', async () => {
    await page.keyboard.press('5');
    const chunks = report.sites.filter(({ kind }) => kind === 'chunk').reduce((sum, { count }) => sum + count, 0);
    const shown = await page.evaluate(() => window.teff!.store.model.whole.loops.map((loop) => loop.chunks));
    expect(shown.reduce((sum, count) => sum + count, 0)).toBe(chunks);
    if (chunks > 0) expect(await page.locator('.loops .viewbar').innerText()).toMatch(/iterations in \d+ chunks/);
    else expect(await page.locator('.loops .empty').isVisible()).toBe(true);
    await page.keyboard.press('6');
    const drawn = await page.evaluate(() => window.teff!.dependences.drawn().length);
    const tasks = await page.evaluate(() => window.teff!.store.model.whole.dependences.tasks);
    expect(drawn).toBe(tasks);
    expect(tasks > 0).toBe(name.includes('depend'));
  });
});
