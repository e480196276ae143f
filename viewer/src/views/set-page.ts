// SPDX-License-Identifier: Apache-2.0
// The page of a set of recordings: whether the program scales and what limits it, as `teff report`
// says it, and where the workers' time went on each number of threads. Each row leads to the page
// of its median run.
import { element } from '../base/dom';
import { formatTime } from '../base/format';
import { type Point, type RunSet, threadsOf } from '../model/run-set';
import { budget } from './answers-view';
import { signScroll } from './scroll-sign';

export function showSet(root: HTMLElement, set: RunSet): void {
  const { name, command, verdict } = set;
  root.replaceChildren(
    element(
      'header',
      { class: 'of-set' },
      element('div', { class: 'title' }, element('h1', {}, name), element('code', { title: command }, command)),
    ),
    element(
      'div',
      { class: 'set', tabindex: 0, role: 'region', 'aria-label': 'How the program scales' },
      ...(verdict ? [element('p', { class: 'verdict' }, verdict)] : []),
      table(set),
      ...notes(set),
      meanings(set),
      budgets(set),
    ),
  );
  document.title = `${name} – Teff`;
}

/** Returns a ratio with the digits that the report prints. */
export function ratio(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value.toFixed(value >= 0.0995 ? 2 : value >= 0.00995 ? 3 : 4);
}

function table(set: RunSet): HTMLElement {
  const { points, factors } = set;
  // If a program sets the number itself, the efficiency is based on the workers.
  const otherWorkers = points.some((point) => threadsOf(point) !== point.workers);
  const heads: [name: string, title: string][] = [
    ['threads', 'The number that was asked for; leads to the median run'],
    ...(otherWorkers ? [['workers', 'Threads that ran grains'] as [string, string]] : []),
    ['wall time', 'Of the median run, from the start of the recording to its end'],
    ['speed-up', 'Wall time of the first row / wall time of this row'],
    ['efficiency', 'Workers x wall time of the first row / that of this row'],
    ...factors.map(({ name, meaning }, at): [string, string] => [`${at === 0 ? '=' : '×'} ${name}`, meaning]),
    ['runs', 'That count'],
    ['shortest..longest', 'Wall time of all runs'],
  ];
  const head = element('tr', {}, ...heads.map(([name, title]) => element('th', { scope: 'col', title }, name)));
  const rows = points.map((point) => {
    const cells = [
      ...(otherWorkers ? [String(point.workers)] : []),
      formatTime(point.wall_ns),
      ratio(point.speedup),
      ratio(point.efficiency),
      ...factors.map((factor) => ratio(point.factors[factor.name] ?? Number.NaN)),
      String(point.runs),
      `${formatTime(point.wall_min_ns)}..${formatTime(point.wall_max_ns)}`,
    ];
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, link(point)),
      ...cells.map((text) => element('td', {}, text)),
    );
  });
  const body = element('tbody', {}, ...rows);
  return signScroll(
    element('div', { class: 'scroll' }, element('table', { class: 'scaling' }, element('thead', {}, head), body)),
  );
}

function link(point: Point): HTMLElement {
  const threads = threadsOf(point);
  const words = `${threads} ${threads === 1 ? 'thread' : 'threads'}`;
  const href = `?run=${encodeURIComponent(point.run)}`;
  return element('a', { href, title: `${point.run}, the median run on ${words}, with all views` }, words);
}

/** Returns what the factors stand for; nothing if there is no loss. */
function meanings({ factors, near }: RunSet): HTMLElement {
  const list = element('dl', { class: 'factors' });
  for (const { name, meaning } of factors) list.append(element('dt', {}, name), element('dd', {}, meaning));
  const others = near.length > 0 ? `Within 0.5 % of 1: ${near.join(', ')}.` : '';
  return element(
    'section',
    {},
    element('h2', {}, 'The efficiency is the product of its factors; 1 means that nothing is lost'),
    list,
    element('p', { class: 'hint' }, others),
  );
}

/** Returns the budgets of the median runs on one scale. */
function budgets({ points }: RunSet): HTMLElement {
  const most = Math.max(...points.map(({ answers }) => answers.whole_ns), 1);
  const bars = points.map((point) => {
    const section = budget(point.answers, point.workers);
    section.style.setProperty('--share', String(point.answers.whole_ns / most));
    section.prepend(link(point));
    return section;
  });
  return element('section', { class: 'where' }, element('h2', {}, 'Where the time of the workers went'), ...bars);
}

function notes({ notes }: RunSet): HTMLElement[] {
  if (notes.length === 0) return [];
  const list = element('ul', { class: 'notes', role: 'status' }, ...notes.map((text) => element('li', {}, text)));
  return [element('section', {}, element('h2', {}, 'How far to trust these numbers'), list)];
}
