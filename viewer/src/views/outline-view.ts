// SPDX-License-Identifier: Apache-2.0
// What the program is made of: its parallel regions and the serial parts between them, in order of
// time, with repetitions folded, and what is in each region. A row has a bar of the workers' time
// in the colours of the budget. A click on a row selects its site.
import { element } from '../base/dom';
import { formatCount, formatPercent, formatTime } from '../base/format';
import { ns } from '../base/time';
import { classLabel, classMeaning } from '../model/answers';
import type { OutlineRow } from '../model/outline';
import { siteLabel } from '../model/sites';
import type { Store } from '../state/store';
import { signScroll } from './scroll-sign';

const isSerial = (kind: OutlineRow['kind']) => kind === 'serial' || kind === 'start';

/** A part of a bar that is a smaller share of its row cannot be seen. */
const LEAST = 0.005;

/** Serial parts that are a smaller share of the run have no row. */
const LEAST_SERIAL = 0.001;

const COLUMNS: readonly [name: string, title: string][] = [
  ['Times', 'Rounds of a repetition, instances of a region or of a part of it, chunks of a loop, tasks'],
  ['Time', 'From begin to end, summed over all times'],
  ['Of the run', 'Share of the wall time'],
  ['Work', 'Time in the code of the program, summed over the workers'],
  ['Workers’ time', 'What the workers did in it, in the colours of the budget; as long as its share of the run'],
];

export class OutlineView {
  readonly root: HTMLElement;
  readonly #rows: [OutlineRow, HTMLElement][] = [];

  constructor(readonly store: Store) {
    const { row: rows, more } = store.model.whole.outline;
    this.root = element('section', { class: 'outline', 'aria-label': 'What the program is made of' });
    if (!rows.some(({ kind }) => kind === 'region')) {
      this.root.append(element('p', { class: 'empty' }, 'The recording has no parallel regions.'));
      return;
    }
    const heads = COLUMNS.map(([name, title]) => element('th', { scope: 'col', title }, name));
    const head = element('tr', {}, element('th', { scope: 'col' }, 'In order of time'), ...heads);
    const shown = rows.filter(
      ({ kind, wall_ns }) => kind !== 'serial' || wall_ns > store.model.run.wall_ns * LEAST_SERIAL,
    );
    const body = element('tbody', {}, ...shown.map((row) => this.#row(row)));
    const table = element('table', {}, element('thead', {}, head), body);
    this.root.append(
      signScroll(element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Outline' }, table)),
    );
    if (more > 0)
      this.root.append(element('p', { class: 'hint more' }, `${formatCount(more)} more rows are left out.`));
    store.site.listen(() => this.#mark());
    this.#mark();
  }

  #row(row: OutlineRow): HTMLElement {
    const { wall_ns } = this.store.model.run;
    const name = element('th', { scope: 'row', class: row.kind }, ...this.#name(row));
    name.style.setProperty('--depth', String(row.depth));
    const share = row.wall_ns / wall_ns;
    const cells = [
      isSerial(row.kind) && row.count === 1 ? '' : `× ${formatCount(row.count)}`,
      row.wall_ns > 0 ? formatTime(row.wall_ns) : '',
      row.wall_ns > 0 ? formatPercent(share) : '',
      row.work_ns > 0 ? formatTime(row.work_ns) : '',
    ];
    const node = element(
      'tr',
      {},
      name,
      ...cells.map((text) => element('td', {}, text)),
      element('td', { class: 'in-bar' }, ...this.#bar(row, share)),
    );
    this.#rows.push([row, node]);
    return node;
  }

  #name(row: OutlineRow): (HTMLElement | string)[] {
    const { store } = this;
    const site = store.model.sites[row.site ?? -1];
    if (row.kind === 'repeat') return [`${formatCount(row.count)} rounds of`];
    if (row.kind === 'start') return ['serial, before the first region'];
    if (row.kind === 'serial') return ['serial'];
    const words = { region: '', loop: 'loop ', task: 'tasks ', phase: 'until ' }[row.kind];
    if (!site) return [`${words}unknown place`];
    const link = element(
      'button',
      { type: 'button', class: 'link', title: site.file || site.function },
      siteLabel(site),
    );
    link.addEventListener('click', () => {
      const same = this.#grainsOf(row);
      store.highlight(store.site.value === same ? undefined : same);
    });
    const about = site.file && site.function ? [' ', element('small', {}, site.function)] : [];
    const end = row.kind === 'phase' && site.kind === 'region' ? ' (its end)' : '';
    return [words, link, ...about, end];
  }

  /** Returns the site whose grains do the work of a row: that of a region has none itself. */
  #grainsOf({ site: number }: OutlineRow): OutlineRow['site'] {
    const { sites } = this.store.model;
    const site = sites[number ?? -1];
    if (!site || this.store.bySite.of(number!).length > 0) return number;
    const own = sites.findIndex(
      (other) => other.kind === 'implicit' && other.line === site.line && other.file === site.file && site.line > 0,
    );
    return own < 0 ? number : (own as typeof number);
  }

  #bar({ classes, kind }: OutlineRow, share: number): HTMLElement[] {
    const all = classes.reduce((sum, time) => sum + time, 0);
    if (all === 0) return [];
    const bar = element('div', { class: 'budget' });
    bar.style.width = `${Math.max(share * 100, 0.4)}%`;
    for (const [at, time] of classes.entries()) {
      if (time < all * LEAST) continue;
      const name = this.store.model.whole.outline.classes[at]!;
      const of = isSerial(kind) ? '' : `, ${formatPercent(time / all)}`;
      const part = element('i', {
        class: name,
        title: `${classLabel(name)}: ${formatTime(ns(time))}${of}; ${classMeaning(name)}`,
      });
      part.style.flexGrow = String(time / all);
      bar.append(part);
    }
    return [bar];
  }

  #mark(): void {
    const { value } = this.store.site;
    for (const [row, node] of this.#rows)
      node.classList.toggle('chosen', value !== undefined && this.#grainsOf(row) === value);
  }
}
