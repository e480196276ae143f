// SPDX-License-Identifier: Apache-2.0
// The bar between graph and time line. The user moves the bar by dragging it, or by the arrow keys.
import { element } from '../base/dom';

const LOWEST = 10;
const HIGHEST = 80;
const STEP = 4;

/** Sets `--timeline` of the container, the time line's share of its height in per cent. */
export function splitter(container: HTMLElement): HTMLElement {
  let share = 27;
  const bar = element('div', {
    class: 'splitter',
    role: 'separator',
    tabindex: 0,
    'aria-label': 'Height of the time line',
    'aria-orientation': 'horizontal',
    'aria-valuemin': LOWEST,
    'aria-valuemax': HIGHEST,
  });
  const set = (percent: number) => {
    share = Math.min(Math.max(percent, LOWEST), HIGHEST);
    container.style.setProperty('--timeline', `${share}%`);
    bar.setAttribute('aria-valuenow', String(Math.round(share)));
  };
  set(share);
  bar.addEventListener('pointerdown', (event) => bar.setPointerCapture(event.pointerId));
  bar.addEventListener('pointermove', (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { bottom, height } = container.getBoundingClientRect();
    set(((bottom - event.clientY) / height) * 100);
  });
  bar.addEventListener('keydown', (event) => {
    if (event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    set(share + (event.key === 'ArrowUp' ? STEP : -STEP));
  });
  return bar;
}
