// SPDX-License-Identifier: Apache-2.0
// What the program is made of: its parallel regions and the serial parts between them, in order of
// time, with repetitions folded, and what is in each region. A row has a bar of the workers' time
// in the colours of the budget. A click on a name selects its site. At first only what takes most
// of the run is open, and its rows are marked.
import { element } from '../base/dom';
import { formatCount, formatPercent, formatRatio, formatTime } from '../base/format';
import { ns } from '../base/time';
import { above, isLeaf, type OutlineRow } from '../model/outline';
import { outlineInRange, type RowInRange } from '../model/outline-range';
import { longestOf, SHORT, type Step, stepsOf, sumOf } from '../model/steps';
import type { Store } from '../state/store';
import { grainsOf, isSerial, placeName, startName, timeBar } from './outline-row';
import { signScroll } from './scroll-sign';
import { siteName } from './site-name';

/** Times are counted in nanoseconds. */
const LEAST_NS = 0.5;

/** The name of the longest of short steps stands behind their number. */
const LONGEST_SHORT = 26;

/** Serial parts that are a smaller share of the run have no row. */
const LEAST_SERIAL = 0.001;

const COLUMNS: readonly [name: string, title: string][] = [
  ['Times', 'Rounds of a repetition, instances of a region or of a part of it, chunks of a loop, tasks; in all rounds'],
  ['Time', 'From begin to end, summed over all times; of a loop or of tasks: while any of its grains ran'],
  ['Of the run', 'Share of the wall time, or of the selected time range'],
  ['Work', 'Time in the code of the program, summed over the workers'],
  ['Workers’ time', 'Time of all workers in it, and in the rows below it'],
  ['Own', 'Time of all workers in it that is in no row below it; the own times of all rows are the budget'],
  ['By class', 'What the workers did in it, in the colours of the budget; as long as its share of the workers’ time'],
];

const ABOUT = '≈ is about: what is only partly in the selected range counts as if its time lay evenly.';

/** A line of the table. It is shown while all lines above it are open. */
interface Line {
  step: Step;
  above: Line | undefined;
  node: HTMLElement;
  open: boolean;
  toggle?: HTMLElement;
}

export class OutlineView {
  readonly root: HTMLElement;
  readonly #lines: Line[] = [];
  readonly #about = element('p', { class: 'hint more about', hidden: true }, ABOUT);

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
    const body = element('tbody');
    this.#add(body, stepsOf(shown, store.model.run.wall_ns), undefined);
    const table = element('table', {}, element('thead', {}, head), body);
    this.root.append(
      signScroll(element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Outline' }, table)),
    );
    if (more > 0)
      this.root.append(element('p', { class: 'hint more' }, `${formatCount(more)} more rows are left out.`));
    this.root.append(this.#about);
    store.site.listen(() => this.#mark());
    store.unfolded.listen(() => this.#openAll());
    store.range.listen(() => this.#count());
    this.#count();
    this.#mark();
  }

  #add(body: HTMLElement, steps: readonly Step[], above: Line | undefined): void {
    for (const step of steps) {
      const line: Line = { step, above, node: this.#row(step), open: step.most };
      this.#lines.push(line);
      body.append(line.node);
      if (step.inside.length > 0) this.#toggle(line);
      this.#add(body, step.inside, line);
    }
  }

  /** Puts a button before the name of a line, which opens and closes it. */
  #toggle(line: Line): void {
    const name = line.node.firstElementChild!.textContent;
    const toggle = element('button', { type: 'button', class: 'toggle', 'aria-label': `What is in ${name}` });
    toggle.addEventListener('click', () => {
      line.open = !line.open;
      this.#show();
    });
    line.toggle = toggle;
    line.node.firstElementChild!.prepend(toggle);
  }

  #openAll(): void {
    for (const line of this.#lines) line.open = true;
    this.#show();
    this.#lines[0]?.node.scrollIntoView({ block: 'nearest' });
  }

  /** Shows the lines of which all lines above are open. */
  #show(): void {
    for (const { node, above, open, toggle } of this.#lines) {
      node.hidden = above !== undefined && (above.node.hidden || !above.open);
      toggle?.setAttribute('aria-expanded', String(open));
    }
  }

  #row({ row, depth, inside, most }: Step): HTMLElement {
    const names = row ? this.#name(row) : this.#shortName(inside);
    const name = element('th', { scope: 'row', class: row?.kind ?? 'serial' }, ...names);
    name.style.setProperty('--depth', String(depth));
    const cells = COLUMNS.map((_, at) => element('td', { class: at === COLUMNS.length - 1 && 'in-bar' }));
    return element('tr', { class: most && 'most' }, name, ...cells);
  }

  /** Fills in the figures of the selected time range; of the whole run if no range is selected. */
  #count(): void {
    const { model, range } = this.store;
    const ran = this.store.inRange();
    const found = range.value && ran && outlineInRange(model, range.value, ran);
    const length = range.value ? range.value.end - range.value.start : model.run.wall_ns;
    const numbers = new Map(model.whole.outline.row.map((row, at) => [row, at]));
    const figures = (row: OutlineRow): OutlineRow & Partial<RowInRange> => ({ ...row, ...found?.[numbers.get(row)!] });
    this.#about.hidden = !found?.some(({ about }) => about.spent);
    for (const { step, node } of this.#lines) {
      const row: ReturnType<typeof figures> = step.row ? figures(step.row) : sumOf(rowsOf(step.inside).map(figures));
      const wall = row.wall_ns;
      const spent = spentIn(row);
      const { about } = row;
      const isAlone = row.count === 0 || (isSerial(row.kind) && row.count === 1);
      const texts = [
        isAlone ? '' : `× ${formatCount(row.count)}`,
        wall > 0 ? near(about?.wall) + formatTime(ns(wall)) : '',
        wall > 0 ? near(about?.wall) + formatPercent(wall / length) : '',
        row.work_ns > 0 ? near(about?.work) + formatTime(row.work_ns) : '',
        spent > 0 ? near(about?.spent) + formatTime(ns(spent)) : '',
        step.row && spent > 0 ? ownText(row) : '',
      ];
      const cells = [...node.children].slice(1);
      for (const [at, text] of texts.entries()) cells[at]!.textContent = text;
      const share = isLeaf(row.kind) ? spent / (length * Math.max(1, model.run.workers)) : wall / length;
      cells.at(-1)!.replaceChildren(...timeBar(this.store, row, share));
    }
  }

