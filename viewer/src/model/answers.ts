// SPDX-License-Identifier: Apache-2.0
// The conclusions of the tools: what to change, where the time went, and how reliable this is.
import { formatPercent } from '../base/format';
import { fail, ok, type Result } from '../base/result';
import type { Ns } from '../base/time';
import { isRecord } from './columns';
import { decodeFields, decodeList, decodeTexts } from './fields';
import { type SiteId, siteId } from './ids';
import type { Site } from './site';

export interface Finding {
  rule: string;
  title: string;
  file: string;
  line: number;
  function: string;
  /** The wall time that the remedy would gain. */
  gain_ns: Ns;
  /** The same as a share of the wall time that it is a part of. */
  gain_share: number;
  evidence: string[];
  remedy: string;
  estimate: string;
  /** When it was; both 0: it is about no stretch of time. */
  begin_ns: Ns;
  end_ns: Ns;
}

/** A part of the workers' time. */
export interface TimeClass {
  name: string;
  ns: Ns;
}

export interface Answers {
  /** The findings with the largest gain first. */
  findings: Finding[];
  /** Those that may be an effect of a disturbed machine: the first line of evidence says why. */
  held_back: Finding[];
  /** What to say if there are none. */
  none: string;
  /** The wall time without the recorder and other processes. */
  undisturbed_ns: Ns;
  /** How many findings are left out. */
  more: number;
  /** The number of workers times the wall time. */
  whole_ns: Ns;
  classes: TimeClass[];
  quality: string[];
}

const FINDING = {
  rule: 'string',
  title: 'string',
  file: 'string',
  line: 'number',
  function: 'string',
  gain_ns: 'number',
  gain_share: 'number',
  remedy: 'string',
  estimate: 'string',
  begin_ns: 'number',
  end_ns: 'number',
} as const;

export function decodeAnswers(value: unknown): Result<Answers> {
  if (!isRecord(value)) return fail('answers: expected an object.');
  const figures = decodeFields(
    value,
    { none: 'string', undisturbed_ns: 'number', more: 'number', whole_ns: 'number' },
    'answers',
  );
  if (!figures.ok) return figures;
  const findings = decodeFindings(value.findings, 'answers.findings');
  if (!findings.ok) return findings;
  const held_back = decodeFindings(value.held_back, 'answers.held_back');
  if (!held_back.ok) return held_back;
  const classes = decodeList<TimeClass>(value.classes, { name: 'string', ns: 'number' }, 'answers.classes');
  if (!classes.ok) return classes;
  const quality = decodeTexts(value.quality, 'answers.quality');
  if (!quality.ok) return quality;
  const lists = {
    findings: findings.value,
    held_back: held_back.value,
    classes: classes.value,
    quality: quality.value,
  };
  return ok({ ...figures.value, ...lists } as Answers);
}

function decodeFindings(value: unknown, name: string): Result<Finding[]> {
  const findings = decodeList<Finding>(value, FINDING, name);
  if (!findings.ok) return findings;
  for (const [row, finding] of findings.value.entries()) {
    const { evidence } = (value as Record<string, unknown>[])[row]!;
    const texts = decodeTexts(evidence, `${name}[${row}].evidence`);
    if (!texts.ok) return texts;
    finding.evidence = texts.value;
  }
  return findings;
}

/** What the page calls a class. */
export function classLabel(name: string): string {
  return name === 'outside_team' ? 'without a team' : name.replaceAll('_', ' ');
}

const MEANINGS: Readonly<Record<string, string>> = {
  work: "in the program's own code",
  inflation: 'more work than in the baseline',
  creation: 'creating tasks',
  scheduling: 'getting tasks to run, book-keeping of loops, fork and join',
  nothing_ready: 'tasks ran or were yet to come, and none was ready',
  ready_waiting: 'a task was ready for others to take',
  locks: 'waiting for locks, critical and ordered regions',
  imbalance: 'at barriers and ends of regions, for the last thread',
  serial: 'no parallel region was open in the whole program',
  outside_team: 'the team of the open region had fewer threads',
  descheduled: 'another thread had the processor, or it slept',
  recorder: 'what recording cost',
  rest: 'no record explains it',
};

/** The classes, in the order of the budget. */
export const CLASSES: readonly string[] = Object.keys(MEANINGS);

/** What a worker did, or why it did nothing, in the time of a class. */
export const classMeaning = (name: string): string => MEANINGS[name] ?? '';

/** A smaller share of the whole cannot be seen. */
const LEAST = 0.0005;

/** The classes that can be seen, in the tools' order, with their share of the whole. */
export function shares({
  classes,
  whole_ns,
}: Pick<Answers, 'classes' | 'whole_ns'>): (TimeClass & { share: number })[] {
  const all = classes.map((one) => ({ ...one, share: whole_ns > 0 ? one.ns / whole_ns : 0 }));
  return all.filter(({ share }) => share >= LEAST);
}

/** Below these shares of the workers' time, what disturbed a run matters little, or not at all. */
const DISTURBED = [0.05, 0.2] as const;

/** Returns in one line how far the figures can be trusted. `lacks`: what the recording lacks, if it is not whole. */
export function verdict(answers: Answers, lacks: string): string {
  if (lacks !== '') return 'Not reliable: the recording is not whole';
  const share = (name: string) => {
    const one = answers.classes.find((other) => other.name === name);
    return one && answers.whole_ns > 0 ? one.ns / answers.whole_ns : 0;
  };
  const parts: [share: number, what: string][] = [
    [share('recorder'), 'recording took'],
    [share('descheduled'), 'threads had no processor for'],
  ];
  const lost = parts.reduce((sum, [part]) => sum + part, 0);
  const shown = parts.filter(([part]) => part >= LEAST).sort(([a], [b]) => b - a);
  const words = shown.map(([part, what]) => `${what} ${formatPercent(part)}`).join(', ');
  const level = lost < DISTURBED[0] ? 'Reliable' : lost < DISTURBED[1] ? 'Fairly reliable' : 'Hardly reliable';
  return words === '' ? level : `${level}: ${words} of the workers’ time`;
}

/**
 * Returns the site that a finding points to. Of several sites on its line, returns the one with
 * most work.
 */
export function siteOf(finding: Finding, sites: readonly Site[]): SiteId | undefined {
  let best: SiteId | undefined;
  for (const [number, site] of sites.entries()) {
    const same = site.file === finding.file && site.line === finding.line;
    if (!same || (!site.file && site.function !== finding.function)) continue;
    if (best === undefined || site.work_ns > sites[best]!.work_ns) best = siteId(number);
  }
  return best;
}
