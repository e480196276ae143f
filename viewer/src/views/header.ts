// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was run, and the figures of the whole run.
import { element } from '../base/dom';
import { formatCount, formatRatio, formatTime } from '../base/format';
import type { Run } from '../model/model';

export function header(run: Run): HTMLElement {
  const figures = element('dl', { class: 'run' });
  for (const [label, value, explanation] of figuresOf(run))
    figures.append(element('div', { title: explanation }, element('dt', {}, label), element('dd', {}, value)));
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
  );
}

/** So that nobody takes it for a run that was measured. */
function modelled(run: Run): HTMLElement[] {
  if (run.modelled === '') return [];
  const title = 'Nothing of this run was measured: it ran on a modelled machine, in virtual time';
  return [element('span', { class: 'modelled', title }, `modelled: ${run.modelled}`)];
}

function figuresOf(run: Run): [label: string, value: string, explanation: string][] {
  const grains =
    run.shown < run.grains ? `${formatCount(run.grains)} (${formatCount(run.shown)} shown)` : formatCount(run.grains);
  return [
    ['Wall time', formatTime(run.wall_ns), 'From the start of the recording to its end'],
    ['Work', formatTime(run.work_ns), 'Time in the code of all grains together'],
    [
      'Span',
      bounds(formatTime(run.span_ns), formatTime(run.span_any_schedule_ns)),
      'Work on the longest path. No number of workers is faster: with this schedule, and with any schedule of loops',
    ],
    [
      'Parallelism',
      bounds(formatRatio(run.parallelism), formatRatio(run.parallelism_any_schedule)),
      'Work over span, how many workers could be kept busy: with this schedule, and with any schedule of loops',
    ],
    ['Workers', `${formatCount(run.workers)} on ${formatCount(run.processors)} processors`, 'Threads that ran grains'],
    ['Grains', grains, 'Tasks and loop chunks; small ones may be folded into groups'],
  ];
}

/** One figure where the schedule makes no difference. */
const bounds = (here: string, any: string): string => (here === any ? here : `${here} · ${any} with any schedule`);
