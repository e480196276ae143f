// SPDX-License-Identifier: Apache-2.0
// Has the layout that is shown, and makes the next layout. A worker makes large layouts. Small
// layouts are made at once, and so are all layouts if the browser allows no worker.
import { Signal } from '../../base/signal';
import type { LayoutInput } from './input';
import { emptyLayout, type GraphLayout, layOut } from './layout';
import { received, type Sent } from './sent';
import LayoutWorker from './worker?worker&inline';

/** Up to this number of items, laying out takes less time than sending the input to a worker. */
const FEW_ITEMS = 20_000;

export class Layouts {
  readonly shown = new Signal<GraphLayout>(emptyLayout());
  /** The time that the last layout took, in milliseconds. */
  tookMs = 0;
  #worker: Worker | undefined;
  #failed = false;
  #asked = 0;
  #waiting: { number: number; input: LayoutInput; done: () => void; since: number }[] = [];

  /** Asks for a layout. Resolves when this layout, or a later one, is shown. */
  update(input: LayoutInput): Promise<void> {
    const number = ++this.#asked;
    const since = performance.now();
    const worker = input.drawn.item.kind.length < FEW_ITEMS ? undefined : this.#start();
    if (!worker && this.#waiting.length === 0) {
      this.#show(number, layOut(input), since);
      return Promise.resolve();
    }
    return new Promise((done) => {
      this.#waiting.push({ number, input, done, since });
      this.#start()?.postMessage(input);
    });
  }

  #start(): Worker | undefined {
    if (this.#worker || this.#failed || typeof Worker === 'undefined') return this.#worker;
    try {
      this.#worker = new LayoutWorker();
    } catch {
      this.#failed = true;
      return undefined;
    }
    const worker = this.#worker;
    worker.onmessage = ({ data }: MessageEvent<Sent>) => this.#answer((input) => received(input, data));
    worker.onerror = () => {
      // Some browsers allow no worker in a page from disk.
      this.#failed = true;
      this.#worker = undefined;
      while (this.#waiting.length > 0) this.#answer(layOut);
    };
    return worker;
  }

  #answer(layoutOf: (input: LayoutInput) => GraphLayout): void {
    const first = this.#waiting.shift();
    if (!first) return;
    this.#show(first.number, layoutOf(first.input), first.since);
    first.done();
  }

  #show(number: number, layout: GraphLayout, since: number): void {
    this.tookMs = performance.now() - since;
    // Where a later layout was asked for, that layout includes this change.
    if (number === this.#asked) this.shown.set(layout);
  }
}
