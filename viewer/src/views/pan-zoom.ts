// SPDX-License-Identifier: Apache-2.0
// Moves a viewport with wheel, pointer and keys, smoothly. It does not depend on what is shown.
import { between, panBy, type Viewport, zoomAround } from '../base/viewport';

export interface PanZoomOptions {
  surface: HTMLElement;
  /** Which scales the zoom changes; the time line keeps its lanes' height. */
  axes: 'both' | 'x';
  /** Keeps a viewport within what makes sense. */
  limit(view: Viewport): Viewport;
  /** The viewport that shows everything. */
  fit(): Viewport;
  changed(): void;
  /** Called when the target of the view has changed. */
  aimed?(): void;
  clicked(x: number, y: number): void;
  hovered(x: number, y: number): void;
  left(): void;
}

const WHEEL_SPEED = 0.0022;
const KEY_ZOOM = 1.5;
const KEY_PAN = 80;
const CLICK_SLACK = 4;
/** The time in which a smooth move covers 63 % of its remaining way, in milliseconds. */
const SMOOTH_MS = 55;
/** The same time for a long way, so that a long move does not take longer. */
const FAR_MS = 28;
const FAR_ZOOM = 12;

export class PanZoom {
  view: Viewport;
  #target: Viewport;
  #lastFrame: number | undefined;
  #drag: { x: number; y: number; moved: boolean } | undefined;
  /** The place of each finger. Two fingers zoom. */
  readonly #fingers = new Map<number, { x: number; y: number }>();

