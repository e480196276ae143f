// SPDX-License-Identifier: Apache-2.0
// The side panel with the figures of the selected grain, and with the functions that ran inside its
// site. If no grain is selected, the panel has the functions of the selected site.
import { button, element } from '../base/dom';
import { formatCount, formatPercent, formatRatio, formatTime } from '../base/format';
import { ns } from '../base/time';
import { coresOf } from '../model/cores';
import { countText } from '../model/counters';
import { dependencesOf } from '../model/dependences';
import { type GrainRow, NONE, type SiteId } from '../model/ids';
import { GrainKind } from '../model/model';
import { siteLabel } from '../model/sites';
import { stallShare } from '../model/stall';
import { wakesOf } from '../model/wakes';
import type { Direction, Store } from '../state/store';
import { insideView } from './inside';
import { signScroll } from './scroll-sign';
import { sourceLink } from './source-link';
import { causeName, flagNames, kindName } from './words';

/** The most cores or workers that are listed. */
const MOST_CORES = 8;

type Row = [label: string, value: string | Node, explanation?: string];

export class Panel {
  readonly root = element('section', { class: 'panel', 'aria-label': 'Selected grain', 'aria-live': 'polite' });

  constructor(readonly store: Store) {
    signScroll(this.root);
    for (const signal of [store.selected, store.site]) signal.listen(() => this.#render());
    this.#render();
  }

  #render(): void {
    const { selected, site, model } = this.store;
    const grain = selected.value;
    if (grain !== undefined)
      this.root.replaceChildren(
        this.#head(grain),
        this.#flags(grain),
        this.#figures(grain),
        this.#neighbours(grain),
        ...this.#inside(model.grain.site[grain]!),
      );
    else if (site.value === undefined) this.root.replaceChildren(element('h2', {}, 'Grain'), hint());
    else {
      const label = siteLabel(model.sites[site.value]!);
      const inside = this.#inside(site.value);
      this.root.replaceChildren(element('h2', {}, ...(inside.length > 0 ? [label] : ['Grain'])), ...inside, hint());
    }
  }

