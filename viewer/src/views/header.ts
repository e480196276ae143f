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
      element('h1', {}, run.name),
      element('code', { title: run.command }, run.command),
    ),
    figures,
    ...notes(run),
  );
}

function figuresOf(run: Run): [label: string, value: string, explanation: string][] {
  const grains =
    run.shown < run.grains ? `${formatCount(run.grains)} (${formatCount(run.shown)} shown)` : formatCount(run.grains);
  return [
    ['Wall time', formatTime(run.wall_ns), 'From the start of the recording to its end'],
    ['Work', formatTime(run.work_ns), 'Time in the code of all grains together'],
    [
      'Span',
      formatTime(run.span_ns),
      'Work on the critical path: no number of workers is faster, with loops in the chunks of this run',
    ],
    ['Parallelism', formatRatio(run.parallelism), 'Work over span: how many workers could be kept busy'],
    ['Workers', `${formatCount(run.workers)} on ${formatCount(run.processors)} processors`, 'Threads that ran grains'],
    ['Grains', grains, 'Tasks and loop chunks; small ones may be folded into groups'],
  ];
}

function notes(run: Run): HTMLElement[] {
  const texts = [...run.notes];
  if (!run.complete && texts.length === 0) texts.push('The recording is incomplete.');
  if (texts.length === 0) return [];
  return [element('ul', { class: 'notes', role: 'status' }, ...texts.map((text) => element('li', {}, text)))];
}
