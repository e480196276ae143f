// SPDX-License-Identifier: Apache-2.0
// The problems of grains. The page can show one problem at a time: which grains have it, and how
// severe it is.
import type { NsColumn } from '../base/time';
import { type GrainRow, type GrainRows, grainRow, grainRows } from './ids';
import { Flag, type Model, type ProblemFacts } from './model';
import { severityOf, severityOfBenefit } from './severity';
import { stallShare } from './stall';

/** The problems that the tools find by the metrics of the grains thesis: docs/formats/metrics.md. */
const METRICS = {
  balance: 'load_balance',
  deviation: 'work_deviation',
  parallelism: 'instantaneous_parallelism',
  scatter: 'scatter',
} as const;
type Measured = keyof typeof METRICS;

export const PROBLEMS = [
  'benefit',
  'wait',
  'memory',
  'long',
  'balance',
  'deviation',
  'parallelism',
  'scatter',
  'path',
] as const;
export type Problem = (typeof PROBLEMS)[number];

interface ProblemWords {
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
  balance: {
    label: 'Load balance',
    explanation: 'The longest chain of work among it and its siblings / the median one; worst: 16',
  },
  deviation: { label: 'Work deviation', explanation: 'Its work / its work in the baseline; worst: 16' },
  parallelism: {
    label: 'Low parallelism',
    explanation: 'How few grains ran at some instant while it did; worst: it ran alone',
  },
  scatter: {
    label: 'Scatter',
    explanation: 'How far apart the cores of its siblings are; worst: the farthest of all',
  },
  path: { label: 'Critical path', explanation: 'It is on the longest path; worst: the one with most work' },
};

/** How many grains have a problem, and their shares of all grains and of all work. */
export interface Affected {
  grains: number;
  grainsShare: number;
  workShare: number;
}

/** The row of the problem that the tools found; undefined: the page finds it. */
function factsOf(model: Model, problem: Problem): { row: number; facts: ProblemFacts } | undefined {
  const metric = problem === 'benefit' ? 'parallel_benefit' : METRICS[problem as Measured];
  const row = model.problems.findIndex((one) => one.metric === metric);
  const facts = model.problems[row];
  // Without a limit, a low benefit is that of the report's sites.
  return facts && (problem !== 'benefit' || !Number.isNaN(facts.limit)) ? { row, facts } : undefined;
}

/** Returns which values of a metric are the problem; empty for other problems. */
export function limitText(model: Model, problem: Problem): string {
  const facts = factsOf(model, problem)?.facts;
  if (!facts) return '';
  if (!Number.isNaN(facts.limit)) return `Shown if ${facts.side} ${Number(facts.limit.toPrecision(6))}`;
  return 'Shown if it costs at least 1/1000 of workers × wall time';
}

/**
 * Returns why no grain can have the problem, with the option that changes this; empty if grains can
 * have it.
 */
export function unknownText(model: Model, problem: Problem): string {
  const facts = factsOf(model, problem)?.facts;
  if (!facts) return '';
  if (facts.known === 0) return problem === 'deviation' ? 'needs --baseline' : 'not known';
  return facts.judged ? '' : `needs --threshold ${facts.metric}=N`;
}

export function affected(model: Model, problem: Problem): Affected {
  const facts = factsOf(model, problem)?.facts;
  if (facts) return { grains: facts.grains, grainsShare: facts.grains_share, workShare: facts.work_share };
  const severity = severities(model, problem);
  let [grains, work] = [0, 0];
  for (let row = grainRow(0); row < model.grain.kind.length; row++) {
    if (!(severity(row) > 0)) continue;
    grains += model.grain.count[row]!;
    work += model.grain.work[row]!;
  }
  const { run } = model;
  return { grains, grainsShare: grains / Math.max(1, run.grains), workShare: run.work_ns > 0 ? work / run.work_ns : 0 };
}

/** A severity from 0 (none) to 1 for each grain. */
export type Severity = (grain: GrainRow) => number;

const clamp = (value: number) => Math.min(1, Math.max(0, value));
/** The lowest severity of a grain that has the problem. */
const LEAST = 0.1;
const LEAST_WAIT = 0.02;

export function severities(model: Model, problem: Problem): Severity {
  switch (problem) {
    case 'benefit':
      return benefitSeverity(model);
    case 'wait':
      return ofLongest(model, model.grain.wait, () => true);
    case 'memory':
      return (grain) => {
        const share = stallShare(model, grain) ?? 0;
        return share > 1 / 3 ? share : 0;
      };
    case 'long':
      return (grain) => longSeverity(model, grain);
    case 'balance':
    case 'deviation':
    case 'parallelism':
    case 'scatter':
      return measuredSeverity(model, problem);
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

function benefitSeverity(model: Model): Severity {
  const found = factsOf(model, 'benefit');
  if (!found) return (grain) => severityOf(model, grain);
  const has = hasProblem(model, found.row);
  return (grain) => (has(grain) ? severityOfBenefit(model.grain.benefit[grain]!, LEAST) : 0);
}

/** The tools say which grains have the problem; how severe it is follows from the metric's value. */
function measuredSeverity(model: Model, problem: Measured): Severity {
  const found = factsOf(model, problem);
  if (!found) return () => 0;
  const has = hasProblem(model, found.row);
  const values = model.grain[METRICS[problem]];
  const { run } = model;
  const workers = Math.max(2, Math.min(run.workers, run.processors || run.workers));
  const farthest = problem === 'scatter' ? values.reduce((most, value) => (value > most ? value : most), 1) : 1;
  const level = (value: number) => {
    if (problem === 'scatter') return value / farthest;
    return problem === 'parallelism' ? (workers - value) / (workers - 1) : Math.log2(value) / 4;
  };
  return (grain) => (has(grain) ? Math.max(LEAST, clamp(level(values[grain]!) || 0)) : 0);
}

const hasProblem =
  ({ grain }: Model, row: number) =>
  (at: GrainRow) =>
    (grain.problems[at]! & (1 << row)) !== 0;
