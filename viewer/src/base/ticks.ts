// SPDX-License-Identifier: Apache-2.0
// Round steps for axes and scale bars.

/** Returns the smallest of 1, 2, 5 times a power of ten that is not below `atLeast`. */
export function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  for (const digit of [1, 2, 5]) if (digit * power >= atLeast) return digit * power;
  return 10 * power;
}

/** Returns the multiples of `step` from `low` to `high`. */
export function ticks(low: number, high: number, step: number): number[] {
  const result: number[] = [];
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  for (let i = first; i <= last; i++) result.push(i * step);
  return result;
}
