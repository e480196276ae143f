// SPDX-License-Identifier: Apache-2.0
// Shows which task waited for which, in layers from left to right. If there are too many tasks to
// distinguish, the view shows sums: how many tasks are on each layer, and how many dependences lead
// from site to site.
import { button, element } from '../base/dom';
import { formatCount, formatRatio, formatTime } from '../base/format';
import { fitBox, type Viewport } from '../base/viewport';
import { cssColor, withAlpha } from '../draw/color';
import { labelColor, siteColor, type Theme } from '../draw/theme';
import { type GrainRow, NONE } from '../model/ids';
import { type Layers, layersOf, MOST_NODES, neighbourhood } from '../model/layers';
import { Flag } from '../model/model';
import { siteLabel } from '../model/sites';
import type { Store } from '../state/store';
import { PanZoom } from './pan-zoom';
import { signScroll } from './scroll-sign';
import { fitting, Sheet } from './sheet';
import type { Tooltip } from './tooltip';

const STEP = { x: 54, y: 24 };
const NODE = { width: 34, height: 16 };
const DIMMED = 0.2;
/** How many tasks near the selected one are drawn, where there are too many to draw all. */
const NEAR = 200;
const MOST_PAIRS = 50;

export class DependencesView {
  readonly root = element('section', { class: 'dependences', 'aria-label': 'Dependences' });
  readonly #sheet: Sheet;
  readonly #panZoom: PanZoom;
  readonly #status = element('span', { role: 'status' });
  readonly #sums: HTMLElement;
  #layers: Layers | undefined;
  #number = new Map<GrainRow, number>();
  #key: unknown[] = [];
  #moved = false;

