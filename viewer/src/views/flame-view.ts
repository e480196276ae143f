// SPDX-License-Identifier: Apache-2.0
// Work by path of creation, as an icicle: creators are above the grains that they created, and the
// width is the work. A click zooms to a path and selects its site.
import { button, element } from '../base/dom';
import { formatCount, formatPercent, formatTime } from '../base/format';
import { type Ns, ns } from '../base/time';
import { cssColor, withAlpha } from '../draw/color';
import { labelColor, siteColor, type Theme } from '../draw/theme';
import { type Icicle, icicleOf, pathTo } from '../model/icicle';
import { NONE, type SiteId } from '../model/ids';
import { siteLabel } from '../model/sites';
import type { Store } from '../state/store';
import { fitting, Sheet } from './sheet';
import type { Tooltip } from './tooltip';

const ROW = 22;
const MOST_ROWS = 400;
const DIMMED = 0.25;

export class FlameView {
  readonly root: HTMLElement;
  readonly #sheet: Sheet;
  readonly #icicle: Icicle;
  readonly #path = element('nav', { class: 'viewbar path', 'aria-label': 'Path of creation' });
  /** The node that fills the width of the view; undefined: all roots together fill it. */
  #zoomed: number | undefined;
  #focused: number | undefined;

  constructor(
    readonly store: Store,
    readonly theme: () => Theme,
    readonly tooltip: Tooltip,
  ) {
    const { flame } = store.model.whole;
    this.#icicle = icicleOf(flame);
    this.#sheet = new Sheet(
      'Work by path of creation. Arrow keys go to parent, child and siblings; Enter zooms, Backspace zooms out.',
      (context) => this.#draw(context),
    );
    this.#sheet.root.style.height = `${Math.min(this.#icicle.depths, MOST_ROWS) * ROW + 2}px`;
    this.root = element(
      'section',
      { class: 'flame', 'aria-label': 'Work by path of creation' },
      this.#path,
      element('div', { class: 'scroll' }, this.#sheet.root),
    );
    const { root } = this.#sheet;
    root.addEventListener('pointermove', (event) => this.#hover(event.offsetX, event.offsetY));
    root.addEventListener('pointerleave', () => tooltip.hide());
    root.addEventListener('click', (event) => this.#choose(this.nodeAt(event.offsetX, event.offsetY)));
    root.addEventListener('keydown', (event) => this.#key(event));
    for (const signal of [store.site, store.range]) signal.listen(() => this.redraw());
    this.#showPath();
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

  get #left(): number {
    return this.#zoomed === undefined ? 0 : this.#icicle.x[this.#zoomed]!;
  }

  get #wide(): number {
    return this.#zoomed === undefined ? 1 : Math.max(this.#icicle.width[this.#zoomed]!, 1e-12);
  }

  #draw(context: CanvasRenderingContext2D): void {
    const { flame } = this.store.model.whole;
    const { x, width, depth } = this.#icicle;
    const theme = this.theme();
    const scale = this.#sheet.width / this.#wide;
    for (let node = 0; node < flame.site.length; node++) {
      const left = Math.max(0, (x[node]! - this.#left) * scale);
      const right = Math.min(this.#sheet.width, (x[node]! + width[node]! - this.#left) * scale);
      if (right - left < 0.4 || depth[node]! >= MOST_ROWS) continue;
      this.#node(context, theme, node, left, right - left);
    }
  }

  #node(context: CanvasRenderingContext2D, theme: Theme, node: number, left: number, width: number): void {
    const { flame } = this.store.model.whole;
    const site = flame.site[node]!;
    const top = this.#icicle.depth[node]! * ROW;
    const colour = siteColor(theme, site);
    const stands = this.#standsOut(site);
    context.fillStyle = cssColor(stands ? colour : withAlpha(colour, DIMMED));
    context.fillRect(left, top, Math.max(width - 1, 0.6), ROW - 1);
    if (node === this.#focused) {
      context.strokeStyle = cssColor(theme.selection);
      context.lineWidth = 2;
      context.strokeRect(left + 1, top + 1, Math.max(width - 3, 1), ROW - 3);
      context.lineWidth = 1;
    }
    if (width < 30) return;
    const label = `${this.#name(node)}  ${formatTime(flame.total_ns[node]!)}`;
    context.fillStyle = stands ? labelColor(colour) : cssColor(theme.text);
    context.fillText(fitting(context, label, width - 10), left + 5, top + ROW / 2);
  }

  #standsOut(site: SiteId): boolean {
    const { value } = this.store.site;
    if (value !== undefined && value !== site) return false;
    const found = this.store.inRange();
    return !found || found.count[site]! > 0;
  }

  #name(node: number): string {
    const site = this.store.model.sites[this.store.model.whole.flame.site[node]!]!;
    return site.function && site.file ? `${siteLabel(site)} ${site.function}` : siteLabel(site);
  }

  #describe(node: number): string {
    const { flame } = this.store.model.whole;
    const { count, own_ns, total_ns } = flame;
    const of = total_ns[node]! / Math.max(this.#all(), 1);
    const grains = `${formatCount(count[node]!)} ${count[node] === 1 ? 'grain' : 'grains'}`;
    return `${grains}, ${formatTime(own_ns[node]!)} work, ${formatTime(total_ns[node]!)} (${formatPercent(of)}) with what they created`;
  }

  #all(): Ns {
    return ns(this.#icicle.roots.reduce((sum, root) => sum + this.store.model.whole.flame.total_ns[root]!, 0));
  }

  #hover(x: number, y: number): void {
    const node = this.nodeAt(x, y);
    this.#sheet.root.style.cursor = node === undefined ? '' : 'pointer';
    if (node === undefined) this.tooltip.hide();
    else this.tooltip.say(this.#describe(node), this.#sheet.root, x, y, this.#name(node));
  }

  #choose(node: number | undefined): void {
    this.#focused = node;
    this.#zoomed = node;
    this.store.highlight(node === undefined ? undefined : this.store.model.whole.flame.site[node]);
    this.#showPath();
    this.redraw();
  }

