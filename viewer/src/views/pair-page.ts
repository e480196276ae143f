// SPDX-License-Identifier: Apache-2.0
// The page of two recordings: the views of both recordings, above or beside each other, and the
// results of `teff diff` for the two. The page has no time or source view of its own.
import { button, element } from '../base/dom';
import { baseName, formatCount, formatRatio, formatTime } from '../base/format';
import { DARK, LIGHT, type Theme } from '../draw/theme';
import { classLabel } from '../model/answers';
import { type DiffSide, type NamedChange, type Pair, SIDES, type SideName } from '../model/pair';
import { bindPairLink, PairStore } from '../state/pair';
import type { Store } from '../state/store';
import { budget } from './answers-view';
import { Painter, paintedBy } from './app';
import { changeCells, changeText, intervalText, verdictText } from './change';
import { DiffTable } from './diff-table';
import { type Entries, Help } from './help';
import { forward, MOVES } from './keys';
import { laneLegend } from './legend';
import { signScroll } from './scroll-sign';
import { SourceView } from './source-view';
import { StripView } from './strip-view';
import { TimelineView } from './timeline-view';
import { Tooltip } from './tooltip';

const KEYS: Entries = [
  ['W S, + −', 'zoom in and out, in both time lines'],
  ['A D, arrows', 'move'],
  ['0', 'show all'],
  ['N P', 'next and previous site of the table'],
  ['/', 'search sites by file, function or line'],
  ['Esc', 'clear the selected grain, then the site and the time range'],
  ['?', 'this list'],
];
const MOUSE: Entries = [
  ['Wheel', 'zooms both time lines around the pointer; with Shift it moves'],
  ['Drag', 'moves; in a strip of parallelism it selects a time range for both'],
  ['Click', 'selects a grain and its site, in both recordings'],
];
const TITLES: Record<SideName, string> = { before: 'Before', after: 'After' };
/**
 * The most lanes that have their full height. More lanes share the height, and the user scrolls to
 * them.
 */
const MOST_LANES = 16;

/** The views of one of the recordings. */
interface Side {
  store: Store;
  strip: StripView;
  timeline: TimelineView;
  source: SourceView;
  tooltip: Tooltip;
}

export interface PairApp extends Record<SideName, Side> {
  store: PairStore;
}

export function showPair(root: HTMLElement, pair: Pair): PairApp {
  const store = new PairStore(pair);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const theme = (): Theme => (dark.matches ? DARK : LIGHT);
  const sides = { before: sideOf(store.before, theme, dark), after: sideOf(store.after, theme, dark) };
  together(sides.before.timeline, sides.after.timeline);
  const legend = laneLegend([pair.before, pair.after]);
  legend.show(theme());
  dark.addEventListener('change', () => legend.show(theme()));
  const table = new DiffTable(store);
  const help = new Help(KEYS, MOUSE);
  const of = (make: (side: SideName) => HTMLElement) => SIDES.map(make);
  root.replaceChildren(
    pairHeader(pair, () => help.toggle()),
    element(
      'div',
      { class: 'pair', tabindex: 0, role: 'region', 'aria-label': 'Both recordings' },
      ...of((side) => named(side, pair, sides[side].strip.root)),
      ...of((side) => named(side, pair, lanes(pair, side, sides[side].timeline.root))),
      legend.root,
      whereTimeWent(pair),
      table.root,
      element('div', { class: 'beside' }, ...of((side) => named(side, pair, sides[side].source.root))),
    ),
    ...of((side) => sides[side].tooltip.root),
    help.root,
  );
  for (const side of SIDES) sides[side].source.open();
  bindPairKeys(store, table, help, sides.before.timeline);
  bindPairLink(store, window);
  document.title = `${shortName(pair.sides.before)} and ${shortName(pair.sides.after)} – Teff`;
  return { store, ...sides };
}

function sideOf(store: Store, theme: () => Theme, dark: MediaQueryList): Side {
  const painter = new Painter(store, theme);
  const tooltip = new Tooltip(store);
  const timeline = new TimelineView(store, () => painter.paint, tooltip);
  const strip = new StripView(store, theme);
  const source = new SourceView(store);
  const redraw = () => timeline.redraw();
  const recolour = () => {
    painter.repaint();
    redraw();
  };
  // A grain that is gone to may open the groups around it.
  store.folds.arranged = () => {
    painter.regroup();
    return Promise.resolve();
  };
  store.selected.listen(redraw);
  store.hovered.listen(redraw);
  for (const signal of paintedBy(store)) signal.listen(recolour);
  dark.addEventListener('change', () => {
    recolour();
    strip.redraw();
  });
  return { store, strip, timeline, source, tooltip };
}

/** Couples two time lines: each shows the stretch of time that the other shows. */
function together(first: TimelineView, second: TimelineView): void {
  let following = false;
  const lead = (leader: TimelineView, follower: TimelineView) => () => {
    if (following) return;
    following = true;
    follower.follow(leader);
    following = false;
  };
  first.aimed = lead(first, second);
  second.aimed = lead(second, first);
}

const shortName = ({ name }: DiffSide): string => baseName(name.replace(/\/+$/, '')) || name;

