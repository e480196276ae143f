// SPDX-License-Identifier: Apache-2.0
// The part of the world that a canvas shows: origin and scale in double precision. Only coordinates
// on the screen are converted to single precision, so that huge worlds do not jitter when the user
// zooms in.

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface Viewport {
  /** World coordinates of the upper left corner. */
  x: number;
  y: number;
  /** Pixels per world unit. */
  scaleX: number;
  scaleY: number;
}

/** A viewport with the same scale on both axes that shows all of a box, centred, with a margin in pixels. */
export function fitBox(box: Box, width: number, height: number, margin: number, maxScale = 4): Viewport {
  const w = Math.max(box.x1 - box.x0, 1e-9);
  const h = Math.max(box.y1 - box.y0, 1e-9);
  const room = (pixels: number) => Math.max(pixels - 2 * margin, 1);
  const scale = Math.min(room(width) / w, room(height) / h, maxScale);
  return {
    x: (box.x0 + box.x1 - width / scale) / 2,
    y: (box.y0 + box.y1 - height / scale) / 2,
    scaleX: scale,
    scaleY: scale,
  };
}

/** Zooms so that the world point under the pixel (px, py) stays there. */
export function zoomAround(view: Viewport, px: number, py: number, factorX: number, factorY: number): Viewport {
  const scaleX = view.scaleX * factorX;
  const scaleY = view.scaleY * factorY;
  return {
    x: view.x + px / view.scaleX - px / scaleX,
    y: view.y + py / view.scaleY - py / scaleY,
    scaleX,
    scaleY,
  };
}

export function panBy(view: Viewport, dx: number, dy: number): Viewport {
  return { ...view, x: view.x - dx / view.scaleX, y: view.y - dy / view.scaleY };
}

/** A step of a smooth move from `from` to `to`; `t` runs from 0 to 1. Scales move geometrically. */
export function between(from: Viewport, to: Viewport, t: number): Viewport {
  const mix = (a: number, b: number) => a * (b / a) ** t;
  const scaleX = mix(from.scaleX, to.scaleX);
  const scaleY = mix(from.scaleY, to.scaleY);
  // The share of the way that the zoom has gone decides the origin, so that the fixed point stays
  // fixed.
  const share = (a: number, b: number, now: number) =>
    Math.abs(a - b) < 1e-9 * a ? t : (1 / now - 1 / a) / (1 / b - 1 / a);
  return {
    x: from.x + (to.x - from.x) * share(from.scaleX, to.scaleX, scaleX),
    y: from.y + (to.y - from.y) * share(from.scaleY, to.scaleY, scaleY),
    scaleX,
    scaleY,
  };
}
