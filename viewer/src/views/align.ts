// SPDX-License-Identifier: Apache-2.0
// Puts the strip above the time line so that an instant is at the same place in both, and its text
// into the room to the right of it.

/** The time line is as much longer than the run. */
export const MARGIN = 1.005;

/** If there is less room beside the strip, its text is above it. */
const ROOM = 290;

type Box = Pick<DOMRect, 'left' | 'right' | 'width'>;

/** Returns the room to the left and to the right of the strip's drawing, in pixels. */
export function insets(strip: Box, surface: Box): { left: number; right: number } {
  if (surface.width === 0) return { left: 0, right: 0 };
  const length = surface.width / MARGIN;
  return { left: surface.left - strip.left, right: strip.right - surface.left - length };
}

/** Keeps a strip aligned with the drawing of a time line. */
export function align(strip: HTMLElement, timeline: HTMLElement): void {
  const surface = timeline.querySelector<HTMLElement>('.surface')!;
  const place = () => {
    const { left, right } = insets(strip.getBoundingClientRect(), surface.getBoundingClientRect());
    strip.style.setProperty('--left', `${left}px`);
    strip.style.setProperty('--right', `${right}px`);
    strip.classList.toggle('has-room', right >= ROOM);
  };
  const observer = new ResizeObserver(place);
  observer.observe(surface);
  observer.observe(strip);
}
