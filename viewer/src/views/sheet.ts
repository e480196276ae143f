// SPDX-License-Identifier: Apache-2.0
// A canvas for a drawing of a few thousand shapes. The drawing is sharp on any screen. It is drawn
// again when its size changes or when a view asks for it, once per frame of the browser, and only
// while it has a size.
import { element } from '../base/dom';

export class Sheet {
  readonly root: HTMLDivElement;
  readonly #canvas = element('canvas', { 'aria-hidden': 'true' });
  readonly #context = this.#canvas.getContext('2d')!;
  width = 0;
  height = 0;
  #requested = false;

  /** `keys`: the sheet takes the focus, and so the keys. */
  constructor(
    label: string,
    readonly draw: (context: CanvasRenderingContext2D) => void,
    keys = true,
  ) {
    this.root = element(
      'div',
      { class: 'sheet', role: keys ? 'application' : 'img', tabindex: keys ? 0 : undefined, 'aria-label': label },
      this.#canvas,
    );
    new ResizeObserver(() => this.#resize()).observe(this.root);
  }

  request(): void {
    if (this.#requested) return;
    this.#requested = true;
    requestAnimationFrame(() => {
      this.#requested = false;
      this.#drawNow();
    });
  }

  /** Sets the text that describes the drawing for those who cannot see it. */
  describe(text: string): void {
    this.root.setAttribute('aria-label', text);
  }

  #resize(): void {
    this.width = this.root.clientWidth;
    this.height = this.root.clientHeight;
    this.#canvas.width = Math.round(this.width * devicePixelRatio);
    this.#canvas.height = Math.round(this.height * devicePixelRatio);
    this.#drawNow();
  }

  #drawNow(): void {
    if (this.width < 2 || this.height < 2) return;
    const context = this.#context;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = FONT;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    this.draw(context);
  }
}

const FONT = '12px "Inter", "Segoe UI", system-ui, sans-serif';

/**
 * Returns the text, cut to the room with an ellipsis; empty where hardly anything would be left.
 */
export function fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low > 1 ? `${text.slice(0, low)}…` : '';
}
