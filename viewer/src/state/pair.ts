// SPDX-License-Identifier: Apache-2.0
// What the user has chosen on the page of two recordings. Each recording has its own store; this
// module couples the stores: there is one time scale, one selected time range, and one selected
// site, which is a row of the comparison.
import { Signal } from '../base/signal';
import { ns } from '../base/time';
import { NONE, type SiteId, siteId } from '../model/ids';
import { type Pair, SIDES, type SideName } from '../model/pair';
import { buildTree } from '../model/tree';
import { formatLink, parseLink } from './link';
import { serverOf } from './server';
import { Store } from './store';

const OTHER = { before: 'after', after: 'before' } as const;

/** The store of one of the recordings. */
export function storeOf(pair: Pair, side: SideName): Store {
  const model = pair[side];
  return new Store(model, buildTree(model), serverOf(model, `${side}/`));
}

export class PairStore {
  readonly before: Store;
  readonly after: Store;
  /** The selected row of the comparison's list of sites. */
  readonly site = new Signal<number | undefined>(undefined);
  /** The words by which sites are searched. */
  readonly query = new Signal('');
  /**
   * True while a site is being selected on both sides, so that the change of one side is not
   * followed again.
   */
  #choosing = false;

  constructor(readonly pair: Pair) {
    this.before = storeOf(pair, 'before');
    this.after = storeOf(pair, 'after');
    const span = ns(Math.max(this.before.end, this.after.end));
    for (const side of SIDES) {
      const [store, other] = [this[side], this[OTHER[side]]];
      store.compare(undefined, span);
      // Where both have the same range already, nothing is set, and so nothing is told.
      store.range.listen((range) => other.focus(range));
      store.site.listen((site) => this.#follow(side, site));
      store.selected.listen((grain) => {
        if (grain === undefined) return;
        other.select(undefined);
        const site = store.model.grain.site[grain]!;
        if (site !== NONE) store.highlight(site);
      });
    }
  }

  /** Selects a row of the comparison: its site on each side that has it. */
  choose(row: number | undefined): void {
    const site = this.pair.sites[row ?? -1];
    this.#choosing = true;
    for (const side of SIDES) this[side].highlight(site?.rows[side]);
    this.#choosing = false;
    this.site.set(site && row);
  }

  /** Selects the next or previous of the given rows. The row after the last is the first. */
  step(by: 1 | -1, rows: readonly number[]): void {
    if (rows.length === 0) return;
    const at = this.site.value === undefined ? -1 : rows.indexOf(this.site.value);
    const start = by > 0 ? 0 : rows.length - 1;
    this.choose(rows[at < 0 ? start : (at + by + rows.length) % rows.length]);
  }

  /** Clears one part of the selection: the grain, else the site, else the time range. */
  clear(): void {
    const chosen = SIDES.find((side) => this[side].selected.value !== undefined);
    if (chosen) this[chosen].select(undefined);
    else if (this.before.site.value !== undefined || this.after.site.value !== undefined) this.choose(undefined);
    else this.before.focus(undefined);
  }

  /**
   * Called when a site was selected on one side: selects its counterpart on the other. A site
   * without a row in the comparison has no counterpart.
   */
  #follow(side: SideName, site: SiteId | undefined): void {
    if (this.#choosing) return;
    const { sites } = this.pair;
    const isIt = (row: number | undefined) => row !== undefined && sites[row]!.rows[side] === site;
    const found = site === undefined ? -1 : sites.findIndex(({ rows }) => rows[side] === site);
    const row = isIt(this.site.value) ? this.site.value : found < 0 ? undefined : found;
    this.#choosing = true;
    this[OTHER[side]].highlight(sites[row ?? -1]?.rows[OTHER[side]]);
    this.#choosing = false;
    this.site.set(row);
  }
}

/** Keeps the page's address and the selection the same: "#site=3&range=1000-2500", where 3 is a row of the comparison. */
export function bindPairLink(store: PairStore, window: Window): void {
  const write = () => {
    const row = store.site.value;
    const site = row === undefined ? undefined : siteId(row);
    const link = formatLink({ ...parseLink(''), site, range: store.before.range.value });
    if (link !== window.location.hash)
      window.history.replaceState(null, '', link || window.location.pathname + window.location.search);
  };
  const read = () => {
    const { site, range } = parseLink(window.location.hash);
    store.choose(site);
    store.before.focus(range);
  };
  read();
  window.addEventListener('hashchange', read);
  store.site.listen(write);
  store.before.range.listen(write);
}
