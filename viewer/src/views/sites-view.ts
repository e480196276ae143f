// SPDX-License-Identifier: Apache-2.0
// Search for sites of the source. Choosing a site highlights its grains in all views.
import { button, element } from '../base/dom';
import { formatCount, formatNumber, formatTime } from '../base/format';
import { type Ns, ns } from '../base/time';
import type { SiteId } from '../model/ids';
import { UNTIL, workUntil } from '../model/outline';
import { hasGrains, searchSites } from '../model/sites';
import type { Store } from '../state/store';
import { signScroll } from './scroll-sign';
import { siteName } from './site-name';
import { wholeRun } from './whole-run';

const MAX_ROWS = 200;
/** Of a longer name, its end says as much as its beginning. */
const LONGEST = 34;

export class SitesView {
  readonly root: HTMLElement;
  readonly #search = element('input', {
    type: 'search',
    placeholder: 'File, function or line',
    'aria-label': 'Search sites by file, function or line',
    spellcheck: 'false',
  });
  readonly #list = element('ul', { class: 'site-list', 'aria-label': 'Sites' });
  readonly #stepper = element('div', {
    class: 'stepper',
    role: 'group',
    'aria-label': 'Grains that stand out',
  });
  readonly #mostWork: number;
  /** By barrier: the work of the steps that end at it. */
  readonly #until: Map<SiteId, Ns>;

  constructor(readonly store: Store) {
    this.#mostWork = store.model.sites.reduce((most, site) => Math.max(most, site.work_ns), 1);
    this.#until = workUntil(store.model.whole.outline.row);
    this.#search.addEventListener('input', () => store.query.set(this.#search.value));
    this.root = element(
      'section',
      { class: 'sites', 'aria-label': 'Sites' },
      element('h2', {}, 'Sites'),
      this.#search,
      this.#stepper,
      signScroll(this.#list),
    );
    store.site.listen(() => this.#render());
    store.selected.listen(() => this.#renderStepper());
    store.range.listen(() => this.#render());
    store.problem.listen(() => this.#renderStepper());
    store.query.listen(() => {
      if (this.#search.value !== store.query.value) this.#search.value = store.query.value;
      this.#renderList();
    });
    this.#render();
  }

  focus(): void {
    this.#search.focus();
    this.#search.select();
  }

  #render(): void {
    this.#renderList();
    this.#renderStepper();
  }

  #renderList(): void {
    const { sites } = this.store.model;
    const found = searchSites(sites, this.store.query.value);
    const matches = this.store.range.value ? found.sort((a, b) => this.#work(b) - this.#work(a)) : found;
    this.#list.replaceChildren(...matches.slice(0, MAX_ROWS).map((number) => this.#row(number)));
    const rest = matches.length - MAX_ROWS;
    if (rest > 0) this.#list.append(element('li', { class: 'hint' }, `${formatCount(rest)} more: refine the search.`));
    if (matches.length === 0) this.#list.append(element('li', { class: 'hint' }, 'No site matches.'));
  }

  #row(number: SiteId): HTMLElement {
    const site = this.store.model.sites[number]!;
    const chosen = this.store.site.value === number;
    const found = this.store.inRange();
    const lows = found ? found.low[number]! : site.low_benefit;
    const low = lows > 0 ? element('span', { class: 'low' }, `${formatCount(lows)} low`) : '';
    const bar = element('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.setProperty('--share', String(Math.min(1, this.#work(number) / this.#mostWork)));
    const row = element(
      'button',
      {
        type: 'button',
        'aria-pressed': String(chosen),
        title: site.file ? `${site.file}:${site.line}` : site.function || 'no debug information',
      },
      element('span', { class: 'name' }, ...siteName(site, LONGEST)),
      element('span', { class: 'work', title: this.#until.has(number) && UNTIL }, this.#time(number)),
      element('span', { class: 'function' }, this.#about(number), ...(hasGrains(site) ? [] : [wholeRun()])),
      element(
        'span',
        { class: 'count' },
        low,
        ` × ${formatCount(found && hasGrains(site) ? found.count[number]! : site.count)}`,
      ),
      bar,
    );
    // Places of synchronisation, for example, have no grains of their own.
    const isFolded = this.store.server !== undefined && site.count > 0 && hasGrains(site);
    row.disabled = this.store.bySite.of(number).length === 0 && !isFolded;
    row.addEventListener('click', () => this.store.highlight(chosen ? undefined : number));
    return element('li', {}, row);
  }

  /**
   * Returns the work of a site in the selected time range; in the whole run if no range is
   * selected.
   */
  #work(site: SiteId): Ns {
    return this.store.inRange()?.ran[site] ?? this.store.model.sites[site]!.work_ns;
  }

  /** Returns the work of a site; of a barrier that until it. What has neither has waits, or nothing. */
  #time(number: SiteId): string {
    const { sites } = this.store.model;
    if (hasGrains(sites[number]!)) return formatTime(this.#work(number));
    const until = this.#until.get(number) ?? 0;
    return until > 0 ? `until ${formatTime(ns(until))}` : this.#waits(number);
  }

  #waits(number: SiteId): string {
    const { wait_ns } = this.store.model.whole.sites[number]!;
    return wait_ns > 0 ? `waits ${formatTime(ns(wait_ns))}` : '';
  }

  /** Returns what is said of a site below its name. */
  #about(number: SiteId): string {
    const site = this.store.model.sites[number]!;
    const waits = this.#until.has(number) ? this.#waits(number) : '';
    return [site.file ? site.function : '', site.kind, waits].filter(Boolean).join(' · ');
  }

  #renderStepper(): void {
    const grains = this.store.highlighted();
    this.#stepper.hidden = grains === undefined;
    if (!grains) return;
    const { value } = this.store.selected;
    const at = value === undefined ? -1 : grains.indexOf(value);
    const where =
      at < 0 ? formatNumber(grains.length, 'grain') : `${formatCount(at + 1)} of ${formatCount(grains.length)}`;
    const steps = [
      button('Previous', 'The grain before, of those that stand out (P)', () => this.store.step(-1)),
      button('Next', 'The grain after, of those that stand out (N)', () => this.store.step(1)),
    ];
    for (const step of steps) step.disabled = grains.length === 0;
    const clear = button('Clear', 'Show all grains alike', () => this.store.clear());
    this.#stepper.replaceChildren(element('span', { role: 'status' }, where), ...steps, clear);
  }
}
