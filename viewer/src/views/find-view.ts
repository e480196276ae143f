// SPDX-License-Identifier: Apache-2.0
// Finds grains: by their number, or the most expensive grains of the selected site or of all sites.
// The view asks the server, so it also finds folded grains. It exists only on a page that is
// served.
import { button, element } from '../base/dom';
import { formatCount, formatRatio, formatTime } from '../base/format';
import { grainNumber, type SiteId } from '../model/ids';
import { siteLabel } from '../model/sites';
import type { By, FoundGrain, FoundGrains, Server } from '../state/server';
import type { Store } from '../state/store';

const MOST = 8;
const ORDERS: readonly [By, string][] = [
  ['work', 'most work'],
  ['benefit', 'lowest benefit'],
  ['wait', 'longest wait'],
  ['number', 'next in program order'],
];

export class FindView {
  readonly root = element('details', { class: 'find' });
  readonly #number = element('input', { type: 'text', inputmode: 'numeric', 'aria-label': 'Number of a grain' });
  readonly #by = element('select', { 'aria-label': 'Order of the grains' });
  readonly #list = element('ol', { 'aria-label': 'Grains found' });
  readonly #status = element('p', { class: 'hint', role: 'status' });
  #asked = 0;

  constructor(
    readonly store: Store,
    readonly server: Server,
  ) {
    const form = element(
      'form',
      {},
      'Grain ',
      this.#number,
      button('Go', 'Go to the grain of this number', () => this.#go()),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#go();
    });
    this.#by.append(...ORDERS.map(([value, label]) => element('option', { value }, label)));
    this.#by.addEventListener('change', () => void this.#search());
    this.root.append(element('summary', {}, 'Find grains'), form, this.#by, this.#status, this.#list);
    this.root.addEventListener('toggle', () => this.#follow());
    store.site.listen((site) => {
      this.#follow();
      if (site !== undefined) void this.#showOne(site);
    });
    store.selected.listen(() => {
      if (this.#by.value === 'number') this.#follow();
    });
  }

  #follow(): void {
    if (this.root.open) void this.#search();
  }

  #go(): void {
    const text = this.#number.value.replace(/[\s#]/g, '');
    const number = /^\d{1,10}$/.test(text) ? grainNumber(Number(text)) : undefined;
    const { grains } = this.store.model.run;
    if (number !== undefined && number < grains) void this.store.reach(number);
    else this.#status.textContent = `Numbers go from 0 to ${formatCount(grains - 1)}.`;
  }

  /** Goes to the grain with most work of a site whose grains are all folded. */
  async #showOne(site: SiteId): Promise<void> {
    const { model, bySite, folds } = this.store;
    if (bySite.of(site).some((row) => !folds.isGroup(row) && !folds.isHidden(row))) return;
    const found = await this.server.grains('work', site, 1);
    const first = found.ok ? found.value.grains[0] : undefined;
    if (first && this.store.site.value === site && model.sites[site]) await this.store.reach(first.number);
  }

  async #search(): Promise<void> {
    const { site, selected, model } = this.store;
    const by = this.#by.value as By;
    const here = by === 'number' && selected.value !== undefined ? model.grain.number[selected.value]! : undefined;
    const from = here === undefined ? undefined : grainNumber(here + 1);
    const asked = ++this.#asked;
    const found = await this.server.grains(by, site.value, MOST, from);
    if (asked !== this.#asked) return;
    if (found.ok) this.#show(found.value, by);
    else this.#status.textContent = found.error;
  }

  #show({ total, grains }: FoundGrains, by: By): void {
    const { site, model } = this.store;
    const of = site.value === undefined ? 'all sites' : siteLabel(model.sites[site.value]!);
    this.#status.textContent = `${formatCount(total)} grains of ${of}`;
    this.#list.replaceChildren(...grains.map((grain) => this.#row(grain, by)));
  }

  #row(grain: FoundGrain, by: By): HTMLElement {
    const site = this.store.model.sites[grain.site];
    const figures = { work: formatTime(grain.work), wait: formatTime(grain.wait), number: formatTime(grain.work) };
    const figure = by === 'benefit' ? formatRatio(grain.benefit) : figures[by];
    const go = button(`#${grain.number}`, 'Go to this grain', () => void this.store.reach(grain.number));
    go.className = 'link';
    return element('li', {}, go, ' ', element('b', {}, figure), ' ', element('span', {}, site ? siteLabel(site) : ''));
  }
}