  #inside(site: SiteId): HTMLElement[] {
    const inside = this.store.model.sites[site]?.inside;
    return inside ? [insideView(inside)] : [];
  }

  #head(grain: GrainRow): HTMLElement {
    const { model } = this.store;
    const close = button('×', 'Clear the selection (Esc)', () => this.store.select(undefined));
    const kind = kindName(model.grain.kind[grain]!);
    return element(
      'div',
      { class: 'head' },
      element('h2', {}, kind, ' ', element('small', {}, `#${model.grain.number[grain]}`)),
      close,
    );
  }

  #flags(grain: GrainRow): HTMLElement {
    const names = flagNames(this.store.model.grain.flags[grain]!);
    const chips = names.map((name) => element('li', { class: name.replace(' ', '-') }, name));
    return element('ul', { class: 'flags', 'aria-label': 'Flags' }, ...chips);
  }

  #figures(grain: GrainRow): HTMLElement {
    const list = element('dl');
    for (const [label, value, explanation] of [
      ...this.#place(grain),
      ...this.#times(grain),
      ...this.#metrics(grain),
      ...this.#counters(grain),
      ...this.#counts(grain),
    ])
      list.append(element('dt', { title: explanation }, label), element('dd', {}, value));
    return list;
  }

  #place(grain: GrainRow): Row[] {
    const { model } = this.store;
    const number = model.grain.site[grain]!;
    const site = model.sites[number];
    if (!site) return [['Site', 'not recorded']];
    const show = () => this.store.highlight(this.store.site.value === number ? undefined : number);
    const link = button(
      siteLabel(site),
      `${site.file || 'no debug information'}: highlight all grains of this site`,
      show,
    );
    link.className = 'link';
    const source = sourceLink(this.store, number);
    const place = source ? element('span', {}, link, ' ', source) : link;
    return site.function
      ? [
          ['Site', place],
          ['Function', site.function],
        ]
      : [['Site', place]];
  }

  #times(grain: GrainRow): Row[] {
    const { grain: g } = this.store.model;
    const rows: Row[] = [
      ['Work', formatTime(g.work[grain]!), 'Time in its own code'],
      [
        'Duration',
        formatTime(ns(g.end[grain]! - g.start[grain]!)),
        'From its start to its end, with all that ran in between',
      ],
      ['Start', formatTime(g.start[grain]!), 'Since the start of the recording'],
      ['Created', formatTime(g.create[grain]!), 'Since the start of the recording'],
      ['Creation cost', formatTime(g.creation[grain]!), 'Paid by its parent; for chunks, the book-keeping before them'],
      ['Wait', formatTime(g.wait[grain]!), 'Time its synchronisation took, less the work done meanwhile'],
    ];
    const stall = stallShare(this.store.model, grain);
    if (stall !== undefined)
      rows.push(['Memory', `${formatTime(g.stall[grain]!)}, ${formatPercent(stall)}`, 'Of its work, waits for memory']);
    const benefit = g.benefit[grain]!;
    if (!Number.isNaN(benefit))
      rows.push([
        'Parallel benefit',
        formatRatio(benefit),
        'Its work over what it cost to create and wait for it; below 1 it did not pay',
      ]);
    return rows;
  }

  /** The metrics of the grains thesis that are known; of a group, those of its worst grain. */
  #metrics(grain: GrainRow): Row[] {
    const { grain: g } = this.store.model;
    const known: [string, number, string][] = [
      ['Load balance', g.load_balance[grain]!, 'The longest chain of work among it and its siblings / the median one'],
      ['Work deviation', g.work_deviation[grain]!, 'Its work / its work in the baseline'],
      ['Parallelism', g.instantaneous_parallelism[grain]!, 'The fewest grains that ran at any instant while it did'],
      ['Scatter', g.scatter[grain]!, 'The median distance of the cores of its siblings'],
    ];
    const rows = known.filter(([, value]) => !Number.isNaN(value));
    return rows.map(([label, value, explanation]): Row => [label, formatRatio(value), explanation]);
  }

  #counters(grain: GrainRow): Row[] {
    const { counters, counts } = this.store.model;
    const row = (event: string, at: number): Row => {
      const value = counts[at]![grain]!;
      return [event, Number.isNaN(value) ? 'not counted' : countText(event, value), 'Counted in its fragments'];
    };
    return counters.map(row);
  }

  #counts(grain: GrainRow): Row[] {
    const { model, tree } = this.store;
    const { grain: g } = model;
    const rows: Row[] = [
      ['Worker', String(g.worker[grain])],
      ...this.#cores(grain),
      ...this.#wakes(grain),
      ['Children', formatCount(tree.childCount[grain]!)],
    ];
    if (g.count[grain]! > 1) rows.push(['Stands for', `${formatCount(g.count[grain]!)} grains`]);
    if (g.kind[grain] === GrainKind.Chunk)
      rows.push([
        'Iterations',
        `${formatCount(g.iterations[grain]!)}, from ${g.first[grain]}`,
        'Number, and first value of the loop variable',
      ]);
    const { before, after } = dependencesOf(model, grain);
    if (before.length > 0) rows.push(['Depends on', plural(before.length), 'Grains that had to end before it']);
    if (after.length > 0) rows.push(['Needed by', plural(after.length), 'Grains that had to wait for its end']);
    const parent = g.parent[grain]!;
    if (parent !== NONE) {
      const link = button(`${kindName(g.kind[parent]!)} #${g.number[parent]}`, 'Go to the parent', () =>
        this.store.goTo(parent),
      );
      link.className = 'link';
      rows.push(['Parent', link]);
    }
    return rows;
  }

  #cores(grain: GrainRow): Row[] {
    const cores = coresOf(this.store.model, grain);
    if (cores.length === 0) return [];
    const shown = cores.slice(0, MOST_CORES).join(', ') + (cores.length > MOST_CORES ? ', …' : '');
    return [[cores.length === 1 ? 'Core' : 'Cores', shown, 'Where its fragments began: numbers of processors']];
  }

  #wakes(grain: GrainRow): Row[] {
    const { model } = this.store;
    const { idle } = model;
    const { into, from } = wakesOf(model, grain);
    const rows: Row[] = [];
    if (into !== undefined) {
      const before = formatTime(ns(model.grain.start[grain]! - idle.woken[into]!));
      const why = causeName(idle.cause[into]!);
      const text = `worker ${idle.woken_by[into]}, ${before} before it began${why && `: ${why}`}`;
      rows.push(['Woken by', text, 'Its worker slept until then']);
    }
    if (from.length > 0) {
      const workers = [...new Set(from.map((row) => idle.worker[row]!))].sort((a, b) => a - b);
      const who = `${workers.length === 1 ? 'worker' : 'workers'} ${workers.slice(0, MOST_CORES).join(', ')}`;
      rows.push(['Woke', `${who}${workers.length > MOST_CORES ? ', …' : ''}`, 'Workers that slept until then']);
    }
    return rows;
  }

  #neighbours(grain: GrainRow): HTMLElement {
    const { tree } = this.store;
    const isRoot = tree.owner[grain] === NONE;
    const go = (label: string, title: string, direction: Direction, disabled: boolean) => {
      const node = button(label, title, () => this.store.walk(direction));
      node.disabled = disabled;
      return node;
    };
    return element(
      'div',
      { class: 'walk', role: 'group', 'aria-label': 'Go to a relative' },
      go('Parent', 'Go to the parent (Alt+Up)', 'parent', isRoot),
      go('Child', 'Go to the first child (Alt+Down)', 'child', tree.childCount[grain] === 0),
      go('Previous', 'Go to the sibling before (Alt+Left)', 'previous', isRoot),
      go('Next', 'Go to the sibling after (Alt+Right)', 'next', isRoot),
    );
  }
}

const plural = (grains: number): string => (grains === 1 ? '1 grain' : `${formatCount(grains)} grains`);

function hint(): HTMLElement {
  return element(
    'p',
    { class: 'hint' },
    'Click a grain in the graph or in the time line to see what it cost. Double-click zooms to it and its children.',
  );
}