  #showPath(): void {
    const { flame } = this.store.model.whole;
    const path = this.#zoomed === undefined ? [] : pathTo(flame, this.#zoomed);
    const more = flame.more > 0 ? `; ${formatCount(flame.more)} paths with less work are left out` : '';
    const steps = path.map((node) => button(this.#name(node), this.#describe(node), () => this.#choose(node)));
    for (const step of steps) step.className = 'link';
    const all = button('All', 'Show all paths (Backspace)', () => this.#choose(undefined));
    const last = path.at(-1);
    const text = last === undefined ? `${formatTime(this.#all())} work in all${more}` : this.#describe(last);
    this.#path.replaceChildren(
      all,
      ...steps.flatMap((step) => ['›', step]),
      element('small', { role: 'status' }, text),
    );
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { flame } = this.store.model.whole;
    const { children, roots } = this.#icicle;
    const here = this.#focused ?? this.#zoomed;
    const above = here === undefined || flame.parent[here] === NONE ? undefined : flame.parent[here];
    const siblings = above === undefined ? roots : children[above]!;
    const at = here === undefined ? -1 : siblings.indexOf(here);
    const targets: Record<string, number | undefined> = {
      ArrowUp: above,
      ArrowDown: here === undefined ? roots[0] : children[here]![0],
      ArrowLeft: siblings[at - 1],
      ArrowRight: siblings[at + 1],
    };
    if (event.key in targets) this.#focused = targets[event.key] ?? here;
    else if (event.key === 'Enter') this.#choose(here);
    else if (event.key === 'Backspace') this.#choose(above);
    else return;
    event.preventDefault();
    this.redraw();
    if (this.#focused !== undefined)
      this.#sheet.describe(`${this.#name(this.#focused)}: ${this.#describe(this.#focused)}`);
  }
}
