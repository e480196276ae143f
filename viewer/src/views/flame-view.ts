// SPDX-License-Identifier: Apache-2.0
// Time as an icicle: samples by the functions on the stack, work by calls, or work by path of
// creation. What created or called something is above it, and the width is the time. A click zooms
// to a node and selects its site.
import { button, element } from '../base/dom';
import { formatCount, formatPercent, formatTime } from '../base/format';
import { type Ns, ns } from '../base/time';
import { cssColor, withAlpha } from '../draw/color';
import { labelColor, siteColor, type Theme } from '../draw/theme';
import {
  type FlameName,
  type FlameTree,
  flameOf,
  flamesOf,
  followsRange,
  foundTime,
  searchFlame,
} from '../model/flames';
import { type Icicle, icicleOf, pathTo } from '../model/icicle';
import { NONE } from '../model/ids';
import type { Store } from '../state/store';
import { signScroll } from './scroll-sign';
import { fitting, Sheet } from './sheet';
import type { Tooltip } from './tooltip';

const ROW = 22;
const MOST_ROWS = 400;
const DIMMED = 0.25;

/** What a tree shows, and how its figures are called. */
interface Words {
  title: string;
  time: string;
  ends: [one: string, several: string];
  below: string;
}

const WORDS: Record<FlameName, Words> = {
  samples: {
    title: 'CPU time by function',
    time: 'CPU time',
    ends: ['sample', 'samples'],
    below: 'with what it called',
  },
  calls: { title: 'Work by call path', time: 'work', ends: ['grain', 'grains'], below: 'with what it called' },
  creation: {
    title: 'Work by path of creation',
    time: 'work',
    ends: ['grain', 'grains'],
    below: 'with what they created',
  },
  steps: { title: 'Work by step', time: 'work', ends: ['time', 'times'], below: 'with what ran in it' },
};

