// SPDX-License-Identifier: Apache-2.0
// Colours as 32-bit words whose bytes in memory are red, green, blue, alpha.

/** From "#rrggbb". */
export function color(hex: string, alpha = 1): number {
  const value = Number.parseInt(hex.slice(1), 16);
  return pack((value >> 16) & 255, (value >> 8) & 255, value & 255, Math.round(alpha * 255));
}

export function withAlpha(rgba: number, factor: number): number {
  return ((rgba & 0xffffff) | (Math.round((rgba >>> 24) * factor) << 24)) >>> 0;
}

export function mix(a: number, b: number, t: number): number {
  const channel = (shift: number) => Math.round(((a >>> shift) & 255) * (1 - t) + ((b >>> shift) & 255) * t);
  return pack(channel(0), channel(8), channel(16), channel(24));
}

/** Returns the opaque colour that a colour has on a ground. */
export function over(rgba: number, ground: number): number {
  const alpha = rgba >>> 24;
  return alpha === 255 ? rgba : mix(ground, (rgba | 0xff000000) >>> 0, alpha / 255);
}

/** Whether text on this colour should be dark. */
export function isLight(rgba: number): boolean {
  const luminance = 0.299 * (rgba & 255) + 0.587 * ((rgba >>> 8) & 255) + 0.114 * ((rgba >>> 16) & 255);
  return luminance > 140;
}

/** "#rrggbb" or, where it is not opaque, "#rrggbbaa", for style sheets. */
export function cssColor(rgba: number): string {
  const hex = (shift: number) => ((rgba >>> shift) & 255).toString(16).padStart(2, '0');
  const alpha = rgba >>> 24 === 255 ? '' : hex(24);
  return `#${hex(0)}${hex(8)}${hex(16)}${alpha}`;
}

function pack(r: number, g: number, b: number, a: number): number {
  return (r | (g << 8) | (b << 16) | (a << 24)) >>> 0;
}
