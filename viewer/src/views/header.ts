// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was run, and the figures of the whole run. Those that were measured
// come first, then those that depend on the schedule; the prediction looks different.
import { button, element } from '../base/dom';
import { formatCount, formatNumber, formatPercent, formatRatio, formatTime } from '../base/format';
import type { Model, Run } from '../model/model';
import { wholeRun } from './whole-run';

interface Figure {
  label: string;
  /** A part of the label for which a narrow page has no room. */
  more?: string;
  value: string;
  explanation: string;
  aside?: string;
  /** True for a figure that was not measured. */
  predicted?: true;
}

export function header({ run, speedup }: Pick<Model, 'run' | 'speedup'>, help: () => void): HTMLElement {
  const figures = element('dl', { class: 'run' });
  for (const { label, more: rest, value, explanation, aside, predicted } of [
    ...figuresOf(run),
    ...speedupOf(speedup, run),
  ]) {
    const more = aside ? [' ', element('small', {}, aside)] : [];
    const name = rest ? [label, element('span', {}, rest)] : [label];
    const words = [element('dt', {}, ...name), element('dd', {}, value, ...more)];
    figures.append(element('div', { title: explanation, class: predicted && 'predicted' }, ...words));
  }
  return element(
    'header',
    {},
    element(
      'div',
      { class: 'title' },
      element('h1', {}, run.name, ...modelled(run)),
      wholeRun(),
      ...processOf(run),
      element('code', { title: run.command }, withoutFolders(run.command)),
    ),
    figures,
    button('?', 'Keys, mouse and terms (?)', help),
  );
}

/** Returns a command whose program has only the last folder of its path: the end says most. */
function withoutFolders(command: string): string {
  const [program = '', ...rest] = command.split(' ');
  const folders = program.split('/');
  const short = folders.length > 4 ? `…/${folders.slice(-2).join('/')}` : program;
  return [short, ...rest].join(' ');
}

/** Names the process that the page shows, and says how the recording's others are shown. */
function processOf({ process, others }: Run): HTMLElement[] {
  if (process === '') return [];
  const list = others.map((other) =>
    element(
      'li',
      { title: other.command },
      `${other.process}, ${withoutFolders(other.command)}: `,
      element('code', {}, other.show),
    ),
  );
  const title = 'Shows the other processes of the recording, and the commands that show them';
  const name = `process ${process}, one of ${formatCount(others.length + 1)}`;
  return [element('details', { class: 'process' }, element('summary', { title }, name), element('ul', {}, ...list))];
}

/** Marks a modelled run, so that it is not mistaken for a measured run. */
function modelled(run: Run): HTMLElement[] {
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
  const threads = formatNumber(here.threads, 'thread');
  return [
    {
      label: `Predicted for ${threads}`,
      value: `≈ ${formatRatio(here.speedup)} ×`,
      explanation: `Not measured, but computed from this recording: the speed-up over one thread if each of ${threads} had a processor of its own; and what that is per thread. Limited by: ${here.limited_by}`,
      aside:
        here.threads > run.processors
          ? `if it had ${formatNumber(here.threads, 'processor')}`
          : `efficiency ${efficiency}`,
      predicted: true,
    },
  ];
}

function figuresOf(run: Run): Figure[] {
  const grains =
    run.shown < run.grains ? `${formatCount(run.grains)} (${formatCount(run.shown)} shown)` : formatCount(run.grains);
  const atWork = run.work_ns / run.wall_ns;
  const busy = atWork / run.workers;
  const scheduled = `as scheduled on ${formatNumber(run.workers, 'thread')}`;
  return [
    {
      label: 'Wall time',
      value: formatTime(run.wall_ns),
      explanation: 'From the start of the recording to its end',
    },
    {
      label: 'Workers',
      value: formatCount(run.workers),
      explanation: 'Threads that ran grains, and the processors that the program may use',
      aside: `on ${formatNumber(run.processors, 'processor')}`,
    },
    {
      label: 'Work',
      value: formatTime(run.work_ns),
      explanation: 'Time in the code of all grains together, without waits; and its share of the time of all workers',
      aside: busy > 0 && Number.isFinite(busy) ? `${formatPercent(busy)} of their time` : '',
    },
    {
      label: 'Workers at work',
      value: formatRatio(atWork),
      explanation: 'Measured: work over wall time, how many workers were in the code of grains at a time on average',
      aside: `of ${formatCount(run.workers)}`,
    },
    {
      label: 'Span',
      more: ' as scheduled',
      value: formatTime(run.span_ns),
      explanation: `Work on the longest path, ${scheduled}: without another schedule, no number of workers is faster. More threads divide static loops further, so a prediction can be below it. Any schedule: with the best schedule of loops`,
      aside: bound(formatTime(run.span_ns), formatTime(run.span_any_schedule_ns)),
    },
    {
      label: 'Parallelism',
      more: ' as scheduled',
      value: formatRatio(run.parallelism),
      explanation: `Work over span, ${scheduled}: how many workers could be kept busy. More threads divide static loops further. Any schedule: with the best schedule of loops`,
      aside: bound(formatRatio(run.parallelism), formatRatio(run.parallelism_any_schedule)),
    },
    { label: 'Grains', value: grains, explanation: 'Tasks and loop chunks; small ones may be folded into groups' },
  ];
}

/** Returns the figure for any schedule; empty where the schedule makes no difference. */
const bound = (here: string, any: string): string => (here === any ? '' : `any schedule ${any}`);
