// SPDX-License-Identifier: Apache-2.0
// The speed-up that is predicted for other numbers of threads, with its bound and what limits it.
import { element } from '../base/dom';
import { formatRatio, formatTime } from '../base/format';
import type { Speedup } from '../model/model';

export function speedupView(points: readonly Speedup[]): HTMLElement[] {
  if (points.length === 0) return [];
  const most = points.reduce((all, { bound, speedup }) => Math.max(all, bound, speedup), 1);
  const head = element('tr', {}, ...['Threads', 'Speed-up', '', 'Limited by'].map((name) => element('th', {}, name)));
  const rows = points.map((point) => row(point, most));
  return [
    element(
      'section',
      { class: 'in-speedup' },
      element(
        'h2',
        {},
        'Predicted speed-up ',
        element('small', {}, element('i', { class: 'tick' }), 'most with any schedule'),
      ),
      element('table', { class: 'speedup' }, element('thead', {}, head), element('tbody', {}, ...rows)),
    ),
  ];
}

/** Returns a row: the bar is the speed-up, and the mark to the right of it is the bound. */
function row({ threads, time_ns, speedup, bound, limited_by, recorded }: Speedup, most: number): HTMLElement {
  const bar = element('i', { class: 'bar' });
  bar.style.width = `${(100 * speedup) / most}%`;
  const mark = element('i', { class: 'bound' });
  mark.style.left = `${(100 * bound) / most}%`;
  const title = `${formatTime(time_ns)}; no schedule has a speed-up above ${formatRatio(bound)}`;
  return element(
    'tr',
    { class: recorded ? 'recorded' : undefined, title: recorded ? `${title}; recorded on as many threads` : title },
    element('td', {}, String(threads)),
    element('td', {}, formatRatio(speedup)),
    element('td', { 'aria-hidden': 'true' }, element('div', {}, bar, mark)),
    element('td', {}, limited_by),
  );
}
