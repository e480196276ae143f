// SPDX-License-Identifier: Apache-2.0
// A set of recordings on one page: how the program scales, as `teff report` says it, and a view
// model of the median run of each number of threads. docs/formats/view.md defines the set's format,
// version 1. The models are large, so each is decoded when it is shown.
import { fail, ok, type Result } from '../base/result';
import type { Ns } from '../base/time';
import { type Answers, decodeAnswers } from './answers';
import { isRecord } from './columns';
import { decodeModel } from './decode';
import { decodeFields, decodeList, decodeTexts } from './fields';
import type { Model } from './model';

export const SET_VERSION = 1;

/** One number of threads. All but the shortest and the longest time is of its median run. */
export interface Point {
  /** What OMP_NUM_THREADS asked for; NaN: nothing was asked for. */
  threads: number;
  workers: number;
  /** The name of the median run, and the number of runs. */
  run: string;
  runs: number;
  wall_ns: Ns;
  wall_min_ns: Ns;
  wall_max_ns: Ns;
  speedup: number;
  efficiency: number;
  /** By name; NaN: not known. */
  factors: Record<string, number>;
  answers: Answers;
}

export interface Factor {
  name: string;
  meaning: string;
}

export interface RunSet {
  name: string;
  command: string;
  /** Empty: there is only one number of threads. */
  verdict: string;
  /** By rising number of threads. */
  points: Point[];
  /** The factors that differ from 1 in any row, and the names of the others. */
  factors: Factor[];
  near: string[];
  notes: string[];
  /** Decodes the model of a point. */
  model: (row: number) => Result<Model>;
}

const POINT = {
  threads: 'number',
  workers: 'number',
  run: 'string',
  wall_ns: 'number',
  wall_min_ns: 'number',
  wall_max_ns: 'number',
  speedup: 'number',
  efficiency: 'number',
} as const;

/** What a point's number of threads is called: the number that was asked for, or that there were. */
export const threadsOf = ({ threads, workers }: Point): number => (Number.isNaN(threads) ? workers : threads);

/** Where the page of a run requests what it lacks. */
export const folderOf = (row: number): string => `run-${row}/`;

export function decodeSet(json: Record<string, unknown>): Result<RunSet> {
  if (json.set !== SET_VERSION)
    return fail(
      `The set has version ${String(json.set)}; this page reads version ${SET_VERSION}. Use the same version of teff for both.`,
    );
  const { scaling, words, runs } = json;
  if (!isRecord(scaling)) return fail('scaling: expected an object.');
  if (!isRecord(words)) return fail('words: expected an object.');
  if (!Array.isArray(runs)) return fail('runs: expected a list.');
  const names = decodeFields(
    { ...json, ...scaling, ...words },
    { name: 'string', command: 'string', verdict: 'string' },
    'set',
  );
  if (!names.ok) return names;
  const points = decodePoints(scaling.points, runs);
  if (!points.ok) return points;
  const factors = decodeList<Factor>(words.factors, { name: 'string', meaning: 'string' }, 'words.factors');
  if (!factors.ok) return factors;
  const near = decodeTexts(words.near, 'words.near');
  if (!near.ok) return near;
  const notes = decodeTexts(scaling.notes, 'scaling.notes');
  if (!notes.ok) return notes;
  const lists = { points: points.value, factors: factors.value, near: near.value, notes: notes.value };
  const model = (row: number) => decodeModel(runs[row]);
  return ok({ ...(names.value as Pick<RunSet, 'name' | 'command' | 'verdict'>), ...lists, model });
}

function decodePoints(list: unknown, models: unknown[]): Result<Point[]> {
  const points = decodeList<Omit<Point, 'runs' | 'factors' | 'answers'>>(list, POINT, 'points');
  if (!points.ok) return points;
  if (points.value.length !== models.length || models.length === 0)
    return fail(`runs: ${models.length} models, expected ${points.value.length}, and at least one.`);
  const whole: Point[] = [];
  for (const [row, point] of points.value.entries()) {
    const { runs, factors } = (list as Record<string, unknown>[])[row]!;
    if (!Array.isArray(runs)) return fail(`points[${row}].runs: expected a list.`);
    if (!isRecord(factors)) return fail(`points[${row}].factors: expected an object.`);
    const model = models[row];
    const answers = decodeAnswers(isRecord(model) ? model.answers : undefined);
    if (!answers.ok) return answers;
    const value = (factor: unknown) => (typeof factor === 'number' ? factor : Number.NaN);
    const numbers = Object.fromEntries(Object.entries(factors).map(([name, factor]) => [name, value(factor)]));
    whole.push({ ...point, runs: runs.length, factors: numbers, answers: answers.value });
  }
  return ok(whole);
}