  constructor(readonly options: PanZoomOptions) {
    this.view = options.fit();
    this.#target = this.view;
    const { surface } = options;
    surface.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    surface.addEventListener('pointerdown', (event) => this.#down(event));
    surface.addEventListener('pointermove', (event) => this.#move(event));
    surface.addEventListener('pointerup', (event) => this.#up(event));
    surface.addEventListener('pointercancel', (event) => this.#lift(event));
    surface.addEventListener('pointerleave', () => options.left());
    surface.addEventListener('keydown', (event) => this.#key(event));
  }

  /** The viewport that the view moves to, or shows. */
  get target(): Viewport {
    return this.#target;
  }

  /** True while a smooth move is under way. */
  get moving(): boolean {
    return this.#lastFrame !== undefined;
  }

  /** Moves to a viewport, smoothly unless told otherwise. */
  moveTo(view: Viewport, smooth = true): void {
    this.#target = this.options.limit(view);
    if (smooth && !window.matchMedia('(prefers-reduced-motion: reduce)').matches) this.#animate();
    else {
      this.view = this.#target;
      this.options.changed();
    }
    this.options.aimed?.();
  }

  /** Shifts the view and its target at once, after the world has moved. */
  shift(x: number, y: number): void {
    const shifted = (view: Viewport) => ({ ...view, x: view.x + x, y: view.y + y });
    this.view = shifted(this.view);
    this.#target = shifted(this.#target);
    this.options.changed();
  }

  showAll(): void {
    this.moveTo(this.options.fit());
  }

  /** Zooms around the middle of the surface, or around a point of it. */
  zoom(
    factor: number,
    x = this.options.surface.clientWidth / 2,
    y = this.options.surface.clientHeight / 2,
    smooth = true,
  ): void {
    const factorY = this.options.axes === 'both' ? factor : 1;
    const limited = this.options.limit(zoomAround(this.#target, x, y, factor, factorY));
    // At the limit of the scale the view must not creep sideways.
    const real = limited.scaleX / this.#target.scaleX;
    this.moveTo(zoomAround(this.#target, x, y, real, this.options.axes === 'both' ? real : 1), smooth);
  }

  #animate(): void {
    if (this.#lastFrame !== undefined) return;
    this.#lastFrame = performance.now();
    const zoom = this.#target.scaleX / this.view.scaleX;
    const isFar = Math.max(zoom, 1 / zoom) > FAR_ZOOM;
    const frame = (now: number) => {
      const elapsed = Math.max(now - this.#lastFrame!, 1);
      this.#lastFrame = now;
      this.view = between(this.view, this.#target, 1 - Math.exp(-elapsed / (isFar ? FAR_MS : SMOOTH_MS)));
      const arrived = this.#arrived();
      if (arrived) {
        this.view = this.#target;
        this.#lastFrame = undefined;
      } else requestAnimationFrame(frame);
      this.options.changed();
    };
    requestAnimationFrame(frame);
  }

  #arrived(): boolean {
    const { view } = this;
    const target = this.#target;
    const near = (pixels: number) => Math.abs(pixels) < 0.3;
    return (
      near((view.x - target.x) * target.scaleX) &&
      near((view.y - target.y) * target.scaleY) &&
      near((target.scaleX / view.scaleX - 1) * 500) &&
      near((target.scaleY / view.scaleY - 1) * 500)
    );
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    // What was under the pointer is elsewhere now.
    this.options.left();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.moveTo(panBy(this.#target, -(event.deltaX || pixels), 0));
      return;
    }
    const factor = Math.exp(-pixels * WHEEL_SPEED * (event.ctrlKey ? 4 : 1));
    this.zoom(factor, event.offsetX, event.offsetY);
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.options.surface.setPointerCapture(event.pointerId);
    this.#fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.#drag = { x: event.offsetX, y: event.offsetY, moved: false };
  }

  #move(event: PointerEvent): void {
    if (this.#pinch(event)) return;
    const drag = this.#drag;
    if (!drag) {
      this.options.hovered(event.offsetX, event.offsetY);
      return;
    }
    const dx = event.offsetX - drag.x;
    const dy = event.offsetY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < CLICK_SLACK) return;
    this.#drag = { x: event.offsetX, y: event.offsetY, moved: true };
    this.options.surface.dataset.dragging = '';
    this.options.left();
    this.moveTo(panBy(this.#target, dx, dy), false);
  }

  #up(event: PointerEvent): void {
    const wasClick = this.#drag && !this.#drag.moved && this.#fingers.size === 1;
    this.#lift(event);
    if (wasClick) this.options.clicked(event.offsetX, event.offsetY);
  }

  /**
   * Zooms by the change of the distance between two fingers, and moves with the middle between
   * them.
   */
  #pinch(event: PointerEvent): boolean {
    const finger = this.#fingers.get(event.pointerId);
    if (!finger) return false;
    const before = this.#between();
    finger.x = event.offsetX;
    finger.y = event.offsetY;
    const after = this.#between();
    if (!before || !after) return false;
    if (this.#drag) this.#drag.moved = true;
    this.options.left();
    this.moveTo(panBy(this.#target, after.x - before.x, after.y - before.y), false);
    this.zoom(after.distance / Math.max(before.distance, 1), after.x, after.y, false);
    return true;
  }

  /** The middle between two fingers, and their distance. */
  #between(): { x: number; y: number; distance: number } | undefined {
    const [a, b, ...others] = this.#fingers.values();
    if (!a || !b || others.length > 0) return undefined;
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) };
  }

  /**
   * Ends the drag when a finger is lifted. The other finger does not continue it, since the view
   * would jump.
   */
  #lift(event: PointerEvent): void {
    this.#fingers.delete(event.pointerId);
    this.#endDrag();
  }

  #endDrag(): void {
    this.#drag = undefined;
    delete this.options.surface.dataset.dragging;
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = (dx: number, dy: number) => this.moveTo(panBy(this.#target, dx, dy));
    const actions: Record<string, () => void> = {
      ArrowLeft: () => pan(KEY_PAN, 0),
      ArrowRight: () => pan(-KEY_PAN, 0),
      ArrowUp: () => pan(0, KEY_PAN),
      ArrowDown: () => pan(0, -KEY_PAN),
      '+': () => this.zoom(KEY_ZOOM),
      '=': () => this.zoom(KEY_ZOOM),
      '-': () => this.zoom(1 / KEY_ZOOM),
      '0': () => this.showAll(),
      w: () => this.zoom(KEY_ZOOM),
      s: () => this.zoom(1 / KEY_ZOOM),
      a: () => pan(KEY_PAN, 0),
      d: () => pan(-KEY_PAN, 0),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
