// SPDX-License-Identifier: Apache-2.0
// The legend of colours and shapes: those of grains, and those of the lanes of the time line, which
// are the classes of the budget. Entries that do not occur in the recording are left out.
import { element } from '../base/dom';
import { formatTime } from '../base/format';
import { ns } from '../base/time';
import { cssColor } from '../draw/color';
import { classColor, deviceColor, numberColor, restColor, siteColor, type Theme } from '../draw/theme';
import { CLASSES, classLabel, shares } from '../model/answers';
import { allCores } from '../model/cores';
import { counterOf, countText } from '../model/counters';
import { siteId, workerId } from '../model/ids';
import type { ColourBy } from '../model/metrics';
import { Flag, GrainKind, type Model } from '../model/model';
import { limitText, PROBLEM_WORDS } from '../model/problems';
import { siteLabel } from '../model/sites';
import { hasWakes } from '../model/wakes';
import type { Store } from '../state/store';
import { choices } from './choices';
import { signScroll } from './scroll-sign';

type Entry = [className: string, color: number | undefined, text: string];

const SCALES: Partial<Record<ColourBy, string>> = {
  work: 'Work',
  wait: 'Wait',
  creation: 'Creation cost',
  'stall-time': 'Waits for memory',
  'stall-share': 'Waits for memory',
};

export class Legend {
  readonly root: HTMLElement;
  readonly #grains = element('ul', { class: 'of-grains', 'aria-label': 'Legend of grains' });
  readonly #lanes = element('ul', { class: 'of-lanes', 'aria-label': 'Legend of the time line' });
  readonly #found: Found;
  readonly #wakes: boolean;

  constructor(
    readonly store: Store,
    readonly hasCuts: boolean,
  ) {
    this.#found = foundIn([store.model]);
    this.#wakes = hasWakes(store.model);
    this.root = signScroll(element('div', { class: 'legend' }, choices(store), this.#grains, this.#lanes));
  }

  show(theme: Theme): void {
    const { problem, colourBy, model } = this.store;
    const isByClass = !problem.value && colourBy.value === 'kind';
    // Where the lanes show the classes alone, the colours of grains are those of the graph.
    this.#grains.classList.toggle('of-graph', isByClass);
    fill(this.root, this.#grains, [...this.#colours(theme), ...this.#shapes(theme)], theme);
    const classes = classEntries([model], theme).filter(([, , text]) => isByClass || text !== 'work');
    const rest: Entry[] = problem.value ? [['', restColor(theme), 'other grains']] : [];
    const woken: Entry[] = this.#wakes ? [['line', theme.text, 'woken by']] : [];
    // The shapes of grains have the path, too: the style sheet hides this entry beside the graph.
    const path = isByClass ? criticalEntry(this.#found, theme) : [];
    fill(this.root, this.#lanes, [...rest, ...classes, ...deviceEntries(model, theme), ...woken, ...path], theme);
  }

  #colours(theme: Theme): Entry[] {
    const { problem, colourBy, model } = this.store;
    if (problem.value) {
      const { label, explanation } = PROBLEM_WORDS[problem.value];
      const limit = limitText(model, problem.value);
      return [
        ['severity', undefined, `${label}, mild to worst`],
        ['', undefined, explanation],
        ...(limit ? [['', undefined, limit] as Entry] : []),
      ];
    }
    switch (colourBy.value) {
      case 'kind':
        return kindEntries(this.#found, theme);
      case 'site':
        return this.#siteEntries(theme);
      case 'worker':
        return this.#workerEntries(theme);
      case 'core':
        return this.#coreEntries(theme);
      case 'benefit':
        return [['level', undefined, 'Parallel benefit: 16 and more to 1/16 and less']];
      default:
        return [['level', undefined, `${this.#scale(colourBy.value)}: ${this.#ends(colourBy.value)}`]];
    }
  }

  #scale(by: ColourBy): string {
    const counter = counterOf(by);
    return counter === undefined ? (SCALES[by] ?? '') : (this.store.model.counters[counter] ?? '');
  }

  #ends(by: ColourBy): string {
    const counter = counterOf(by);
    if (counter !== undefined) {
      const event = this.store.model.counters[counter]!;
      const most = this.store.mostOf(by);
      return `${countText(event, most / 1e4)} and less to ${countText(event, most)}`;
    }
    if (by === 'stall-share') return '0 to 100 % of its work';
    const most = ns(this.store.mostOf(by));
    if (by === 'stall-time') return `0 to ${formatTime(most)}`;
    return `${formatTime(ns(most / 1e4))} and less to ${formatTime(most)}`;
  }

  #siteEntries(theme: Theme): Entry[] {
    const { bySite, model } = this.store;
    const numbers = [...model.sites.keys()].map(siteId).filter((site) => bySite.of(site).length > 0);
    const own = numbers.filter((site) => site < theme.category.length);
    const entries = own.map((site): Entry => ['', siteColor(theme, site), siteLabel(model.sites[site]!)]);
    if (own.length < numbers.length) entries.push(['', theme.other, 'Other sites']);
    return entries;
  }

  #workerEntries(theme: Theme): Entry[] {
    const { run } = this.store.model;
    const shown = Math.min(run.workers, theme.category.length);
    const entries = Array.from({ length: shown }, (_, worker): Entry => {
      return ['', numberColor(theme, workerId(worker)), run.worker_names[worker] ?? `Worker ${worker}`];
    });
    if (run.workers > shown) entries.push(['', undefined, `and so on: every ${shown}th worker has the same colour`]);
    return entries;
  }

  #coreEntries(theme: Theme): Entry[] {
    const cores = allCores(this.store.model);
    const shown = cores.slice(0, theme.category.length);
    const entries = shown.map((core): Entry => ['', numberColor(theme, core), `Core ${core}`]);
    if (cores.length > shown.length)
      entries.push(['', undefined, `and so on: every ${theme.category.length}th number has the same colour`]);
    return entries;
  }

