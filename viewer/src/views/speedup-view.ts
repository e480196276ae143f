// SPDX-License-Identifier: Apache-2.0
// The speed-up that is predicted for numbers of threads, with its bound and what limits it. Below
// that for the recorded number stands what the recorded run reached.
import { element } from '../base/dom';
import { formatRatio, formatTime } from '../base/format';
import type { Run, Speedup } from '../model/model';

/** What the mark of a row is. */
const BOUND =
  'However its work is scheduled: the serial part stays as long as it is, the rest is divided among all threads, ' +
  'and the longest path through the program gets no shorter';

export function speedupView(points: readonly Speedup[], run: Pick<Run, 'work_ns' | 'wall_ns'>): HTMLElement[] {
  if (points.length === 0) return [];
  const most = points.reduce((all, { bound, speedup }) => Math.max(all, bound, speedup), 1);
  const head = element('tr', {}, ...['Threads', 'Speed-up', '', 'Limited by'].map((name) => element('th', {}, name)));
  const reached = run.work_ns / run.wall_ns;
  const rows = points.flatMap((point) => {
    const isHere = point.recorded && Number.isFinite(reached);
    return [row(point, most), ...(isHere ? [reachedRow(reached, most)] : [])];
  });
  return [
    element(
      'section',
      { class: 'in-speedup' },
      element(
        'h2',
        {},
        'Predicted speed-up ',
        element('small', { title: BOUND }, element('i', { class: 'tick' }), 'most with any schedule'),
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
  const title = `${formatTime(time_ns)}; no schedule has a speed-up above ${formatRatio(bound)}: the serial part is not divided, and the longest path is not shortened`;
  return element(
    'tr',
    { class: recorded ? 'recorded' : undefined, title: recorded ? `${title}; recorded on as many threads` : title },
    element('td', {}, String(threads)),
    element('td', {}, formatRatio(speedup)),
    element('td', { 'aria-hidden': 'true' }, element('div', {}, bar, mark)),
    element('td', {}, limited_by),
  );
}

/** Returns the row below that of the recorded number of threads: what was measured, not predicted. */
function reachedRow(reached: number, most: number): HTMLElement {
  const bar = element('i', { class: 'bar' });
  bar.style.width = `${Math.min(100, (100 * reached) / most)}%`;
  const title =
    'Measured: work over wall time of this run, as “Workers at work” above; lost processors and the recorder are in it';
  return element(
    'tr',
    { class: 'reached', title },
    element('td', {}),
    element('td', {}, formatRatio(reached)),
    element('td', { 'aria-hidden': 'true' }, element('div', {}, bar)),
    element('td', {}, 'this run, measured'),
  );
}
