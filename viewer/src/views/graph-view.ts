// SPDX-License-Identifier: Apache-2.0
// The grain graph: draws the scene, answers pointer and keys, follows the selection.
import { button, element } from '../base/dom';
import { formatCount, formatTick, formatTime } from '../base/format';
import { roundStep } from '../base/ticks';
import { ns } from '../base/time';
import { type Box, fitBox, type Viewport } from '../base/viewport';
import { cssColor, withAlpha } from '../draw/color';
import { grainAt } from '../draw/graph-hit';
import { GraphScene, type Label, MAX_RECTS, SMALLEST_BOX } from '../draw/graph-scene';
import type { GraphLayout } from '../draw/layout/layout';
import type { Layouts } from '../draw/layout/layouts';
import { SPINE } from '../draw/layout/measures';
import { isBody, ShapeKind } from '../draw/layout/shapes';
import { Pace } from '../draw/pace';
import type { Paint } from '../draw/paint';
import { labelColor } from '../draw/theme';
import { dependencesOf } from '../model/dependences';
import type { GrainRow } from '../model/ids';
import type { ColourBy } from '../model/metrics';
import type { TimeRange } from '../model/range';
import { siteLabel } from '../model/sites';
import type { Reveal, Store } from '../state/store';
import { FindView } from './find-view';
import { FoldBar } from './fold-bar';
import { writeLabel } from './label';
import { measureFrames } from './measure';
import { Minimap } from './minimap';
import { PanZoom } from './pan-zoom';
import { Surface } from './surface';
import type { Tooltip } from './tooltip';

/** Where the words about what is left out stand, beside the bar of the scale. */
const WORDS_LEFT = 90;
const WORDS_BOTTOM = 14;
const WORDS_LINE = 16;
const MARGIN = 28;
const MAX_SCALE = 10;
const FIT_SCALE = 2;
/** The least scale at which the view shows a grain that the user goes to. */
const READABLE_SCALE = 0.8;
const MAX_ARCS = 500;
/** The box of a grain that is not in the layout. */
const NOWHERE: Box = { x0: 0, y0: 0, x1: 0, y1: 0 };
/** The time after the last frame of a motion until the view is drawn in full detail. */
const REST_MS = 140;
const FONT = '12px "Inter", "Segoe UI", system-ui, sans-serif';

