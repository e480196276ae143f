// SPDX-License-Identifier: Apache-2.0
// The problems of grains. The page can show one problem at a time: which grains have it, and how
// severe it is.
import type { Ns, NsColumn } from '../base/time';
import { type GrainRow, type GrainRows, grainRow, grainRows } from './ids';
import { Flag, type Model } from './model';
import { severityOf } from './severity';
import { stallShare } from './stall';

export const PROBLEMS = ['benefit', 'wait', 'memory', 'long', 'alone', 'path'] as const;
export type Problem = (typeof PROBLEMS)[number];

export interface ProblemWords {
  label: string;
  explanation: string;
}

export const PROBLEM_WORDS: Readonly<Record<Problem, ProblemWords>> = {
  benefit: {
    label: 'Low parallel benefit',
    explanation: 'Creating it and waiting for it cost more than its work; worst: 16 times as much',
  },
  wait: { label: 'Long waits', explanation: 'Its worker lost time to its waits; worst: the longest of any grain' },
  memory: { label: 'Waits for memory', explanation: 'More than a third of its work; worst: all of it' },
  long: {
    label: 'Longer than its like',
    explanation: 'More than twice the mean work of its site; worst: 16 times as much',
  },
  alone: {
    label: 'Little beside it',
    explanation: 'While it ran, less than three quarters of the workers did; worst: it ran alone',
  },
  path: { label: 'Critical path', explanation: 'It is on the longest path; worst: the one with most work' },
};

/** A severity from 0 (none) to 1 for each grain. */
export type Severity = (grain: GrainRow) => number;

const clamp = (value: number) => Math.min(1, Math.max(0, value));
/** The lowest severity of a grain that has the problem. */
const LEAST = 0.1;
const LEAST_WAIT = 0.02;

export function severities(model: Model, problem: Problem): Severity {
  switch (problem) {
    case 'benefit':
      return (grain) => severityOf(model, grain);
    case 'wait':
      return ofLongest(model, model.grain.wait, () => true);
    case 'memory':
      return (grain) => {
        const share = stallShare(model, grain) ?? 0;
        return share > 1 / 3 ? share : 0;
      };
    case 'long':
      return (grain) => longSeverity(model, grain);
    case 'alone':
      return aloneSeverity(model);
    case 'path':
      return ofLongest(model, model.grain.work, (grain) => (model.grain.flags[grain]! & Flag.Critical) !== 0);
  }
}

/** Returns the rows of the grains that have the problem, the worst first. */
export function worst(model: Model, severity: Severity): GrainRows {
  const all = Float64Array.from({ length: model.grain.kind.length }, (_, grain) => severity(grainRow(grain)));
  const rows = Uint32Array.from(all.keys()).filter((grain) => all[grain]! > 0);
  return grainRows(rows.sort((a, b) => all[b]! - all[a]! || a - b));
}

/**
 * The severity is the grain's share of the longest time. A wait below LEAST_WAIT of the longest
 * does not count.
 */
function ofLongest(model: Model, time: NsColumn, counts: (grain: GrainRow) => boolean): Severity {
  let longest = 0;
  for (let grain = grainRow(0); grain < time.length; grain++)
    if (counts(grain) && time[grain]! > longest) longest = time[grain]!;
  const isWait = time === model.grain.wait;
  return (grain) => {
    if (!counts(grain) || longest === 0) return 0;
    const share = time[grain]! / longest;
    return isWait && share < LEAST_WAIT ? 0 : Math.max(LEAST, share);
  };
}

function longSeverity({ grain, sites }: Model, row: GrainRow): number {
  const site = sites[grain.site[row]!];
  if (!site || site.count < 3 || !(site.mean_ns > 0)) return 0;
  const times = grain.work[row]! / Math.max(1, grain.count[row]!) / site.mean_ns;
  return times > 2 ? clamp(Math.log2(times) / 4) : 0;
}

/** The severity follows from the mean number of grains that ran while the grain did. */
function aloneSeverity({ grain, run, whole }: Model): Severity {
  const { running, interval_ns } = whole.strip;
  const area = new Float64Array(running.length + 1);
  for (let at = 0; at < running.length; at++) area[at + 1] = area[at]! + running[at]!;
  const upTo = (time: Ns) => {
    const at = Math.min(Math.max(time / interval_ns, 0), running.length);
    const whole = Math.floor(at);
    return area[whole]! + (at - whole) * (running[whole] ?? 0);
  };
  const workers = Math.max(1, Math.min(run.workers, run.processors || run.workers));
  return (row) => {
    const length = (grain.end[row]! - grain.start[row]!) / interval_ns;
    if (!(length > 0) || workers === 1) return 0;
    const mean = (upTo(grain.end[row]!) - upTo(grain.start[row]!)) / length;
    return mean < workers * 0.75 ? Math.max(LEAST, clamp((workers - mean) / (workers - 1))) : 0;
  };
}
