// SPDX-License-Identifier: Apache-2.0
// Rectangles to draw, in pixels, packed as the graphics card reads them. Each has eight words: x,
// y, width and height in single precision, fill, stroke, style, and an unused word.

export const WORDS_PER_RECT = 8;
const FIRST_SIZE = 4096;

/** How a rectangle is drawn besides its colours. */
export interface Look {
  stroke: number;
  strokeWidth: number;
  radius: number;
  hatched: boolean;
}

export const PLAIN: Look = { stroke: 0, strokeWidth: 0, radius: 0, hatched: false };

export class Batch {
  count = 0;
  #buffer = new ArrayBuffer(FIRST_SIZE * WORDS_PER_RECT * 4);
  #floats = new Float32Array(this.#buffer);
  #words = new Uint32Array(this.#buffer);

  clear(): void {
    this.count = 0;
  }

  /** The packed rectangles, and as much of what is behind them as fills the last row of `perRow`, a power of two. */
  rows(perRow: number): Uint32Array {
    return this.#words.subarray(0, Math.ceil(this.count / perRow) * perRow * WORDS_PER_RECT);
  }

  /** Left, top, width, height and fill colour of a rectangle, for tests. */
  rect(row: number): { x: number; y: number; width: number; height: number; fill: number } {
    const at = row * WORDS_PER_RECT;
    const [x, y, width, height] = this.#floats.subarray(at, at + 4);
    return { x: x!, y: y!, width: width!, height: height!, fill: this.#words[at + 4]! };
  }

  add(x: number, y: number, width: number, height: number, fill: number, look: Look = PLAIN): void {
    if ((this.count + 1) * WORDS_PER_RECT > this.#words.length) this.#grow();
    const at = this.count++ * WORDS_PER_RECT;
    this.#floats[at] = x;
    this.#floats[at + 1] = y;
    this.#floats[at + 2] = width;
    this.#floats[at + 3] = height;
    this.#words[at + 4] = fill;
    this.#words[at + 5] = look.stroke;
    // Bytes: corner radius in quarters of a pixel, stroke width likewise, hatched or not.
    this.#words[at + 6] =
      Math.min(255, Math.round(look.radius * 4)) |
      (Math.round(look.strokeWidth * 4) << 8) |
      (look.hatched ? 0xff0000 : 0);
  }

  #grow(): void {
    const larger = new ArrayBuffer(this.#buffer.byteLength * 2);
    new Uint8Array(larger).set(new Uint8Array(this.#buffer));
    this.#buffer = larger;
    this.#floats = new Float32Array(larger);
    this.#words = new Uint32Array(larger);
  }
}
