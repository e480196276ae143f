// SPDX-License-Identifier: Apache-2.0
// A drawing area: a canvas for rectangles, and above it a canvas for text and lines. It draws when
// a view asks for it, once per frame of the browser, and adapts to the size of its element.
import { element } from '../base/dom';
import { RectRenderer } from '../draw/gl/rect-renderer';

export class Surface {
  /** Takes pointer and keys. */
  readonly root: HTMLDivElement;
  readonly renderer: RectRenderer | undefined;
  readonly text: CanvasRenderingContext2D;
  width = 1;
  height = 1;
  #requested = false;

  constructor(
    label: string,
    readonly draw: () => void,
    resized: () => void,
  ) {
    const rectangles = element('canvas', { 'aria-hidden': 'true' });
    const text = element('canvas', { 'aria-hidden': 'true' });
    this.root = element(
      'div',
      { class: 'surface', tabindex: 0, role: 'application', 'aria-label': label },
      rectangles,
      text,
    );
    this.renderer = RectRenderer.create(rectangles);
    this.text = text.getContext('2d')!;
    if (!this.renderer) this.root.replaceChildren(noWebGl());
    new ResizeObserver(() => {
      this.#resize(rectangles, text);
      resized();
    }).observe(this.root);
  }

  /** Asks for a frame. */
  request(): void {
    if (this.#requested) return;
    this.#requested = true;
    requestAnimationFrame(() => this.drawNow());
  }

  drawNow(): void {
    this.#requested = false;
    if (this.renderer && this.width > 1) this.draw();
  }

  #resize(...canvases: HTMLCanvasElement[]): void {
    this.width = Math.max(this.root.clientWidth, 1);
    this.height = Math.max(this.root.clientHeight, 1);
    for (const canvas of canvases) {
      canvas.width = Math.round(this.width * devicePixelRatio);
      canvas.height = Math.round(this.height * devicePixelRatio);
    }
    // Setting the size clears the canvases: without a frame at once they would flash.
    this.drawNow();
  }

  /** Clears the text canvas and sets it up for sizes in CSS pixels. */
  beginText(font: string, fill: string): CanvasRenderingContext2D {
    const { text } = this;
    text.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    text.clearRect(0, 0, this.width, this.height);
    text.font = font;
    text.fillStyle = fill;
    text.textBaseline = 'middle';
    return text;
  }
}

function noWebGl(): HTMLElement {
  return element(
    'p',
    { class: 'no-webgl', role: 'alert' },
    'This browser offers no WebGL2, which the drawing needs. Switch on hardware acceleration or use a current ' +
      'version of Firefox or Chromium. The figures and the list of sites work without it.',
  );
}
