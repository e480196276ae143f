// SPDX-License-Identifier: Apache-2.0
// Text inside a rectangle of a drawing.

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const LINE = 13;
const PADDING = 4;

/**
 * Writes the lines that fit into the middle of the visible part of the area. Leaves out lines that
 * are too long.
 */
export function writeLabel(
  text: CanvasRenderingContext2D,
  lines: readonly string[],
  area: Area,
  visible: { width: number; height: number },
  color: string,
): void {
  const left = Math.max(area.x, 0);
  const top = Math.max(area.y, 0);
  const width = Math.min(area.x + area.width, visible.width) - left - 2 * PADDING;
  const height = Math.min(area.y + area.height, visible.height) - top;
  const fitting = lines
    .filter((line) => line !== '' && text.measureText(line).width <= width)
    .slice(0, Math.floor((height - 2) / LINE));
  text.fillStyle = color;
  text.textAlign = 'center';
  for (const [i, line] of fitting.entries()) {
    const fromMiddle = i - (fitting.length - 1) / 2;
    text.fillText(line, left + PADDING + width / 2, top + height / 2 + fromMiddle * LINE);
  }
}
