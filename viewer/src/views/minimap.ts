// SPDX-License-Identifier: Apache-2.0
// The whole graph in a corner, with a frame around its visible part; a click or a drag moves the
// view there. It is drawn again only when the graph or its colours change.
import { element } from '../base/dom';
import { type Box, fitBox, type Viewport } from '../base/viewport';
import type { Batch } from '../draw/batch';
import { cssColor } from '../draw/color';
import { GraphScene } from '../draw/graph-scene';
import type { Layouts } from '../draw/layout/layouts';
import type { Paint } from '../draw/paint';
import type { Model } from '../model/model';

const WIDTH = 168;
const HEIGHT = 112;
const MARGIN = 4;
const MAX_RECTS = 6_000;
/** Where a larger share of the graph is seen, the map is hidden. */
const ALL = 0.98;

export interface Looks {
  /** Returns the part of the world that the view shows. */
  seen(): Box;
  /** Moves a point of the world into the middle of the view. */
  lookAt(x: number, y: number): void;
}

export class Minimap {
  readonly #frame = element('i', {});
  readonly #canvas = element('canvas', { width: WIDTH, height: HEIGHT, 'aria-hidden': 'true' });
  readonly root = element(
    'div',
    { class: 'minimap', role: 'img', 'aria-label': 'Map of the whole graph; the frame is what is seen' },
    this.#canvas,
    this.#frame,
  );
  readonly #scene: GraphScene;
  #painted: { paint: Paint; view: Viewport } | undefined;
  #requested = false;

  constructor(
    model: Model,
    readonly layouts: Layouts,
    readonly paint: () => Paint,
    readonly looks: Looks,
  ) {
    this.#scene = new GraphScene(model, layouts.shown.value);
    this.#scene.budget = MAX_RECTS;
    layouts.shown.listen((layout) => {
      this.#scene.show(layout);
      this.#painted = undefined;
      this.repaint();
    });
    this.root.addEventListener('pointerdown', (event) => {
      this.root.setPointerCapture(event.pointerId);
      this.#go(event);
    });
    this.root.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) this.#go(event);
    });
  }

  /** Draws the graph again if its colours have changed. */
  repaint(): void {
    if (this.#requested || this.#painted?.paint === this.paint()) return;
    this.#requested = true;
    requestAnimationFrame(() => {
      this.#requested = false;
      this.#draw();
      this.frame();
    });
  }

  /** Moves the frame to the part of the graph that the view shows. */
  frame(): void {
    if (!this.#painted) return;
    const { bounds } = this.layouts.shown.value;
    const { view } = this.#painted;
    const { x0, y0, x1, y1 } = this.looks.seen();
    const inside = (from: number, to: number, low: number, high: number) =>
      Math.max(0, Math.min(to, high) - Math.max(from, low)) / Math.max(high - low, 1e-9);
    const share = inside(x0, x1, bounds.x0, bounds.x1) * inside(y0, y1, bounds.y0, bounds.y1);
    this.root.hidden = share > ALL;
    const clip = (pixel: number, most: number) => Math.min(Math.max(pixel, 0), most);
    const left = clip((x0 - view.x) * view.scaleX, WIDTH - 3);
    const top = clip((y0 - view.y) * view.scaleY, HEIGHT - 3);
    const right = clip((x1 - view.x) * view.scaleX, WIDTH);
    const bottom = clip((y1 - view.y) * view.scaleY, HEIGHT);
    const { style } = this.#frame;
    style.left = `${left}px`;
    style.top = `${top}px`;
    style.width = `${Math.max(right - left, 3)}px`;
    style.height = `${Math.max(bottom - top, 3)}px`;
  }

  #draw(): void {
    const paint = this.paint();
    const ratio = devicePixelRatio;
    this.#canvas.width = Math.round(WIDTH * ratio);
    this.#canvas.height = Math.round(HEIGHT * ratio);
    const context = this.#canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    context.fillStyle = cssColor(paint.theme.background);
    context.fillRect(0, 0, WIDTH, HEIGHT);
    const view = fitBox(this.layouts.shown.value.bounds, WIDTH, HEIGHT, MARGIN);
    const marks = { selected: undefined, hovered: undefined };
    this.#scene.build({ view, width: WIDTH, height: HEIGHT, paint, marks });
    const { edges, nodes, critical } = this.#scene.batches;
    for (const batch of [edges, nodes, critical]) fill(context, batch);
    this.#painted = { paint, view };
  }

  #go(event: PointerEvent): void {
    if (!this.#painted) return;
    const { view } = this.#painted;
    const { left, top } = this.root.getBoundingClientRect();
    this.looks.lookAt(view.x + (event.clientX - left) / view.scaleX, view.y + (event.clientY - top) / view.scaleY);
  }
}

function fill(context: CanvasRenderingContext2D, batch: Batch): void {
  let last = -1;
  for (let row = 0; row < batch.count; row++) {
    const { x, y, width, height, fill } = batch.rect(row);
    if (fill !== last) context.fillStyle = cssColor(fill);
    last = fill;
    context.fillRect(x, y, width, height);
  }
}
