// SPDX-License-Identifier: Apache-2.0
// The largest parts of the program, in the first part of the page: what a reader has to know of the
// program before its defects, and all there is to say of it where no defect was found.
import { button, element } from '../base/dom';
import { formatCount, formatPercent, formatTime } from '../base/format';
import { ns } from '../base/time';
import type { OutlineRow } from '../model/outline';
import { type Part, partsOf } from '../model/parts';
import type { Store } from '../state/store';
import { placeName, startName, timeBar } from './outline-row';
import { wholeRun } from './whole-run';

/** Beside findings there is room for names of this length; longer ones are shortened. */
const LONGEST_BESIDE = 22;
/** The others are in the view of the whole program. */
const MOST = 5;
/** With this number of rows, and those in the last part, there is no room for another part. */
const MOST_ROWS = 7;
/** A smaller share of the run has no row of its own. */
const LEAST = 0.005;

/** `beside`: the parts stand beside findings. */
export function partsView(store: Store, beside = true): HTMLElement[] {
  const longest = beside ? LONGEST_BESIDE : undefined;
  const { run, whole } = store.model;
  const parts = partsOf(whole.outline);
  if (parts.length === 0) return [];
  const shown: Part[] = [];
  const rows: HTMLElement[] = [];
  for (const part of parts.filter(({ wall_ns }) => wall_ns >= LEAST * run.wall_ns).slice(0, MOST)) {
    if (rows.length >= MOST_ROWS) break;
    shown.push(part);
    rows.push(...rowsOf(store, part, longest));
  }
  const rest = ns(parts.slice(shown.length).reduce((sum, { wall_ns }) => sum + wall_ns, 0));
  if (parts.length > shown.length) {
    const name = `${formatCount(parts.length - shown.length)} shorter`;
    rows.push(line([name], formatTime(rest), formatPercent(rest / run.wall_ns)));
  }
  const heads = ['', 'Time', 'Of the run', 'Workers’ time'].map((name) => element('th', { scope: 'col' }, name));
  const all = button('show all', 'What the program is made of, in order of time', () => {
    store.view.set('outline');
    store.unfolded.set({});
  });
  all.className = 'link';
  return [
    element(
      'section',
      { class: 'in-parts' },
      element('h2', {}, 'What the program is made of', ' ', all, wholeRun()),
      element(
        'table',
        { class: 'parts' },
        element('thead', {}, element('tr', {}, ...heads)),
        element('tbody', {}, ...rows),
      ),
    ),
  ];
}

function rowsOf(store: Store, part: Part, longest: number | undefined): HTMLElement[] {
  const share = part.wall_ns / store.model.run.wall_ns;
  const own = line(nameOf(store, part, longest), formatTime(part.wall_ns), formatPercent(share));
  own.append(element('td', { class: 'in-bar' }, ...timeBar(store, part, share)));
  return [own, ...part.inside.flatMap((inside) => insideRow(store, part, inside, longest))];
}

function insideRow(store: Store, part: Part, inside: OutlineRow, longest: number | undefined): HTMLElement[] {
  if (!isPlace(inside.kind) || isEnd(store, part, inside)) return [];
  const name = placeName(store, { ...inside, kind: inside.kind }, longest);
  const words = ` × ${formatCount(inside.count)}: ${formatPercent(inside.work_ns / part.work_ns)} of its work`;
  const run = store.model.run;
  const spent = inside.classes.reduce((sum, time) => sum + time, 0) / Math.max(1, run.workers);
  const cells = [formatTime(inside.wall_ns), formatPercent(inside.wall_ns / run.wall_ns)];
  const bar = element('td', { class: 'in-bar' }, ...timeBar(store, inside, spent / run.wall_ns));
  const head = element('th', { scope: 'row' }, ...name, words);
  return [element('tr', { class: 'most' }, head, ...cells.map((text) => element('td', {}, text)), bar)];
}

/** Whether a row is all of a region without debug information: their names would be alike. */
function isEnd(store: Store, { site }: Part, inside: OutlineRow): boolean {
  const [outer, inner] = [store.model.sites[site ?? -1], store.model.sites[inside.site ?? -1]];
  return inside.kind === 'phase' && outer?.file === '' && outer.function === inner?.function;
}

const SERIAL = {
  serial: 'serial, between regions',
  end: 'serial, after the last region',
} as const;

const isPlace = (kind: string): kind is 'loop' | 'task' | 'phase' => ['loop', 'task', 'phase'].includes(kind);

function nameOf(store: Store, part: Part, longest: number | undefined): (HTMLElement | string)[] {
  if (part.kind === 'region') return placeName(store, { kind: part.kind, site: part.site }, longest);
  return [part.kind === 'start' ? startName(store, part) : SERIAL[part.kind]];
}

function line(name: (HTMLElement | string)[], ...cells: string[]): HTMLElement {
  const isOfSerial = name.length === 1;
  return element(
    'tr',
    {},
    element('th', { scope: 'row', class: isOfSerial && 'serial' }, ...name),
    ...cells.map((text) => element('td', {}, text)),
  );
}