  constructor(
    readonly store: Store,
    readonly theme: () => Theme,
    readonly tooltip: Tooltip,
  ) {
    this.#sheet = new Sheet('Dependence graph. Arrow keys move, plus and minus zoom, 0 shows all.', (context) =>
      this.#draw(context),
    );
    this.#panZoom = new PanZoom({
      surface: this.#sheet.root,
      axes: 'both',
      limit: (view) => ({ ...view, scaleX: Math.min(view.scaleX, 6), scaleY: Math.min(view.scaleY, 6) }),
      fit: () => this.#fit(),
      changed: () => this.redraw(),
      clicked: (x, y) => this.#click(x, y),
      hovered: (x, y) => this.#hover(x, y),
      left: () => this.#leave(),
    });
    new ResizeObserver(() => {
      if (!this.#moved) this.#panZoom.moveTo(this.#fit(), false);
    }).observe(this.#sheet.root);
    this.#sums = signScroll(element('div', { class: 'scroll sums' }));
    if (store.model.whole.dependences.count === 0)
      this.root.append(
        element(
          'p',
          { class: 'empty' },
          'No task of this run depended on another: none had a depend clause that another had to wait for.',
        ),
      );
    else
      this.root.append(element('div', { class: 'viewbar' }, this.#status, this.#tools()), this.#sheet.root, this.#sums);
    store.folds.changed.listen(() => {
      this.#layers = undefined;
      this.open();
    });
    store.range.listen(() => this.open());
    store.selected.listen(() => this.open());
    store.site.listen(() => this.redraw());
  }

  #tools(): HTMLElement {
    return element(
      'div',
      { class: 'zoom', role: 'group', 'aria-label': 'Zoom of the dependences' },
      button('+', 'Zoom in (+)', () => this.#panZoom.zoom(1.6)),
      button('−', 'Zoom out (−)', () => this.#panZoom.zoom(1 / 1.6)),
      button('Fit', 'Show all (0)', () => this.#panZoom.showAll()),
    );
  }

  redraw(): void {
    if (!this.root.hidden) this.#sheet.request();
  }

  /** The grains that are drawn; none where sums are shown. */
  drawn(): GrainRow[] {
    return this.#layers?.grains ?? [];
  }

  /** Returns the place of a drawn grain, in pixels of the drawing. */
  positionOf(grain: GrainRow): { x: number; y: number } {
    return this.#at(this.#number.get(grain)!);
  }

  /** Must be called when the view becomes visible, and when what it shows has changed. */
  open(): void {
    const { dependences } = this.store.model.whole;
    if (this.root.hidden || dependences.count === 0) return;
    const range = this.store.range.value;
    if (this.#layers && this.#key[0] === range && this.#key[1] === undefined) {
      this.redraw();
      return;
    }
    const found = this.store.inRange();
    const inRange = (grain: GrainRow) => !found || found.has[grain] === 1;
    const { selected } = this.store;
    let layers = layersOf(this.store.model, inRange);
    let around: GrainRow | undefined;
    if (!layers && selected.value !== undefined) {
      around = selected.value;
      const near = neighbourhood(this.store.model, around, NEAR);
      layers = layersOf(this.store.model, (grain) => near.has(grain));
    }
    const isEmpty = layers?.grains.length === 0;
    if (isEmpty) layers = undefined;
    this.#key = [range, around];
    this.#layers = layers;
    this.#number = new Map(layers?.grains.map((grain, at) => [grain, at]));
    this.#moved = false;
    this.#sheet.root.hidden = !layers;
    this.#sums.hidden = layers !== undefined;
    if (!layers) this.#showSums();
    this.#status.textContent = this.#words(layers, around, isEmpty);
    this.#panZoom.moveTo(this.#fit(), false);
  }

  #words(layers: Layers | undefined, around: GrainRow | undefined, isEmpty: boolean): string {
    const { count, tasks, levels } = this.store.model.whole.dependences;
    const all = `${formatCount(count)} dependences between ${formatCount(tasks)} tasks, ${formatCount(levels)} on the longest chain`;
    if (isEmpty)
      return this.store.range.value
        ? `${all}. None between tasks that ran in the selected time range: these are sums of the whole run.`
        : `${all}. The tasks that have them are folded into groups: these are sums.`;
    if (!layers)
      return `${all}. More than ${formatCount(MOST_NODES)} cannot be told apart: these are sums. Select a time range or a task to see tasks one by one.`;
    const { grains, widest } = layers;
    const shown = `shown: ${formatCount(grains.length)} tasks in ${formatCount(layers.layers)} layers, at most ${formatCount(widest)} in one`;
    const which =
      around !== undefined
        ? ` (those nearest to grain #${this.store.model.grain.number[around]})`
        : this.store.range.value
          ? ' (of the selected time range)'
          : '';
    return grains.length === tasks ? `${all}; at most ${formatCount(widest)} in one layer` : `${all}; ${shown}${which}`;
  }

  #fit(): Viewport {
    const { layers = 1, widest = 1 } = this.#layers ?? {};
    const half = ((widest - 1) / 2) * STEP.y + NODE.height;
    const box = { x0: -NODE.width, y0: -half, x1: (layers - 1) * STEP.x + NODE.width, y1: half };
    return fitBox(box, Math.max(this.#sheet.width, 2), Math.max(this.#sheet.height, 2), 12, 2);
  }

  #at(node: number): { x: number; y: number } {
    const { view } = this.#panZoom;
    const { layer, place } = this.#layers!;
    return { x: (layer[node]! * STEP.x - view.x) * view.scaleX, y: (place[node]! * STEP.y - view.y) * view.scaleY };
  }

  #draw(context: CanvasRenderingContext2D): void {
    const layers = this.#layers;
    if (!layers) return;
    const theme = this.theme();
    const chosen = this.#number.get(this.store.selected.value ?? NONE);
    context.lineWidth = 1;
    context.strokeStyle = cssColor(theme.edge);
    context.beginPath();
    for (const edge of layers.edges) if (!edge.includes(chosen ?? -1)) this.#edge(context, edge);
    context.stroke();
    for (const node of layers.grains.keys()) this.#node(context, theme, node, node === chosen);
    context.strokeStyle = cssColor(theme.selection);
    context.lineWidth = 2;
    context.beginPath();
    for (const edge of layers.edges) if (edge.includes(chosen ?? -1)) this.#edge(context, edge);
    context.stroke();
  }

  #edge(context: CanvasRenderingContext2D, [from, to]: [number, number]): void {
    const half = (NODE.width / 2) * this.#panZoom.view.scaleX;
    const [a, b] = [this.#at(from), this.#at(to)];
    const middle = (a.x + b.x) / 2;
    context.moveTo(a.x + half, a.y);
    context.bezierCurveTo(middle, a.y, middle, b.y, b.x - half, b.y);
  }

  #node(context: CanvasRenderingContext2D, theme: Theme, node: number, isChosen: boolean): void {
    const { model, site: chosenSite } = this.store;
    const { scaleX } = this.#panZoom.view;
    const grain = this.#layers!.grains[node]!;
    const site = model.grain.site[grain]!;
    const { x, y } = this.#at(node);
    const width = Math.max(NODE.width * scaleX, 2);
    const height = Math.max(NODE.height * scaleX, 2);
    if (x + width < 0 || y + height < 0 || x - width > this.#sheet.width || y - height > this.#sheet.height) return;
    const colour = siteColor(theme, site);
    const stands = chosenSite.value === undefined || chosenSite.value === site;
    context.fillStyle = cssColor(theme.background);
    context.fillRect(x - width / 2, y - height / 2, width, height);
    context.fillStyle = cssColor(stands ? colour : withAlpha(colour, DIMMED));
    context.fillRect(x - width / 2, y - height / 2, width, height);
    const critical = (model.grain.flags[grain]! & Flag.Critical) !== 0;
    if (critical || isChosen) {
      context.strokeStyle = cssColor(isChosen ? theme.selection : theme.critical);
      context.lineWidth = isChosen ? 2.5 : 1.5;
      context.strokeRect(x - width / 2, y - height / 2, width, height);
    }
    if (width < 44) return;
    context.fillStyle = stands ? labelColor(colour) : cssColor(theme.text);
    context.textAlign = 'center';
    const where = model.sites[site];
    const label = scaleX > 1.6 && where ? siteLabel(where) : formatTime(model.grain.work[grain]!);
    context.fillText(fitting(context, label, width - 4), x, y);
  }

  #grainAt(x: number, y: number): GrainRow | undefined {
    const layers = this.#layers;
    if (!layers) return undefined;
    const { scaleX } = this.#panZoom.view;
    const reach = { x: Math.max((NODE.width / 2) * scaleX, 4), y: Math.max((NODE.height / 2) * scaleX, 4) };
    const node = layers.grains.findIndex((_, at) => {
      const place = this.#at(at);
      return Math.abs(place.x - x) <= reach.x && Math.abs(place.y - y) <= reach.y;
    });
    return node < 0 ? undefined : layers.grains[node];
  }

  #click(x: number, y: number): void {
    this.#moved = true;
    this.store.select(this.#grainAt(x, y));
  }

  #hover(x: number, y: number): void {
    const grain = this.#grainAt(x, y);
    this.#sheet.root.style.cursor = grain === undefined ? '' : 'pointer';
    this.tooltip.show(grain, this.#sheet.root, x, y);
  }

  #leave(): void {
    this.#moved = true;
    this.tooltip.hide();
  }

  /** Shows a bar for each layer, or for several layers, and the pairs of sites. */
  #showSums(): void {
    const { width, levels, pairs } = this.store.model.whole.dependences;
    const most = width.reduce((all, tasks) => Math.max(all, tasks), 1);
    const bars = element('div', { class: 'levels', role: 'img' });
    bars.setAttribute('aria-label', `Tasks on each of ${levels} layers: at most ${formatRatio(most)}`);
    const perBar = levels / Math.max(width.length, 1);
    for (const [at, tasks] of width.entries()) {
      const title = `Layer ${formatCount(at * perBar + 1)}: ${formatRatio(tasks)} tasks`;
      const bar = element('i', { title });
      bar.style.height = `${Math.max(2, (100 * tasks) / most)}%`;
      bars.append(bar);
    }
    const list = element('ul', { class: 'pairs', 'aria-label': 'Dependences from site to site' });
    const { sites } = this.store.model;
    for (const { from, to, count } of pairs.slice(0, MOST_PAIRS)) {
      const [first, second] = [from, to].map((site) =>
        button(siteLabel(sites[site]!), 'Show its grains in all views', () => this.store.highlight(site)),
      ) as [HTMLButtonElement, HTMLButtonElement];
      for (const link of [first, second]) link.className = 'link';
      list.append(element('li', {}, element('b', {}, formatCount(count)), first, ' → ', second));
    }
    this.#sums.replaceChildren(
      element('h2', {}, `Tasks on each layer, at most ${formatRatio(most)}`),
      bars,
      element('h2', {}, 'Dependences from site to site'),
      list,
    );
  }
}