  /** Names short steps by their number and the longest of them. */
  #shortName(steps: readonly Step[]): (HTMLElement | string)[] {
    const count = `${formatCount(steps.length)} steps below ${SHORT * 100} % each`;
    const longest = longestOf(steps)?.row;
    if (!longest) return [count];
    const site = this.store.model.sites[longest.site ?? -1];
    const name = site ? siteName(site, LONGEST_SHORT) : [isSerial(longest.kind) ? 'serial' : 'rounds'];
    const node = element('small', {}, ...name);
    return [`${count}, the longest `, node, ` ${formatTime(longest.wall_ns)}`];
  }

  #name(row: OutlineRow): (HTMLElement | string)[] {
    const { kind } = row;
    const rows = this.store.model.whole.outline.row;
    if (kind === 'repeat') return [rounds(row, rows[above(rows, rows.indexOf(row)) ?? -1])];
    if (kind === 'start') return [startName(this.store, row)];
    if (kind === 'end') return ['serial, after the last region'];
    if (kind === 'serial') return ['serial'];
    return placeName(this.store, { ...row, kind });
  }

  /** Marks the lines of the selected site, opens what they are in, and shows the largest of them. */
  #mark(): void {
    const { value } = this.store.site;
    for (const { step, node, above } of this.#lines) {
      const isChosen = value !== undefined && step.row !== undefined && grainsOf(this.store, step.row) === value;
      node.classList.toggle('chosen', isChosen);
      for (let line = isChosen ? above : undefined; line; line = line.above) line.open = true;
    }
    this.#show();
    const chosen = this.#lines.filter(({ node }) => node.classList.contains('chosen'));
    const size = ({ step }: Line) => [step.wall_ns, step.row?.work_ns ?? 0] as const;
    chosen.sort((a, b) => size(b)[0] - size(a)[0] || size(b)[1] - size(a)[1]);
    // Of several occurrences, the largest is what the reader came for.
    chosen[0]?.node.scrollIntoView({ block: 'nearest' });
  }
}

/** `around`: the repetition around the row. The rounds of both are those of the whole run. */
function rounds({ count }: OutlineRow, around: OutlineRow | undefined): string {
  if (around === undefined) return `${formatCount(count)} rounds of`;
  return `${formatCount(count)} rounds in all, ${formatRatio(count / around.count)} in each, of`;
}

/** Shares of a range leave remainders of far below a nanosecond: there is no own time. */
const ownText = ({ own_ns, about }: OutlineRow & Partial<RowInRange>): string =>
  own_ns < LEAST_NS ? '0' : near(about?.spent) + formatTime(own_ns);

/** What stands before a figure that is not exact. */
const near = (isAbout = false): string => (isAbout ? '≈ ' : '');

const spentIn = ({ classes }: OutlineRow): number => classes.reduce((sum, time) => sum + time, 0);

const rowsOf = (steps: readonly Step[]): OutlineRow[] => steps.flatMap(({ row }) => (row ? [row] : []));
