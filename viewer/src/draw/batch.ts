// SPDX-License-Identifier: Apache-2.0
// Rectangles to draw, in pixels, packed as the graphics card reads them: 28 bytes each.

export const BYTES_PER_RECT = 28;

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
  #buffer = new ArrayBuffer(BYTES_PER_RECT * 4096);
  #floats = new Float32Array(this.#buffer);
  #words = new Uint32Array(this.#buffer);

  clear(): void {
    this.count = 0;
  }

  /** The packed rectangles. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, 0, this.count * BYTES_PER_RECT);
  }

  /** Left, top, width, height and fill colour of a rectangle, for tests. */
  rect(row: number): { x: number; y: number; width: number; height: number; fill: number } {
    const at = row * 7;
    const [x, y, width, height] = this.#floats.subarray(at, at + 4);
    return { x: x!, y: y!, width: width!, height: height!, fill: this.#words[at + 4]! };
  }

  /** Whether the last rectangle covers the same pixels: deep nests would draw thousands of such. */
  repeats(x: number, y: number, width: number, height: number): boolean {
    if (this.count === 0) return false;
    const at = (this.count - 1) * 7;
    const left = this.#floats[at]!;
    const top = this.#floats[at + 1]!;
    return (
      Math.round(left) === Math.round(x) &&
      Math.round(top) === Math.round(y) &&
      Math.round(left + this.#floats[at + 2]!) >= Math.round(x + width) &&
      Math.round(top + this.#floats[at + 3]!) >= Math.round(y + height)
    );
  }

  add(x: number, y: number, width: number, height: number, fill: number, look: Look = PLAIN): void {
    if ((this.count + 1) * BYTES_PER_RECT > this.#buffer.byteLength) this.#grow();
    const at = this.count++ * 7;
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