  #shapes(theme: Theme): Entry[] {
    const entries: Entry[] = [];
    if (this.#found.flags & Flag.Unfinished) entries.push(['hatched', undefined, 'Unfinished']);
    if (this.hasCuts) entries.push(['cut', theme.task, 'Longer than drawn']);
    entries.push(['round', theme.fork, 'Fork'], ['round', theme.join, 'Join']);
    return [...entries, ...criticalEntry(this.#found, theme)];
  }
}

/** The kinds and the flags that occur in recordings. */
interface Found {
  kinds: Set<number>;
  flags: number;
}

function foundIn(models: readonly Model[]): Found {
  const kinds = new Set(models.flatMap(({ grain }) => [...new Set(grain.kind)]));
  const flags = models.reduce((all, { grain }) => grain.flags.reduce((any, flag) => any | flag, all), 0);
  return { kinds, flags };
}

function kindEntries({ kinds, flags }: Found, theme: Theme): Entry[] {
  const entries: Entry[] = [];
  const has = (...wanted: GrainKind[]) => wanted.some((kind) => kinds.has(kind));
  if (has(GrainKind.Task)) entries.push(['', theme.task, 'Task']);
  if (has(GrainKind.Chunk)) entries.push(['', theme.chunk, 'Loop chunk']);
  if (has(GrainKind.Implicit, GrainKind.Initial)) entries.push(['', theme.implicit, 'Implicit or initial task']);
  if (has(GrainKind.Group)) entries.push(['', theme.group, 'Group of small grains']);
  if (flags & Flag.LowBenefit) entries.push(['severity', undefined, 'Low benefit, mild to severe']);
  return entries;
}

const criticalEntry = ({ flags }: Found, theme: Theme): Entry[] =>
  flags & Flag.Critical ? [['line path', theme.critical, 'Critical path']] : [];

/** Returns the classes of the workers' time that can be seen, in the order of the budget. */
function classEntries(models: readonly Model[], theme: Theme): Entry[] {
  const names = new Set(models.flatMap(({ answers }) => shares(answers).map(({ name }) => name)));
  const drawn = new Set(models.flatMap(({ whole }) => whole.lanes.classes));
  const seen = CLASSES.filter((name) => names.has(name) && drawn.has(name));
  return seen.map((name) => ['', classColor(theme, name), classLabel(name)]);
}

/** Those of the lanes of devices. */
function deviceEntries({ whole }: Model, theme: Theme): Entry[] {
  if (whole.devices.devices.length === 0) return [];
  return [
    ['', deviceColor(theme, true), 'region on a device'],
    ['', deviceColor(theme, false), 'data to or from a device'],
  ];
}

/** Returns the legend of time lines that show the classes of the workers' time. */
export function laneLegend(models: readonly Model[]): { root: HTMLElement; show(theme: Theme): void } {
  const list = element('ul', { 'aria-label': 'Legend' });
  const root = element('div', { class: 'legend' }, list);
  const found = foundIn(models);
  return {
    root,
    show: (theme) => fill(root, list, [...classEntries(models, theme), ...criticalEntry(found, theme)], theme),
  };
}

function fill(root: HTMLElement, list: HTMLElement, entries: Entry[], theme: Theme): void {
  list.replaceChildren(...entries.map(([className, rgba, text]) => swatch(className, rgba, text)));
  for (const name of ['severity', 'level'] as const)
    root.style.setProperty(`--${name}`, `linear-gradient(90deg, ${theme[name].map(cssColor).join(', ')})`);
}

function swatch(className: string, rgba: number | undefined, text: string): HTMLElement {
  if (className === '' && rgba === undefined) return element('li', {}, text);
  const mark = element('i', { class: className });
  if (rgba !== undefined) mark.style.background = cssColor(rgba);
  return element('li', {}, mark, text);
}