export class GraphView {
  readonly root: HTMLElement;
  readonly scene: GraphScene;
  readonly #surface: Surface;
  readonly #panZoom: PanZoom;
  #moved = false;
  /** A request that came before the surface had a size, or the grain a place. */
  #pending: Reveal | undefined;
  /** True while a part of the run waits to be shown, because the surface has no size. */
  #toFollow = false;
  readonly #pace = new Pace(MAX_RECTS);
  readonly #minimap: Minimap;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly store: Store,
    readonly layouts: Layouts,
    readonly paint: () => Paint,
    readonly tooltip: Tooltip,
  ) {
    this.scene = new GraphScene(store.model, layouts.shown.value);
    this.#surface = new Surface(
      'Grain graph. Arrow keys move, plus and minus zoom, 0 shows all, Alt with arrow keys selects neighbours.',
      () => this.#draw(),
      () => this.#resized(),
    );
    this.#panZoom = new PanZoom({
      surface: this.#surface.root,
      axes: 'both',
      limit: (view) => this.#limit(view),
      fit: () => this.#fit(),
      changed: () => {
        this.#surface.request();
        this.#minimap.frame();
      },
      clicked: (x, y) => this.#click(x, y),
      hovered: (x, y) => this.#hover(x, y),
      left: () => this.#leave(),
    });
    this.#minimap = new Minimap(store.model, layouts, paint, {
      seen: () => this.#seen(),
      lookAt: (x, y) => this.#lookAt(x, y),
    });
    const tools = element(
      'div',
      { class: 'tools', role: 'group', 'aria-label': 'Zoom of the graph' },
      button('+', 'Zoom in (+)', () => this.zoom(1.6)),
      button('−', 'Zoom out (−)', () => this.zoom(1 / 1.6)),
      button('Fit', 'Show the whole graph (0)', () => this.#panZoom.showAll()),
    );
    this.root = element(
      'section',
      { class: 'graph', 'aria-label': 'Grain graph' },
      this.#surface.root,
      new FoldBar(store).root,
      this.#minimap.root,
      tools,
    );
    if (store.server) this.root.append(new FindView(store, store.server).root);
    this.#surface.root.addEventListener('dblclick', () => this.#toggleOrZoom());
    this.#surface.root.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#toggle();
    });
    let before = layouts.shown.value;
    layouts.shown.listen((layout) => {
      this.#show(before, layout);
      before = layout;
    });
    store.revealed.listen((request) => request && this.#reveal(request));
    store.seen.listen((seen) => (seen === undefined || seen.follow) && this.#follow(seen));
  }

  /** The layout that is shown. */
  get layout(): GraphLayout {
    return this.scene.layout;
  }

  /** Requests a new frame. */
  redraw(): void {
    this.#surface.request();
    this.#minimap.repaint();
  }

  /** Shows a layout. The group that was opened or closed keeps its place on the screen. */
  #show(before: GraphLayout, layout: GraphLayout): void {
    const anchor = this.store.folds.changed.value?.group;
    this.scene.show(layout);
    if (!this.#moved || before.boxes.length === 0) this.#panZoom.moveTo(this.#fit(), false);
    else if (anchor !== undefined && anchor * 4 < before.boxes.length) {
      const [old, now] = [before, layout].map(({ boxes }) => boxes.subarray(anchor * 4, anchor * 4 + 4));
      this.#panZoom.shift(now![2]! - old![2]!, now![1]! - old![1]!);
    }
    this.#revealPending();
    this.redraw();
  }

  #seen(): Box {
    const { x, y, scaleX, scaleY } = this.#panZoom.view;
    return { x0: x, y0: y, x1: x + this.#surface.width / scaleX, y1: y + this.#surface.height / scaleY };
  }

  #lookAt(x: number, y: number): void {
    this.#moved = true;
    const { scaleX, scaleY } = this.#panZoom.view;
    const { width, height } = this.#surface;
    this.#panZoom.moveTo({ x: x - width / scaleX / 2, y: y - height / scaleY / 2, scaleX, scaleY }, false);
  }

  /** Opens or closes the selected group. */
  #toggle(): boolean {
    const { folds, selected } = this.store;
    const { value } = selected;
    if (value === undefined || !folds.isGroup(value)) return false;
    this.#moved = true;
    void (folds.isOpen(value) ? folds.close(value) : folds.open(value));
    return true;
  }

  #toggleOrZoom(): void {
    if (!this.#toggle()) this.#zoomToSelected();
  }

  zoom(factor: number): void {
    this.#moved = true;
    this.#panZoom.zoom(factor);
  }

  get view(): Viewport {
    return this.#panZoom.view;
  }

  /** Whether the view is still moving to its target. */
  get moving(): boolean {
    return this.#panZoom.moving;
  }

  /** Returns the place of a grain's first fragment, in pixels of the surface. */
  positionOf(grain: GrainRow): { x: number; y: number } {
    const { view } = this.#panZoom;
    const box = this.#firstShape(grain);
    return { x: ((box.x0 + box.x1) / 2 - view.x) * view.scaleX, y: ((box.y0 + box.y1) / 2 - view.y) * view.scaleY };
  }

  /** Returns the milliseconds per frame while zooming in and out. */
  measureFrames(frames: number): number {
    return measureFrames(this.#panZoom, this.#surface, frames);
  }

  #fit(): Viewport {
    return fitBox(this.layout.bounds, this.#surface.width, this.#surface.height, MARGIN, FIT_SCALE);
  }

  #limit(view: Viewport): Viewport {
    const fit = this.#fit();
    const scale = Math.min(Math.max(view.scaleX, fit.scaleX / 2), MAX_SCALE);
    const { bounds } = this.layout;
    const width = this.#surface.width / scale;
    const height = this.#surface.height / scale;
    // Some of the graph always stays in sight.
    const x = Math.min(Math.max(view.x, bounds.x0 - width * 0.8), bounds.x1 - width * 0.2);
    const y = Math.min(Math.max(view.y, bounds.y0 - height * 0.8), bounds.y1 - height * 0.2);
    return { x, y, scaleX: scale, scaleY: scale };
  }

  #resized(): void {
    if (!this.#moved) this.#panZoom.moveTo(this.#fit(), false);
    this.#revealPending();
  }

  #revealPending(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) this.#reveal(pending);
    else if (this.#toFollow) this.#follow(this.store.seen.value);
  }

  /** Shows what ran in a part of the run, or the whole graph. */
  #follow(seen: TimeRange | undefined): void {
    const { width, height } = this.#surface;
    this.#toFollow = width <= 1 && seen !== undefined;
    if (width <= 1) return;
    const area = seen && this.#ranIn(seen);
    this.#moved = area !== undefined;
    if (area) this.#panZoom.moveTo(fitBox(area, width, height, MARGIN, FIT_SCALE));
    else if (!seen) this.#panZoom.moveTo(this.#fit());
  }

  /** Returns the part of the graph that ran in a range of time; undefined: nothing did. */
  #ranIn({ start, end }: TimeRange): Box | undefined {
    const { shapes } = this.layout;
    const { fragment, grain } = this.store.model;
    const area = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
    for (let s = 0; s < shapes.count; s++) {
      const kind = shapes.kind[s]!;
      if (!isBody(kind)) continue;
      const times = kind === ShapeKind.Fragment || kind === ShapeKind.CutFragment ? fragment : grain;
      const ref = shapes.ref[s]!;
      if (times.end[ref]! < start || times.start[ref]! > end) continue;
      const box = shapes.box(s);
      area.x0 = Math.min(area.x0, box.x0);
      area.y0 = Math.min(area.y0, box.y0);
      area.x1 = Math.max(area.x1, box.x1);
      area.y1 = Math.max(area.y1, box.y1);
    }
    return area.x0 <= area.x1 ? area : undefined;
  }

  #draw(): void {
    const { width, height, renderer } = this.#surface;
    const { view } = this.#panZoom;
    const paint = this.paint();
    const marks = { selected: this.store.selected.value, hovered: this.store.hovered.value };
    const { budget, moving } = this.#pace.next(performance.now());
    clearTimeout(this.#rest);
    if (moving) this.#rest = setTimeout(() => this.#surface.request(), REST_MS);
    this.scene.budget = budget;
    this.scene.build({ view, width, height, paint, marks });
    const { ground, edges, critical, nodes, marks: outlines } = this.scene.batches;
    renderer?.draw([ground, edges, critical, nodes, outlines], width, height, this.scene.background);
    const text = this.#surface.beginText(FONT, cssColor(paint.theme.text));
    for (const label of this.scene.labels) this.#label(text, label, paint);
    this.#dependences(text, paint);
    this.#scaleBar(text, view, paint);
    const lines = leftOut(this.scene, this.store.colourBy.value);
    for (const [at, line] of lines.entries()) {
      text.fillStyle = cssColor(paint.theme.text);
      text.textAlign = 'left';
      text.fillText(line, WORDS_LEFT, height - WORDS_BOTTOM - (lines.length - 1 - at) * WORDS_LINE);
    }
  }

  #label(text: CanvasRenderingContext2D, label: Label, paint: Paint): void {
    const { model } = this.store;
    if (label.head) {
      this.#head(text, label, paint);
      return;
    }
    if (paint.dimmed[label.grain]) return;
    const site = model.sites[model.grain.site[label.grain]!];
    const { fragment } = label;
    const time =
      fragment === undefined
        ? model.grain.work[label.grain]!
        : ns(model.fragment.end[fragment]! - model.fragment.start[fragment]!);
    const count = model.grain.count[label.grain]!;
    const folded = count > 1 ? `${formatCount(count)} grains` : '';
    const lines = [folded, formatTime(time), site ? siteLabel(site) : '', site?.function ?? ''];
    writeLabel(text, lines, label, this.#surface, labelColor(paint.fill[label.grain]!));
  }

  /** Writes the name of an opened group at its left. */
  #head(text: CanvasRenderingContext2D, label: Label, paint: Paint): void {
    const { count, work } = this.store.model.grain;
    const name = `Group of ${formatCount(count[label.grain]!)} grains, ${formatTime(work[label.grain]!)}`;
    const left = Math.max(label.x, 0) + 6;
    if (text.measureText(name).width > label.x + label.width - left - SPINE) return;
    text.fillStyle = cssColor(paint.theme.text);
    text.textAlign = 'left';
    text.fillText(name, left, label.y + label.height / 2);
  }

  /** Draws a bar in the lower left corner that shows the time of a height. */
  #scaleBar(text: CanvasRenderingContext2D, view: Viewport, paint: Paint): void {
    const pixelsPerNs = this.layout.scale.unitsPerNs * view.scaleY;
    const time = ns(roundStep(24 / pixelsPerNs));
    const length = time * pixelsPerNs;
    if (!Number.isFinite(length) || length > this.#surface.height / 2) return;
    const x = 14.5;
    const bottom = this.#surface.height - 14.5;
    const label = formatTick(time, time);
    text.fillStyle = cssColor(withAlpha(paint.theme.background, 0.8));
    text.fillRect(x - 6, bottom - length - 5, text.measureText(label).width + 20, length + 10);
    text.strokeStyle = cssColor(paint.theme.text);
    text.fillStyle = cssColor(paint.theme.text);
    text.beginPath();
    for (const y of [bottom, bottom - length]) {
      text.moveTo(x - 3, y);
      text.lineTo(x + 3, y);
    }
    text.moveTo(x, bottom);
    text.lineTo(x, bottom - length);
    text.stroke();
    text.textAlign = 'left';
    text.fillText(label, x + 8, bottom - length / 2);
  }

  #grainAt(x: number, y: number): GrainRow | undefined {
    const { view } = this.#panZoom;
    return grainAt(this.layout, view.x + x / view.scaleX, view.y + y / view.scaleY, this.scene.detail / view.scaleX);
  }

  #click(x: number, y: number): void {
    this.#moved = true;
    this.store.select(this.#grainAt(x, y));
  }

  #hover(x: number, y: number): void {
    const grain = this.#grainAt(x, y);
    this.store.hovered.set(grain);
    this.#surface.root.style.cursor = grain === undefined ? '' : 'pointer';
    this.tooltip.show(grain, this.#surface.root, x, y);
  }

  #leave(): void {
    this.#moved = true;
    this.store.hovered.set(undefined);
    this.tooltip.hide();
  }

  #zoomToSelected(): void {
    const grain = this.store.selected.value;
    if (grain === undefined) return;
    this.#moved = true;
    const box = this.#boxOf(grain);
    this.#panZoom.moveTo(fitBox(box, this.#surface.width, this.#surface.height, MARGIN * 2, FIT_SCALE));
  }

  #firstShape(grain: GrainRow): Box {
    const { shapes, shapeStart, tree } = this.layout;
    if (grain >= tree.order.length) return NOWHERE;
    const p = tree.position[grain]!;
    for (let s = shapeStart[p]!; s < shapeStart[p + 1]!; s++) if (isBody(shapes.kind[s]!)) return shapes.box(s);
    const { x1, y0 } = this.#boxOf(grain);
    return { x0: x1 - SPINE, y0, x1, y1: y0 + SPINE };
  }

  #boxOf(grain: GrainRow): Box {
    const [x0, y0, x1, y1] = this.layout.boxes.subarray(grain * 4, grain * 4 + 4);
    return { x0: x0!, y0: y0!, x1: x1!, y1: y1! };
  }

  /** Brings a grain into sight. `closeUp`: zooms in until it can be seen well. */
  #reveal({ grain, closeUp }: Reveal): void {
    const { width, height } = this.#surface;
    if (width <= 1 || grain >= this.layout.tree.order.length) {
      this.#pending = { grain, closeUp };
      return;
    }
    const { view } = this.#panZoom;
    const shape = this.#firstShape(grain);
    const area = closeUp ? shape : this.#boxOf(grain);
    const margin = (closeUp ? 20 : 0) / view.scaleX;
    const inside =
      area.x1 > view.x + margin &&
      area.y1 > view.y + margin &&
      area.x0 < view.x + width / view.scaleX - margin &&
      area.y0 < view.y + height / view.scaleY - margin;
    if (inside && (!closeUp || view.scaleX >= READABLE_SCALE / 2)) return;
    this.#moved = true;
    const scale = closeUp ? Math.max(view.scaleX, READABLE_SCALE) : view.scaleX;
    this.#panZoom.moveTo({
      x: (shape.x0 + shape.x1 - width / scale) / 2,
      y: (shape.y0 + shape.y1 - height / scale) / 2,
      scaleX: scale,
      scaleY: scale,
    });
  }

  /**
   * Draws arcs between the selected grain and the grains that it depends on, or that depend on it.
   */
  #dependences(text: CanvasRenderingContext2D, paint: Paint): void {
    const { selected } = this.store;
    if (selected.value === undefined) return;
    const { before, after } = dependencesOf(this.store.model, selected.value);
    const here = this.positionOf(selected.value);
    text.strokeStyle = cssColor(paint.theme.selection);
    text.lineWidth = 1.25;
    text.setLineDash([5, 3]);
    for (const other of [...before, ...after].slice(0, MAX_ARCS)) {
      const there = this.positionOf(other);
      const lift = Math.min(60, Math.hypot(here.x - there.x, here.y - there.y) / 3);
      text.beginPath();
      text.moveTo(here.x, here.y);
      text.quadraticCurveTo((here.x + there.x) / 2, (here.y + there.y) / 2 - lift, there.x, there.y);
      text.stroke();
    }
    text.setLineDash([]);
    text.lineWidth = 1;
  }
}

/** Says what a drawing leaves out where its grains are too narrow to be told apart. */
export function leftOut({ dense, detail }: Pick<GraphScene, 'dense' | 'detail'>, by: ColourBy): string[] {
  if (!dense) return [];
  const colours = by === 'kind' ? 'Zoomed out: colours by site' : 'Zoomed out';
  const blocks = `What is below ${Math.ceil(detail)} pixels is one block`;
  return [colours, 'Part of the critical path is drawn', ...(detail > SMALLEST_BOX ? [blocks] : [])];
}
