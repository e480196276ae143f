// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was run, and the figures of the whole run.
import { button, element } from '../base/dom';
import { formatCount, formatPercent, formatRatio, formatTime } from '../base/format';
import type { Model, Run } from '../model/model';

type Figure = [label: string, value: string, explanation: string, aside?: string];

export function header({ run, speedup }: Pick<Model, 'run' | 'speedup'>, help: () => void): HTMLElement {
  const figures = element('dl', { class: 'run' });
  for (const [label, value, explanation, aside] of [...speedupOf(speedup, run), ...figuresOf(run)]) {
    const more = aside ? [' ', element('small', {}, aside)] : [];
    figures.append(element('div', { title: explanation }, element('dt', {}, label), element('dd', {}, value, ...more)));
  }
  return element(
    'header',
    {},
    element(
      'div',
      { class: 'title' },
      element('h1', {}, run.name, ...modelled(run)),
      element('code', { title: run.command }, run.command),
    ),
    figures,
    button('?', 'Keys and mouse (?)', help),
  );
}

/** Marks a modelled run, so that it is not mistaken for a measured run. */ function modelled(run: Run): HTMLElement[] {
  if (run.modelled === '') return [];
  const title = 'Nothing of this run was measured: it ran on a modelled machine, in virtual time';
  return [element('span', { class: 'modelled', title }, `modelled: ${run.modelled}`)];
}

/**
 * The predicted speed-up with as many threads as were recorded, each with a processor of its own.
 */
function speedupOf(points: Model['speedup'], run: Run): Figure[] {
  const here = points.find(({ recorded }) => recorded);
  if (!here) return [];
  const efficiency = formatPercent(here.speedup / here.threads);
  const threads = `${formatCount(here.threads)} ${here.threads === 1 ? 'thread' : 'threads'}`;
  return [
    [
      'Predicted speed-up',
      formatRatio(here.speedup),
      `For ${threads} with a processor each against one, from this recording; and what that is per thread. Limited by: ${here.limited_by}`,
      here.threads > run.processors ? `${efficiency}, had it ${formatCount(here.threads)} processors` : efficiency,
    ],
  ];
}

function figuresOf(run: Run): Figure[] {
  const grains =
    run.shown < run.grains ? `${formatCount(run.grains)} (${formatCount(run.shown)} shown)` : formatCount(run.grains);
  const processors = `on ${formatCount(run.processors)} processors`;
  return [
    ['Wall time', formatTime(run.wall_ns), 'From the start of the recording to its end'],
    ['Work', formatTime(run.work_ns), 'Time in the code of all grains together'],
    [
      'Span',
      formatTime(run.span_ns),
      'Work on the longest path. No number of workers is faster: with this schedule, and with any schedule of loops',
      bound(formatTime(run.span_ns), formatTime(run.span_any_schedule_ns)),
    ],
    [
      'Parallelism',
      formatRatio(run.parallelism),
      'Work over span, how many workers could be kept busy: with this schedule, and with any schedule of loops',
      bound(formatRatio(run.parallelism), formatRatio(run.parallelism_any_schedule)),
    ],
    ['Workers', formatCount(run.workers), 'Threads that ran grains', processors],
    ['Grains', grains, 'Tasks and loop chunks; small ones may be folded into groups'],
  ];
}

/** Returns the figure for any schedule; empty where the schedule makes no difference. */
const bound = (here: string, any: string): string => (here === any ? '' : `any schedule ${any}`);