function pairHeader(pair: Pair, help: () => void): HTMLElement {
  const { wall, sides } = pair;
  const figures = element('dl', { class: 'run' });
  const add = (label: string, value: string, explanation: string, aside = '') =>
    figures.append(
      element(
        'div',
        { title: explanation },
        element('dt', {}, label),
        element('dd', {}, value, ' ', element('small', {}, aside)),
      ),
    );
  const medians = 'Medians of the runs that count';
  const both = (of: (side: SideName) => string) => `${of('before')} → ${of('after')}`;
  add('Wall time', `${formatTime(wall.before_ns)} → ${formatTime(wall.after_ns)}`, medians, changeText(wall));
  const verdict = [verdictText(wall), intervalText(wall)].filter(Boolean).join('; ');
  add(
    'Speed-up',
    formatRatio(wall.before_ns / wall.after_ns),
    `Wall time before / after. ${verdict}`,
    verdictText(wall),
  );
  const work = pair.totals.find(({ name }) => name === 'work');
  if (work) add('Work', `${formatTime(work.before_ns)} → ${formatTime(work.after_ns)}`, medians, changeText(work));
  add(
    'Parallelism',
    both((side) => formatRatio(pair[side].run.parallelism)),
    'Work over span, of the runs that are shown',
  );
  add(
    'Workers',
    both((side) => formatCount(pair[side].run.workers)),
    'Threads that ran grains',
  );
  const { before, after } = sides;
  const commands = before.command === after.command ? after.command : both((side) => sides[side].command);
  const names = both((side) => shortName(sides[side]));
  return element(
    'header',
    { class: 'of-pair' },
    element('div', { class: 'title' }, element('h1', {}, names), element('code', { title: commands }, commands)),
    figures,
    button('?', 'Keys, mouse and terms (?)', help),
  );
}

/**
 * Returns a view under the name of its recording. The name is a link to the page of that recording
 * alone.
 */
function named(side: SideName, pair: Pair, view: HTMLElement): HTMLElement {
  const { runs, median_run, command } = pair.sides[side];
  const { name, grains, shown } = pair[side].run;
  const median = runs > 1 ? `the median of ${formatCount(runs)} runs` : '';
  const folded = shown < grains ? `${formatCount(grains)} grains, folded to ${formatCount(shown)}` : '';
  return element(
    'section',
    { class: `side ${side}`, 'aria-label': TITLES[side] },
    element(
      'h2',
      { title: `${median_run}: ${command}` },
      TITLES[side],
      ' ',
      element('a', { href: `?run=${side}`, title: 'This recording alone, with all views' }, name),
      element('small', {}, [median, folded].filter(Boolean).join('; ')),
    ),
    view,
  );
}

function lanes(pair: Pair, side: SideName, timeline: HTMLElement): HTMLElement {
  timeline.style.setProperty('--lanes', String(Math.min(Math.max(pair[side].run.workers, 1), MOST_LANES)));
  return timeline;
}

/** Returns the budgets of the shown runs on one scale, and the sums over all runs. */
function whereTimeWent(pair: Pair): HTMLElement {
  const most = Math.max(...SIDES.map((side) => pair[side].answers.whole_ns), 1);
  const bars = SIDES.map((side) => {
    const { answers, run } = pair[side];
    const section = budget(answers, run.workers);
    section.style.setProperty('--share', String(answers.whole_ns / most));
    return named(side, pair, section);
  });
  const notes = element('ul', { class: 'notes', role: 'status' });
  notes.append(...pair.notes.map((text) => element('li', {}, text)));
  notes.hidden = pair.notes.length === 0;
  return element(
    'details',
    { class: 'answers', open: true },
    element('summary', {}, 'Where the time went'),
    element('div', { class: 'beside' }, ...bars),
    signScroll(element('div', { class: 'scroll' }, totals(pair.totals))),
    notes,
  );
}

function totals(all: NamedChange[]): HTMLElement {
  const shown = all.filter(({ before_ns, after_ns }) => before_ns > 0 || after_ns > 0);
  const rows = shown.map((change) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, classLabel(change.name)),
      ...changeCells(change, false),
      element('td', { class: 'words' }, [verdictText(change), intervalText(change)].filter(Boolean).join('; ')),
    ),
  );
  const heads = ['Medians of the runs', 'before', 'after', 'change', 'more than noise?'];
  const head = element('tr', {}, ...heads.map((name) => element('th', { scope: 'col' }, name)));
  return element('table', { class: 'totals' }, element('thead', {}, head), element('tbody', {}, ...rows));
}

function bindPairKeys(store: PairStore, table: DiffTable, help: Help, timeline: TimelineView): void {
  const actions: Record<string, () => void> = {
    n: () => store.step(1, table.found()),
    p: () => store.step(-1, table.found()),
    '/': () => table.focus(),
    '?': () => help.toggle(),
  };
  window.addEventListener('keydown', (event) => {
    const writes = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === 'Escape' && !help.root.open) {
      if (writes) (event.target as HTMLElement).blur();
      else store.clear();
      return;
    }
    if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
    if (MOVES.has(event.key)) forward(event, timeline.root.querySelector<HTMLElement>('.surface')!);
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
