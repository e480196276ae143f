// SPDX-License-Identifier: Apache-2.0
// The matched sites of two recordings: what each site did before and after, and whether the change
// is larger than the noise. Choosing a row selects its site in both recordings.
import { element } from '../base/dom';
import { formatCount, formatRatio, formatTime } from '../base/format';
import type { DiffSite, Joined, Place } from '../model/pair';
import { siteLabel } from '../model/sites';
import type { PairStore } from '../state/pair';
import { changeCells, signed } from './change';
import { signScroll } from './scroll-sign';

const MAX_ROWS = 300;
const TIMES = ['Work', 'Waits', 'Creation'];
const HOW: Record<string, string> = {
  address: 'same address',
  line: 'same line',
  order: 'joined by order',
  alone: 'no counterpart',
};

export class DiffTable {
  readonly root: HTMLElement;
  readonly #body = element('tbody');
  readonly #status = element('small', { role: 'status' });
  readonly #search = element('input', {
    type: 'search',
    placeholder: 'File, function or line',
    'aria-label': 'Search the table by file, function or line',
    spellcheck: 'false',
  });

  constructor(readonly store: PairStore) {
    this.#search.addEventListener('input', () => store.query.set(this.#search.value));
    const scroll = { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of sites' };
    this.root = element(
      'section',
      { class: 'site-table', 'aria-label': 'Sites before and after' },
      element('div', { class: 'viewbar' }, element('h2', {}, 'Sites'), this.#search, this.#status),
      signScroll(element('div', scroll, element('table', {}, element('thead', {}, ...heads()), this.#body))),
      element('p', { class: 'joined' }, joinedText(store.pair.joined)),
    );
    store.query.listen(() => this.#show());
    store.site.listen(() => this.#show());
    this.#show();
  }

  focus(): void {
    this.#search.focus();
    this.#search.select();
  }

  /** Returns the rows in which all words of the search occur. */
  found(): number[] {
    const words = this.store.query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = ({ before, after, kind }: DiffSite) =>
      [before, after].map((place) => place && `${place.file}:${place.line} ${place.function}`).join(' ') + kind;
    const { sites } = this.store.pair;
    return [...sites.keys()].filter((row) => words.every((word) => text(sites[row]!).toLowerCase().includes(word)));
  }

  #show(): void {
    const rows = this.found();
    this.#body.replaceChildren(...rows.slice(0, MAX_ROWS).map((row) => this.#row(row)));
    const count = rows.length === 1 ? '1 site' : `${formatCount(rows.length)} sites`;
    const rest = rows.length > MAX_ROWS ? `, the first ${MAX_ROWS} are shown` : '';
    this.#status.textContent = `${count}${rest}; those that changed by more than noise first`;
  }

  #row(row: number): HTMLElement {
    const site = this.store.pair.sites[row]!;
    const isChosen = this.store.site.value === row;
    const label = element('button', { type: 'button', class: 'link', 'aria-pressed': String(isChosen) }, nameOf(site));
    label.title = [site.before, site.after].map((place) => place?.file).find(Boolean) ?? 'no debug information';
    label.addEventListener('click', () => this.store.choose(isChosen ? undefined : row));
    const place = site.after ?? site.before;
    const about = [place?.file ? place.function : '', site.kind, HOW[site.joined] ?? site.joined];
    return element(
      'tr',
      { class: isChosen && 'chosen' },
      element('th', { scope: 'row' }, label, element('small', {}, about.filter(Boolean).join(' · '))),
      element('td', {}, site.before ? formatCount(site.count_before) : ''),
      element('td', {}, site.after ? formatCount(site.count_after) : ''),
      ...[site.work, site.wait, site.creation].flatMap((change) => changeCells(change, true)),
      element('td', {}, ...sameGrains(site)),
    );
  }
}

function heads(): HTMLElement[] {
  const group = (name: string, columns: number) => element('th', { colspan: columns, scope: 'colgroup' }, name);
  const column = (name: string) => element('th', { scope: 'col' }, name);
  const sides = ['before', 'after'];
  return [
    element(
      'tr',
      {},
      element('th', { rowspan: 2, scope: 'col' }, 'Site'),
      group('Grains, or waits', 2),
      ...TIMES.map((name) => group(name, 3)),
      element('th', { rowspan: 2, scope: 'col', title: 'Work of the grains that have a counterpart' }, 'Same grains'),
    ),
    element('tr', {}, ...sides.map(column), ...TIMES.flatMap(() => [...sides, 'change'].map(column))),
  ];
}

/** Returns the name of a site: "a.c:12", or "a.c:12 → a.c:14" where its line has changed. */
export function nameOf({ before, after }: Pick<DiffSite, 'before' | 'after'>): string {
  const label = (place: Place | undefined) => place && siteLabel(place);
  const [first, last] = [label(before), label(after)];
  if (first === undefined) return `${last} (only after)`;
  if (last === undefined) return `${first} (only before)`;
  return first === last ? last : `${first} → ${last}`;
}

function sameGrains({ grains }: DiffSite): (Node | string)[] {
  if (!grains || grains.matched === 0 || !(grains.matched_before_ns > 0)) return [];
  const { matched, matched_before_ns, matched_after_ns } = grains;
  const all = matched + grains.no_construct + grains.no_scope + grains.other_number;
  const times = `${formatTime(matched_before_ns)} → ${formatTime(matched_after_ns)}`;
  const middle = Number.isNaN(grains.deviation) ? '' : `, ${formatRatio(grains.deviation)} at the median`;
  const title = `${times}, after / before${middle}`;
  return [
    element('span', { title }, signed(matched_after_ns / matched_before_ns)),
    ' ',
    element('small', {}, `${formatCount(matched)} of ${formatCount(all)}`),
  ];
}

/** Returns how constructs and grains were joined, in sentences. */
function joinedText(joined: Joined): string {
  const list = (parts: [number, string][], otherwise: string) =>
    parts
      .filter(([count]) => count > 0)
      .map(([count, words]) => `${formatCount(count)} ${words}`)
      .join(', ') || otherwise;
  const constructs = list(
    [
      [joined.by_address, 'at the same address of the same build'],
      [joined.by_line, 'at the same line'],
      [joined.by_order, 'by their order in the function'],
      [joined.only_before, 'only before'],
      [joined.only_after, 'only after'],
    ],
    'none',
  );
  const others = list(
    [
      [joined.no_construct, 'are of constructs that were not there before'],
      [joined.no_scope, 'were created in grains without a counterpart'],
      [joined.other_number, 'are another number of grains, or other iterations, than were created there before'],
    ],
    '',
  );
  const share = (part: number) => `${(part * 100).toFixed(1)} %`;
  const all = joined.matched + joined.unmatched;
  const grains =
    `${formatCount(joined.matched)} of ${formatCount(all)} grains after have a counterpart, with ` +
    `${share(joined.matched_work_before)} of the work before and ${share(joined.matched_work_after)} after.`;
  return `Constructs were joined: ${constructs}. ${grains}${others && ` Of the others ${others}.`}`;
}
