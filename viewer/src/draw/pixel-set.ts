// SPDX-License-Identifier: Apache-2.0
// Remembers which pixels have been drawn in a frame, so that drawing the same pixels again can be
// skipped: in a deep nest at a small scale, thousands of grains fall on the same few pixels. The
// set may forget a pixel, but never contains a pixel that was not drawn.

const SLOTS = 1 << 16;
const PROBES = 4;

export class PixelSet {
  readonly #keys = new Float64Array(SLOTS);

  #used = false;

  clear(): void {
    if (this.#used) this.#keys.fill(0);
    this.#used = false;
  }

  /** Whether a rectangle at the same pixels was added before; adds it. Pixels are from -100 to 8000. */
  hasOrAdd(x: number, y: number, width: number, height: number): boolean {
    this.#used = true;
    const left = Math.round(x) + 101;
    const top = Math.round(y) + 101;
    const right = Math.round(x + width) + 101;
    const bottom = Math.round(y + height) + 101;
    // Four numbers of 13 bits: 52 bits, which a double holds exactly.
    const key = ((left * 8192 + top) * 8192 + right) * 8192 + bottom;
    const hash = Math.imul(left * 31 + right, 0x9e3779b1) ^ Math.imul(top * 31 + bottom, 0x85ebca6b);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    for (let i = 0; i < PROBES; i++) {
      const at = (slot + i) & (SLOTS - 1);
      if (this.#keys[at] === key) return true;
      if (this.#keys[at] === 0) {
        this.#keys[at] = key;
        return false;
      }
    }
    this.#keys[slot] = key;
    return false;
  }
}
