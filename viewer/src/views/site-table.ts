// SPDX-License-Identifier: Apache-2.0
// All sites as a table that can be sorted. Each site has a histogram of the work of its grains; all
// histograms have the same logarithmic scale.
import { element } from '../base/dom';
import { formatCount, formatPercent, formatTime, shorten } from '../base/format';
import { type Ns, ns } from '../base/time';
import { countText } from '../model/counters';
import type { SiteId } from '../model/ids';
import { UNTIL, workUntil } from '../model/outline';
import { histogramOf } from '../model/range';
import type { Site } from '../model/site';
import { hasGrains, searchSites, siteLabel } from '../model/sites';
import type { SiteCosts } from '../model/whole';
import type { Store } from '../state/store';
import { signScroll } from './scroll-sign';
import { siteName } from './site-name';
import { wholeRun } from './whole-run';

const MAX_ROWS = 300;
/** Longer names are shortened: they would push the figures off the screen. */
const LONGEST = 48;
/** Stands for the column of names among the columns that the table is sorted by. */
const BY_NAME = -1;
const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 20;

interface Column {
  name: string;
  title: string;
  value(site: Site, costs: SiteCosts, number: SiteId): number;
  text(value: number): string;
}

const time = (value: number): string => (value > 0 ? formatTime(ns(value)) : '');
const count = (value: number): string => (value > 0 ? formatCount(value) : '');

