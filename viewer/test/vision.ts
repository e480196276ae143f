// SPDX-License-Identifier: Apache-2.0
// Simulates how colours look if one kind of cone is missing, by the matrices of Machado, Oliveira
// and Fernandes (2009) for a complete lack, and compares colours in L*a*b*, where a distance of 2.3
// is just visible.

type Triple = [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

export const VISIONS: Record<string, Matrix> = {
  'all cones': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const linear = (rgba: number): Triple => {
  const channel = (shift: number) => {
    const c = ((rgba >>> shift) & 255) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [channel(0), channel(8), channel(16)];
};

function lab(rgba: number, vision: Matrix): Triple {
  const seen = (row: Triple) => {
    const [r, g, b] = linear(rgba);
    return Math.min(1, Math.max(0, row[0] * r + row[1] * g + row[2] * b));
  };
  const [r, g, b] = [seen(vision[0]), seen(vision[1]), seen(vision[2])];
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

export function distance(a: number, b: number, vision: Matrix): number {
  const [p, q] = [lab(a, vision), lab(b, vision)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/** From black, 0, to white, 100. */
export const lightness = (rgba: number): number => lab(rgba, VISIONS['all cones']!)[0];

export function contrast(a: number, b: number): number {
  const luminance = (rgba: number) => {
    const [r, g, blue] = linear(rgba);
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05;
  };
  const [p, q] = [luminance(a), luminance(b)];
  return Math.max(p, q) / Math.min(p, q);
}

export const leastDistance = (colours: readonly number[], vision: Matrix): number =>
  Math.min(...colours.flatMap((a, at) => colours.slice(0, at).map((b) => distance(a, b, vision))));