export class FlameView {
  readonly root: HTMLElement;
  readonly #sheet: Sheet;
  readonly #path = element('nav', { class: 'path', 'aria-label': 'Path' });
  readonly #names: FlameName[];
  readonly #select: HTMLSelectElement;
  readonly #search = element('input', {
    type: 'search',
    placeholder: 'Function, file or line',
    'aria-label': 'Search the flame view by function, file or line',
    spellcheck: 'false',
  });
  #tree: FlameTree;
  #icicle: Icicle;
  /** undefined: nothing is searched for. */
  #found: Uint8Array | undefined;
  /** The node that fills the width of the view; undefined: all roots together fill it. */
  #zoomed: number | undefined;
  #focused: number | undefined;

  constructor(
    readonly store: Store,
    readonly theme: () => Theme,
    readonly tooltip: Tooltip,
  ) {
    this.#names = flamesOf(store.model);
    this.#tree = flameOf(store.model, this.#name, store.flameRange());
    this.#icicle = icicleOf(this.#tree);
    this.#select = element(
      'select',
      { name: 'flame', 'aria-label': 'Show' },
      ...this.#names.map((value) => element('option', { value }, this.#wordsOf(value).title)),
    );
    this.#sheet = new Sheet(
      'Time as an icicle. Arrow keys go to parent, child and siblings; Enter zooms and selects as a click does, Backspace zooms out.',
      (context) => this.#draw(context),
    );
    this.root = element(
      'section',
      { class: 'flame', 'aria-label': 'Flame view' },
      element('div', { class: 'viewbar' }, ...(this.#names.length > 1 ? [this.#select] : []), this.#search, this.#path),
      signScroll(element('div', { class: 'scroll' }, this.#sheet.root)),
    );
    this.#listen();
    this.#fit();
    this.#showPath();
  }

  #listen(): void {
    const { root } = this.#sheet;
    root.addEventListener('pointermove', (event) => this.#hover(event.offsetX, event.offsetY));
    root.addEventListener('pointerleave', () => this.tooltip.hide());
    root.addEventListener('click', (event) => this.#choose(this.nodeAt(event.offsetX, event.offsetY)));
    root.addEventListener('keydown', (event) => this.#key(event));
    this.#select.addEventListener('change', () => this.store.showFlame(this.#select.value as FlameName));
    this.#search.addEventListener('input', () => {
      this.#found = searchFlame(this.#tree, this.#search.value);
      this.#showPath();
      this.redraw();
    });
    const { site, range, flame } = this.store;
    site.listen(() => this.redraw());
    range.listen(() => this.#make(true));
    flame.listen(() => this.#make(false));
  }

  focus(): void {
    this.#search.focus();
    this.#search.select();
  }

  redraw(): void {
    this.#sheet.request();
  }

  nodeAt(x: number, y: number): number | undefined {
    const depth = Math.floor(y / ROW);
    const { x: start, width, depth: depths } = this.#icicle;
    const at = this.#left + (x / this.#sheet.width) * this.#wide;
    const node = depths.findIndex((of, n) => of === depth && at >= start[n]! && at < start[n]! + width[n]!);
    return node < 0 ? undefined : node;
  }

  get #name(): FlameName {
    return this.store.flame.value ?? this.#names[0]!;
  }

  get #words(): Words {
    return this.#wordsOf(this.#name);
  }

  #wordsOf(name: FlameName): Words {
    const hasCalls = name === 'samples' && this.store.model.whole.stacks.has_calls;
    return hasCalls ? { ...WORDS[name], title: 'CPU time by call path' } : WORDS[name];
  }

  /** `same`: the nodes stay the same, as only their times change. */
  #make(same: boolean): void {
    this.#tree = flameOf(this.store.model, this.#name, this.store.flameRange());
    this.#icicle = icicleOf(this.#tree);
    this.#found = searchFlame(this.#tree, this.#search.value);
    while (same && this.#zoomed !== undefined && this.#tree.total_ns[this.#zoomed] === 0) this.#zoomOut(this.#zoomed);
    if (!same) {
      this.#zoomed = undefined;
      this.#focused = undefined;
      this.#select.value = this.#name;
      this.#fit();
    }
    this.#showPath();
    this.redraw();
  }

  #zoomOut(from: number): void {
    const above = this.#tree.parent[from]!;
    this.#zoomed = above === NONE ? undefined : above;
  }

  #fit(): void {
    this.#sheet.root.style.height = `${Math.min(this.#icicle.depths, MOST_ROWS) * ROW + 2}px`;
  }

  get #left(): number {
    return this.#zoomed === undefined ? 0 : this.#icicle.x[this.#zoomed]!;
  }

  get #wide(): number {
    return this.#zoomed === undefined ? 1 : Math.max(this.#icicle.width[this.#zoomed]!, 1e-12);
  }

  #draw(context: CanvasRenderingContext2D): void {
    const { x, width, depth } = this.#icicle;
    const theme = this.theme();
    const scale = this.#sheet.width / this.#wide;
    const stands = this.#standOut();
    for (let node = 0; node < x.length; node++) {
      const left = Math.max(0, (x[node]! - this.#left) * scale);
      const right = Math.min(this.#sheet.width, (x[node]! + width[node]! - this.#left) * scale);
      if (right - left < 0.4 || depth[node]! >= MOST_ROWS) continue;
      this.#node(context, theme, node, left, right - left, stands[node]! > 0);
    }
  }

  #node(
    context: CanvasRenderingContext2D,
    theme: Theme,
    node: number,
    left: number,
    width: number,
    stands: boolean,
  ): void {
    const site = this.#tree.site[node]!;
    const top = this.#icicle.depth[node]! * ROW;
    const colour = site === NONE ? theme.implicit : siteColor(theme, site);
    context.fillStyle = cssColor(stands ? colour : withAlpha(colour, DIMMED));
    context.fillRect(left, top, Math.max(width - 1, 0.6), ROW - 1);
    if (node === this.#focused) {
      context.strokeStyle = cssColor(theme.selection);
      context.lineWidth = 2;
      context.strokeRect(left + 1, top + 1, Math.max(width - 3, 1), ROW - 3);
      context.lineWidth = 1;
    }
    if (width < 30) return;
    const label = `${this.#tree.names[node]}  ${formatTime(this.#tree.total_ns[node]!)}`;
    context.fillStyle = stands ? labelColor(colour) : cssColor(theme.text);
    context.fillText(fitting(context, label, width - 10), left + 5, top + ROW / 2);
  }

  /**
   * Returns which nodes stand out: those that were found, and whose site is selected and ran in
   * the time range. A call stands out if a site below it does. Trees of the time range alone have
   * nothing else, and steps have no grains of their own.
   */
  #standOut(): Uint8Array {
    const { parent, site } = this.#tree;
    const chosen = this.store.site.value;
    const ran = this.#name === 'calls' ? this.store.inRange() : undefined;
    const stands = new Uint8Array(parent.length);
    const isPlain = chosen === undefined && !ran;
    for (let node = parent.length - 1; node >= 0; node--) {
      const own = site[node]!;
      if (own === NONE) stands[node] ||= Number(isPlain);
      else stands[node] = Number((chosen ?? own) === own && (!ran || ran.count[own]! > 0));
      const above = parent[node]!;
      if (above !== NONE && site[above] === NONE) stands[above] ||= stands[node]!;
    }
    return this.#found ? stands.map((is, node) => is & this.#found![node]!) : stands;
  }

  #describe(node: number): string {
    const { count, own_ns, total_ns } = this.#tree;
    const { ends, time, below } = this.#words;
    const of = total_ns[node]! / Math.max(this.#all(), 1);
    const number = `${formatCount(count[node]!)} ${count[node] === 1 ? ends[0] : ends[1]}`;
    return `${number}, ${formatTime(own_ns[node]!)} ${time}, ${formatTime(total_ns[node]!)} (${formatPercent(of)}) ${below}`;
  }

  #all(): Ns {
    return ns(this.#icicle.roots.reduce((sum, root) => sum + this.#tree.total_ns[root]!, 0));
  }

  #hover(x: number, y: number): void {
    const node = this.nodeAt(x, y);
    this.#sheet.root.style.cursor = node === undefined ? '' : 'pointer';
    if (node === undefined) this.tooltip.hide();
    else this.tooltip.say(this.#describe(node), this.#sheet.root, x, y, this.#tree.names[node]!);
  }

  #choose(node: number | undefined): void {
    this.#focused = node;
    this.#zoomed = node;
    const site = node === undefined ? NONE : this.#tree.site[node]!;
    this.store.highlight(site === NONE ? undefined : site);
    this.#showPath();
    this.redraw();
  }

  #showPath(): void {
    const path = this.#zoomed === undefined ? [] : pathTo(this.#tree, this.#zoomed);
    const steps = path.map((node) => button(this.#tree.names[node]!, this.#describe(node), () => this.#choose(node)));
    for (const step of steps) step.className = 'link';
    const all = button('All', 'Show all paths (Backspace)', () => this.#choose(undefined));
    this.#path.replaceChildren(
      all,
      ...steps.flatMap((step) => ['›', step]),
      element('small', { role: 'status' }, this.#status(path.at(-1))),
    );
  }

  /** Says how much time there is in all, in a node, or in what was found. */
  #status(node: number | undefined): string {
    const { time } = this.#words;
    const all = this.#all();
    if (this.#found) {
      const found = foundTime(this.#tree, this.#found);
      return `found: ${formatTime(found)} (${formatPercent(found / Math.max(all, 1))}) ${time}`;
    }
    if (node !== undefined) return this.#describe(node);
    const { more } = this.#tree;
    const { period_ns } = this.store.model.whole.stacks;
    const isSampled = this.#name === 'samples';
    const inside = followsRange(this.#name) ? ' in the selected time range' : ' in the whole run';
    const range = this.store.range.value ? inside : ' in all';
    const every = isSampled ? `, by a sample every ${formatTime(period_ns)}` : '';
    const left = more > 0 ? `; ${formatCount(more)} paths with less ${time} are left out` : '';
    return `${formatTime(all)} ${time}${range}${every}${left}`;
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { parent, names } = this.#tree;
    const { children, roots } = this.#icicle;
    const here = this.#focused ?? this.#zoomed;
    // A single root is the whole program, and fills the width already.
    const first = roots.length === 1 ? (children[roots[0]!]![0] ?? roots[0]) : roots[0];
    const above = here === undefined || parent[here] === NONE ? undefined : parent[here];
    const siblings = above === undefined ? roots : children[above]!;
    const at = here === undefined ? -1 : siblings.indexOf(here);
    const targets: Record<string, number | undefined> = {
      ArrowUp: above,
      ArrowDown: here === undefined ? first : children[here]![0],
      ArrowLeft: here === undefined ? first : siblings[at - 1],
      ArrowRight: here === undefined ? first : siblings[at + 1],
    };
    if (event.key in targets) this.#focused = targets[event.key] ?? here;
    else if (event.key === 'Enter') this.#choose(here ?? first);
    else if (event.key === 'Backspace') this.#choose(above);
    else return;
    event.preventDefault();
    this.redraw();
    if (this.#focused !== undefined) this.#sheet.describe(`${names[this.#focused]}: ${this.#describe(this.#focused)}`);
  }
}
