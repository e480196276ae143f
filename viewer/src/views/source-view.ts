// SPDX-License-Identifier: Apache-2.0
// The text of the source, with the costs of its lines. If the text is missing, only the lines with
// costs are shown.
import { button, element } from '../base/dom';
import { baseName, formatCount, formatTime } from '../base/format';
import type { Ns } from '../base/time';
import { type FileCosts, filesOf, type LineCosts } from '../model/lines';
import { UNTIL } from '../model/outline';
import type { Store } from '../state/store';
import { signScroll } from './scroll-sign';
import { wholeRun } from './whole-run';

/** The browser lays out this number of lines together, when they come near the screen. */
const BLOCK = 100;
/** The figures of a line. */
export const COLUMNS = ['Work', 'Grains', 'Waits', 'Locks'];
/** Those that cannot follow a time range. */
const WHOLE = ['Waits', 'Locks'];

export class SourceView {
  readonly root: HTMLElement;
  #files: FileCosts[];
  readonly #choice = element('select', { name: 'file', 'aria-label': 'File' });
  readonly #note = element('p', { class: 'note', role: 'status' });
  readonly #text = element('div', { class: 'text', tabindex: 0, role: 'region', 'aria-label': 'Source' });
  readonly #rows = new Map<number, HTMLElement>();
  #shown: FileCosts | undefined;

  constructor(readonly store: Store) {
    this.#files = filesOf(store.model);
    for (const [at, { file }] of this.#files.entries())
      this.#choice.append(element('option', { value: at, title: file }, this.#name(file)));
    this.#choice.addEventListener('change', () => this.#show(this.#files[Number(this.#choice.value)]));
    this.root = element(
      'section',
      { class: 'source', 'aria-label': 'Source' },
      element('div', { class: 'viewbar' }, element('label', {}, 'File ', this.#choice), this.#note),
      signScroll(this.#text),
    );
    if (this.#files.length === 0)
      this.root.replaceChildren(
        element(
          'p',
          { class: 'empty' },
          'The program has no debug information that tells files and lines: compile it with -g.',
        ),
      );
    store.site.listen(() => this.#follow());
    store.range.listen(() => this.#count());
  }

  /** Must be called when the view becomes visible. Shows the line of the selected site. */
  open(): void {
    if (!this.#shown) this.#show(this.#files[0]);
    this.#follow();
  }

  /** Returns the last part of the path; the whole path where two files have the same last part. */
  #name(file: string): string {
    const same = this.#files.filter((other) => baseName(other.file) === baseName(file));
    return same.length > 1 ? file : baseName(file);
  }

  /** Shows the figures of the selected time range; of the whole run if no range is selected. */
  #count(): void {
    const counted = filesOf(this.store.model, this.store.inRange());
    // The files keep their order, and the text its place.
    this.#files = this.#files.map(({ file }) => counted.find((one) => one.file === file)!);
    const shown = this.#files.find(({ file }) => file === this.#shown?.file);
    if (!shown) return;
    const { scrollTop } = this.#text;
    this.#show(shown);
    this.#text.scrollTop = scrollTop;
    this.#follow();
  }

  #follow(): void {
    const site = this.store.model.sites[this.store.site.value ?? -1];
    if (this.root.hidden) return;
    if (site && site.file !== this.#shown?.file) this.#show(this.#files.find(({ file }) => file === site.file));
    for (const row of this.#rows.values()) row.classList.remove('chosen');
    if (!site || site.file !== this.#shown?.file) return;
    const row = this.#rows.get(site.line);
    row?.classList.add('chosen');
    this.#bring(row);
  }

  /** Scrolls a row into the middle of the text, without scrolling the page around it. */
  #bring(row: HTMLElement | undefined): void {
    if (!row) return;
    const [line, text] = [row.getBoundingClientRect(), this.#text.getBoundingClientRect()];
    this.#text.scrollTop += line.top - text.top - (text.height - line.height) / 2;
  }

  #show(file: FileCosts | undefined): void {
    if (!file || file === this.#shown) return;
    this.#shown = file;
    this.#choice.value = String(this.#files.indexOf(file));
    this.#note.textContent = file.note;
    this.#note.title = file.file;
    this.#rows.clear();
    const lines = file.text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    const numbers = file.text ? [...lines.keys()].map((at) => at + 1) : [...file.lines.keys()].sort((a, b) => a - b);
    const most = Math.max(...[...file.lines.values()].map(({ work_ns }) => work_ns), 1);
    const head = ['Line', ...COLUMNS, 'Text'].map((name) =>
      element('span', {}, name, ...(WHOLE.includes(name) ? [wholeRun()] : [])),
    );
    const blocks = [element('div', { class: 'line head' }, ...head)];
    for (let at = 0; at < numbers.length; at += BLOCK) {
      const rows = numbers.slice(at, at + BLOCK).map((number) => this.#row(number, file, lines[number - 1], most));
      blocks.push(element('div', { class: 'block' }, ...rows));
    }
    this.#text.style.setProperty('--digits', String(String(numbers.at(-1) ?? 1).length));
    this.#text.replaceChildren(...blocks);
    const dearest = [...file.lines.values()].reduce((a, b) => (b.work_ns > a.work_ns ? b : a));
    this.#bring(this.#rows.get(dearest.line));
  }

  #row(number: number, file: FileCosts, text: string | undefined, most: number): HTMLElement {
    const costs = file.lines.get(number);
    const cells = costs ? figures(costs) : COLUMNS.map(() => '');
    const spans = cells.map((cell) => element('span', { class: 'figure' }, cell));
    const until = costs && costs.until_ns > 0 ? [workUntil(costs.until_ns)] : [];
    const code = element('code', {}, text ?? this.#functions(costs), ...until);
    const label = element('span', { class: 'number' }, String(number));
    const row = element('div', { class: costs ? 'line cost' : 'line' }, label, ...spans, code);
    if (!costs) return row;
    row.style.setProperty('--share', String(costs.work_ns / most));
    const site = costs.sites[0];
    if (site !== undefined) {
      const chosen = () => this.store.highlight(this.store.site.value === site ? undefined : site);
      label.replaceChildren(button(String(number), `Line ${number}: show its grains in all views`, chosen));
      row.addEventListener('dblclick', chosen);
    }
    this.#rows.set(number, row);
    return row;
  }

  /** Returns the functions of a line, which are shown where its text is not known. */
  #functions(costs: LineCosts | undefined): string {
    const names = (costs?.sites ?? []).map((site) => this.store.model.sites[site]!.function);
    return [...new Set(names)].filter(Boolean).join(', ');
  }
}

/** Says what ran until the barrier of a line; its work stands at the lines of the regions. */
const workUntil = (time: Ns): HTMLElement =>
  element('small', { class: 'until', title: UNTIL }, `  until here ${formatTime(time)}`);

/** Returns the figures of a line as texts, in the order of COLUMNS; empty: it has none. */
export const figures = ({ work_ns, count, wait_ns, locks_ns }: LineCosts): string[] => [
  count > 0 ? formatTime(work_ns) : '',
  count > 0 ? formatCount(count) : '',
  wait_ns > 0 ? formatTime(wait_ns) : '',
  locks_ns > 0 ? formatTime(locks_ns) : '',
];