export class SiteTable {
  readonly root: HTMLElement;
  readonly #body = element('tbody');
  /** By the column that a head sorts by. */
  readonly #heads = new Map<number, HTMLElement>();
  readonly #columns: Column[];
  readonly #search = element('input', {
    type: 'search',
    placeholder: 'File, function or line',
    'aria-label': 'Search the table by file, function or line',
    spellcheck: 'false',
  });
  readonly #status = element('small', { role: 'status' });
  readonly #scale = element('span');
  /** The first bin of any site, and the bin behind the last of any site. */
  #bins: [number, number] = [128, 1];
  #sortedBy = 1;

  constructor(readonly store: Store) {
    const { run } = store.model;
    this.#columns = [
      {
        name: 'Count',
        title: 'Grains; of loops and regions their instances, of places of synchronisation the waits',
        value: (site, _, number) => this.#found(site)?.count[number] ?? site.count,
        text: count,
      },
      {
        name: 'Work',
        title: 'Time in the code of its grains',
        value: (site, _, number) => store.inRange()?.ran[number] ?? site.work_ns,
        text: time,
      },
      ...this.#untilColumn(),
      {
        name: 'Share',
        title: 'Of the work of all grains',
        value: ({ work_ns }, _, number) => {
          const found = store.inRange();
          return found ? found.ran[number]! / found.all : work_ns / run.work_ns;
        },
        text: (share) => (share > 0 ? formatPercent(share) : ''),
      },
      {
        name: 'Mean',
        title: 'Work of one grain on average',
        value: ({ mean_ns }, _, number) => {
          const found = store.inRange();
          return found ? found.ran[number]! / Math.max(1, found.count[number]!) : mean_ns;
        },
        text: time,
      },
      {
        name: 'Creation',
        title: 'Cost of creating its grains; of chunks, the book-keeping before them',
        value: (_, costs, number) => store.inRange()?.creation[number] ?? costs.creation_ns,
        text: time,
      },
      {
        name: 'Wait',
        title: 'Time that workers lost to the waits of its grains, or at it',
        value: (site, costs, number) => this.#found(site)?.wait[number] ?? costs.wait_ns,
        text: time,
      },
      {
        name: 'Low benefit',
        title: 'Grains that cost more than they did',
        value: ({ low_benefit }, _, number) => store.inRange()?.low[number] ?? low_benefit,
        text: count,
      },
      {
        name: 'Critical',
        title: 'Grains on the critical path',
        value: (_, { critical }, number) => store.inRange()?.critical[number] ?? critical,
        text: count,
      },
      ...store.model.counters.map(
        (event, at): Column => ({
          name: event,
          title: `Counted in its grains: ${event}`,
          value: (_, { counts }, number) => store.inRange()?.counts[at]![number] ?? counts[at]!,
          text: (value) => (value > 0 ? countText(event, value) : ''),
        }),
      ),
    ];
    this.#search.addEventListener('input', () => store.query.set(this.#search.value));
    this.root = element(
      'section',
      { class: 'site-table', 'aria-label': 'Sites' },
      element('div', { class: 'viewbar' }, this.#search, this.#status),
      signScroll(
        element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of sites' }, this.#table()),
      ),
    );
    for (const signal of [store.site, store.range, store.query]) signal.listen(() => this.#show());
    this.#show();
  }

  focus(): void {
    this.#search.focus();
    this.#search.select();
  }

  /** Returns a column with the work of the steps that end at a barrier; none where there are none. */
  #untilColumn(): Column[] {
    const until = workUntil(this.store.model.whole.outline.row);
    const value = (_: Site, _costs: SiteCosts, number: SiteId) => until.get(number) ?? 0;
    return until.size > 0 ? [{ name: 'Until', title: UNTIL, value, text: time }] : [];
  }

  #table(): HTMLElement {
    const head = element('tr', {}, this.#head('Site', 'File and line, or function', BY_NAME));
    for (const [at, { name, title }] of this.#columns.entries()) head.append(this.#head(name, title, at));
    head.append(element('th', { scope: 'col', class: 'histogram' }, 'Grains by work,', this.#scale));
    return element('table', {}, element('thead', {}, head), this.#body);
  }

  /** Returns a head that sorts the table by its column, wherever it is clicked. */
  #head(name: string, title: string, by: number): HTMLElement {
    const cell = element(
      'th',
      { scope: 'col', title: `${title}. Sort by it` },
      element('button', { type: 'button' }, name),
    );
    cell.addEventListener('click', () => {
      this.#sortedBy = by;
      this.#show();
    });
    this.#heads.set(by, cell);
    return cell;
  }

  /** Returns an order of sites: by name, or by the column that the table is sorted by. */
  #order(): (a: SiteId, b: SiteId) => number {
    const { sites, whole } = this.store.model;
    if (this.#sortedBy === BY_NAME) {
      const compare = new Intl.Collator('en', { numeric: true }).compare;
      return (a, b) => compare(siteLabel(sites[a]!), siteLabel(sites[b]!));
    }
    const by = this.#columns[this.#sortedBy]!;
    const value = (number: SiteId) => by.value(sites[number]!, whole.sites[number]!, number);
    return (a, b) => value(b) - value(a);
  }

  #show(): void {
    if (this.#search.value !== this.store.query.value) this.#search.value = this.store.query.value;
    const { model } = this.store;
    const order = this.#order();
    // What is known of the whole run alone comes last.
    const stays = (number: SiteId) => Number(this.store.range.value && !hasGrains(model.sites[number]!));
    const numbers = searchSites(model.sites, this.store.query.value).sort((a, b) => stays(a) - stays(b) || order(a, b));
    const histograms = new Map(numbers.map((number) => [number, this.#grains(number, model.whole.sites[number]!)]));
    this.#measure([...histograms.values()]);
    const direction = this.#sortedBy === BY_NAME ? 'ascending' : 'descending';
    for (const [by, head] of this.#heads) head.setAttribute('aria-sort', by === this.#sortedBy ? direction : 'none');
    this.#body.replaceChildren(
      ...numbers.slice(0, MAX_ROWS).map((number) => this.#row(number, histograms.get(number)!)),
    );
    const found = numbers.length === 1 ? '1 site' : `${formatCount(numbers.length)} sites`;
    const rest = numbers.length > MAX_ROWS ? `, the first ${MAX_ROWS} are shown` : '';
    const range = this.store.range.value ? '; figures in the selected time range' : '';
    this.#status.textContent = found + rest + range;
  }

  /** What ran in the time range. undefined: no range is selected, or of the site it is not known. */
  #found(site: Site) {
    return hasGrains(site) ? this.store.inRange() : undefined;
  }

  /** Finds the scale of the histograms. */
  #measure(histograms: Pick<SiteCosts, 'first_bin' | 'histogram'>[]): void {
    const filled = histograms.filter(({ histogram }) => histogram.length > 0);
    const low = filled.reduce((low, { first_bin }) => Math.min(low, first_bin), 128);
    const high = filled.reduce((high, { first_bin, histogram }) => Math.max(high, first_bin + histogram.length), 1);
    this.#bins = [low, high];
    this.#scale.textContent = high > low ? ` ${formatTime(binStart(low))} to ${formatTime(binStart(high))}` : '';
  }

  #row(number: SiteId, histogram: Pick<SiteCosts, 'first_bin' | 'histogram'>): HTMLElement {
    const { model, site: chosen } = this.store;
    const site = model.sites[number]!;
    const costs = model.whole.sites[number]!;
    const whole = hasGrains(site) ? [] : [wholeRun()];
    const isChosen = chosen.value === number;
    const label = element(
      'button',
      { type: 'button', class: 'link', 'aria-pressed': String(isChosen), title: site.file || site.function },
      ...siteName(site, LONGEST),
    );
    const name = site.file && site.function ? `${shorten(site.function, LONGEST)} · ${site.kind}` : site.kind;
    const cells = this.#columns.map((column) => element('td', {}, column.text(column.value(site, costs, number))));
    const row = element(
      'tr',
      { class: isChosen && 'chosen' },
      element('th', { scope: 'row' }, label, element('small', { title: site.function }, name, ...whole)),
      ...cells,
      element('td', { class: 'histogram' }, this.#histogram(histogram)),
    );
    row.addEventListener('click', () => this.store.highlight(isChosen ? undefined : number));
    return row;
  }

  /** Returns the grains of a site by their work: those in the selected time range, or all. */
  #grains(number: SiteId, costs: SiteCosts): Pick<SiteCosts, 'first_bin' | 'histogram'> {
    const found = this.store.inRange();
    if (!found) return costs;
    return histogramOf(
      this.store.model,
      this.store.bySite.of(number).filter((grain) => found.has[grain]),
    );
  }

  #histogram({ first_bin, histogram }: Pick<SiteCosts, 'first_bin' | 'histogram'>): Node {
    const [low, high] = this.#bins;
    const most = Math.max(...histogram, 1);
    const picture = document.createElementNS(SVG, 'svg');
    picture.setAttribute('viewBox', `0 0 ${high - low} ${HEIGHT}`);
    picture.setAttribute('preserveAspectRatio', 'none');
    picture.setAttribute('role', 'img');
    picture.setAttribute('aria-label', describe(first_bin, histogram));
    for (const [at, grains] of histogram.entries()) {
      if (grains === 0) continue;
      // The square root lets few grains be seen beside many.
      const height = Math.max(1, Math.sqrt(grains / most) * HEIGHT);
      const bar = document.createElementNS(SVG, 'rect');
      const place = { x: first_bin - low + at + 0.05, y: HEIGHT - height, width: 0.9, height };
      for (const [name, value] of Object.entries(place)) bar.setAttribute(name, String(value));
      const title = document.createElementNS(SVG, 'title');
      const bin = first_bin + at;
      title.textContent = `${formatCount(grains)} of ${formatTime(binStart(bin))} to ${formatTime(binStart(bin + 1))}`;
      bar.append(title);
      picture.append(bar);
    }
    return picture;
  }
}

/** Returns the time at which a bin begins. */
const binStart = (bin: number): Ns => ns(2 ** (bin / 2));

/** Describes a histogram in words: its range, and the time below which half of the grains lie. */
function describe(first: number, histogram: readonly number[]): string {
  const all = histogram.reduce((sum, grains) => sum + grains, 0);
  if (all === 0) return 'no grains';
  let below = 0;
  const middle = histogram.findIndex((grains) => {
    below += grains;
    return below * 2 >= all;
  });
  const range = `${formatTime(binStart(first))} to ${formatTime(binStart(first + histogram.length))}`;
  return `${formatCount(all)} grains of ${range}, half of them below ${formatTime(binStart(first + middle + 1))}`;
}
