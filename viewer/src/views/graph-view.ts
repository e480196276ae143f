// SPDX-License-Identifier: Apache-2.0
// The grain graph: draws the scene, answers pointer and keys, follows the selection.
import { button, element } from '../base/dom';
import { formatCount, formatTick, formatTime } from '../base/format';
import { roundStep } from '../base/ticks';
import { type Box, fitBox, type Viewport } from '../base/viewport';
import { cssColor, withAlpha } from '../draw/color';
import { grainAt } from '../draw/graph-hit';
import { GraphScene, type Label } from '../draw/graph-scene';
import type { GraphLayout } from '../draw/layout/layout';
import { SPINE } from '../draw/layout/measures';
import type { Paint } from '../draw/paint';
import { labelColor } from '../draw/theme';
import { dependencesOf } from '../model/dependences';
import { siteLabel } from '../model/sites';
import type { Reveal, Store } from '../state/store';
import { writeLabel } from './label';
import { measureFrames } from './measure';
import { PanZoom } from './pan-zoom';
import { Surface } from './surface';
import type { Tooltip } from './tooltip';

const MARGIN = 28;
const MAX_SCALE = 10;
const FIT_SCALE = 2;
/** A grain that is gone to is shown at least at this scale. */
const READABLE_SCALE = 0.8;
const MAX_ARCS = 500;
const FONT = '11px "Inter", "Segoe UI", system-ui, sans-serif';

export class GraphView {
  readonly root: HTMLElement;
  readonly scene: GraphScene;
  readonly #surface: Surface;
  readonly #panZoom: PanZoom;
  #moved = false;
  /** A request from before the surface had a size. */
  #pending: Reveal | undefined;

  constructor(
    readonly store: Store,
    readonly layout: GraphLayout,
    readonly paint: () => Paint,
    readonly tooltip: Tooltip,
  ) {
    this.scene = new GraphScene(store.model, store.tree, layout);
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
      changed: () => this.#surface.request(),
      clicked: (x, y) => this.#click(x, y),
      hovered: (x, y) => this.#hover(x, y),
      left: () => this.#leave(),
    });
    const tools = element(
      'div',
      { class: 'tools', role: 'group', 'aria-label': 'Zoom of the graph' },
      button('+', 'Zoom in (+)', () => this.zoom(1.6)),
      button('−', 'Zoom out (−)', () => this.zoom(1 / 1.6)),
      button('Fit', 'Show the whole graph (0)', () => this.#panZoom.showAll()),
    );
    this.root = element('section', { class: 'graph', 'aria-label': 'Grain graph' }, this.#surface.root, tools);
    this.#surface.root.addEventListener('dblclick', () => this.#zoomToSelected());
    store.revealed.listen((request) => request && this.#reveal(request));
  }

  /** Asks for a new frame. */
  redraw(): void {
    this.#surface.request();
  }

  zoom(factor: number): void {
    this.#moved = true;
    this.#panZoom.zoom(factor);
  }

  /** Whether the view is still on its way to where it was sent. */
  get moving(): boolean {
    return this.#panZoom.moving;
  }

  /** Where a grain's first fragment is, in pixels of the surface. */
  positionOf(grain: number): { x: number; y: number } {
    const { view } = this.#panZoom;
    const box = this.#firstShape(grain);
    return { x: ((box.x0 + box.x1) / 2 - view.x) * view.scaleX, y: ((box.y0 + box.y1) / 2 - view.y) * view.scaleY };
  }

  /** Milliseconds per frame while zooming in and out. */
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
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) this.#reveal(pending);
  }

  #draw(): void {
    const { width, height, renderer } = this.#surface;
    const { view } = this.#panZoom;
    const paint = this.paint();
    const marks = { selected: this.store.selected.value, hovered: this.store.hovered.value };
    this.scene.build({ view, width, height, paint, marks });
    const { edges, critical, nodes, marks: outlines } = this.scene.batches;
    renderer?.draw([edges, critical, nodes, outlines], width, height, paint.theme.background);
    const text = this.#surface.beginText(FONT, cssColor(paint.theme.text));
    for (const label of this.scene.labels) this.#label(text, label, paint);
    this.#dependences(text, paint);
    this.#scaleBar(text, view, paint);
  }

  #label(text: CanvasRenderingContext2D, label: Label, paint: Paint): void {
    if (paint.dimmed[label.grain]) return;
    const { model } = this.store;
    const site = model.sites[model.grain.site[label.grain]!];
    const { fragment } = label;
    const time =
      fragment === undefined
        ? model.grain.work[label.grain]!
        : model.fragment.end[fragment]! - model.fragment.start[fragment]!;
    const count = model.grain.count[label.grain]!;
    const folded = count > 1 ? `${formatCount(count)} grains` : '';
    const lines = [formatTime(time), folded, site ? siteLabel(site) : '', site?.function ?? ''];
    writeLabel(text, lines, label, this.#surface, labelColor(paint.fill[label.grain]!));
  }

  /** What a height stands for: a bar in the lower left corner. */
  #scaleBar(text: CanvasRenderingContext2D, view: Viewport, paint: Paint): void {
    const pixelsPerNs = this.layout.scale.unitsPerNs * view.scaleY;
    const time = roundStep(24 / pixelsPerNs);
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

  #grainAt(x: number, y: number): number | undefined {
    const { view } = this.#panZoom;
    return grainAt(
      this.layout,
      this.store.tree,
      view.x + x / view.scaleX,
      view.y + y / view.scaleY,
      this.scene.detail / view.scaleX,
    );
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

  #firstShape(grain: number): Box {
    const { shapes, shapeStart } = this.layout;
    const p = this.store.tree.position[grain]!;
    for (let s = shapeStart[p]!; s < shapeStart[p + 1]!; s++) if (shapes.kind[s]! <= 2) return shapes.box(s);
    const { x1, y0 } = this.#boxOf(grain);
    return { x0: x1 - SPINE, y0, x1, y1: y0 + SPINE };
  }

  #boxOf(grain: number): Box {
    const [x0, y0, x1, y1] = this.layout.boxes.subarray(grain * 4, grain * 4 + 4);
    return { x0: x0!, y0: y0!, x1: x1!, y1: y1! };
  }

  /** Brings a grain into sight and, if wanted, close enough to be seen well. */
  #reveal({ grain, closeUp }: Reveal): void {
    const { width, height } = this.#surface;
    if (width <= 1) {
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

  /** Arcs from and to the grains that the selected one depends on, or that depend on it. */
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
