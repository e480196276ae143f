// SPDX-License-Identifier: Apache-2.0
// Two recordings on one page: a view model of each recording, and the results of `teff diff` for
// the two, decoded and checked. docs/formats/view.md defines the pair's format, version 1.
import { fail, ok, type Result } from '../base/result';
import type { Ns } from '../base/time';
import { isRecord } from './columns';
import { decodeModel } from './decode';
import { decodeFields, decodeList, decodeTexts } from './fields';
import { type SiteId, siteId } from './ids';
import type { Model } from './model';

export const PAIR_VERSION = 1;

export const SIDES = ['before', 'after'] as const;
export type SideName = (typeof SIDES)[number];

/** A time before and after: medians of the runs. NaN: there is none. */
export interface Change {
  before_ns: Ns;
  after_ns: Ns;
  /** After / before, and the bounds between which this ratio lies with 95 % confidence. */
  ratio: number;
  ratio_low: number;
  ratio_high: number;
  p: number;
  /** change, noise, too-few-runs or not-tested. */
  verdict: string;
}

export interface NamedChange extends Change {
  name: string;
}

export interface Place {
  file: string;
  line: number;
  function: string;
}

/** The grains of one construct, or the waits there. */
export interface DiffSite {
  /** The place of the construct on each side; undefined: the side does not have it. */
  before: Place | undefined;
  after: Place | undefined;
  kind: string;
  /** address, line, order or alone. */
  joined: string;
  count_before: number;
  count_after: number;
  work: Change;
  wait: Change;
  creation: Change;
  /**
   * The comparison grain by grain; undefined: the row is about waits, or its grains are compared in
   * another row.
   */
  grains: SameGrains | undefined;
  /** The id of the site on each side; undefined: the side does not have it. */
  rows: Record<SideName, SiteId | undefined>;
}

export interface SameGrains {
  matched: number;
  matched_before_ns: Ns;
  matched_after_ns: Ns;
  deviation: number;
  no_construct: number;
  no_scope: number;
  other_number: number;
}

export interface DiffSide {
  name: string;
  command: string;
  /** The number of runs that count. */
  runs: number;
  workers: number;
  /** The run that the page shows. */
  median_run: string;
}

export interface Joined {
  by_address: number;
  by_line: number;
  by_order: number;
  only_before: number;
  only_after: number;
  matched: number;
  unmatched: number;
  matched_work_before: number;
  matched_work_after: number;
  no_construct: number;
  no_scope: number;
  other_number: number;
}

export interface Pair {
  before: Model;
  after: Model;
  sides: Record<SideName, DiffSide>;
  wall: Change;
  /** The wall time by number of threads, then sums over all workers. */
  totals: NamedChange[];
  /** The sites that changed by more than noise come first. */
  sites: DiffSite[];
  joined: Joined;
  notes: string[];
}

const CHANGE = {
  before_ns: 'number',
  after_ns: 'number',
  ratio: 'number',
  ratio_low: 'number',
  ratio_high: 'number',
  p: 'number',
  verdict: 'string',
} as const;
const PLACE = { file: 'string', line: 'number', function: 'string' } as const;
const SIDE = { name: 'string', command: 'string', runs: 'number', workers: 'number', median_run: 'string' } as const;
const SITE = { kind: 'string', joined: 'string', count_before: 'number', count_after: 'number' } as const;
const GRAINS = {
  matched: 'number',
  matched_before_ns: 'number',
  matched_after_ns: 'number',
  deviation: 'number',
  no_construct: 'number',
  no_scope: 'number',
  other_number: 'number',
} as const;
const JOINED = {
  by_address: 'number',
  by_line: 'number',
  by_order: 'number',
  only_before: 'number',
  only_after: 'number',
  matched: 'number',
  unmatched: 'number',
  matched_work_before: 'number',
  matched_work_after: 'number',
  no_construct: 'number',
  no_scope: 'number',
  other_number: 'number',
} as const;

export function decodePair(json: Record<string, unknown>): Result<Pair> {
  if (json.pair !== PAIR_VERSION)
    return fail(
      `The comparison has version ${String(json.pair)}; this page reads version ${PAIR_VERSION}. Use the same version of teff for both.`,
    );
  try {
    const [before, after] = [checked(decodeModel(json.before)), checked(decodeModel(json.after))];
    const diff = recordOf(json.diff, 'diff');
    return ok({
      before,
      after,
      sides: { before: decoded<DiffSide>(diff.before, SIDE, 'before'), after: decoded(diff.after, SIDE, 'after') },
      wall: decoded(diff.wall, CHANGE, 'wall'),
      totals: [...wallByThreads(diff.wall_by_threads), ...totals(diff.totals)],
      sites: sites(diff.sites, json.rows, { before, after }),
      joined: decoded(diff.joined, JOINED, 'joined'),
      notes: checked(decodeTexts(diff.notes, 'notes')),
    });
  } catch (error) {
    if (error instanceof Wrong) return fail(error.message);
    throw error;
  }
}

/** Thrown where the data is wrong; its message is for the user. */
class Wrong extends Error {}

function checked<T>(result: Result<T>): T {
  if (!result.ok) throw new Wrong(result.error);
  return result.value;
}

function recordOf(value: unknown, name: string): Record<string, unknown> {
  if (!isRecord(value)) throw new Wrong(`${name}: expected an object.`);
  return value;
}

const decoded = <T>(value: unknown, fields: Parameters<typeof decodeFields>[1], name: string): T =>
  checked(decodeFields(value, fields, name)) as T;

function listOf(value: unknown, name: string): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Wrong(`${name}: expected a list.`);
  return value.map((entry, row) => recordOf(entry, `${name}[${row}]`));
}

/** Returns nothing for one number of threads: its wall time is the wall time of all runs. */
function wallByThreads(value: unknown): NamedChange[] {
  const all = listOf(value, 'wall_by_threads').map((entry, row) => {
    const { threads } = decoded<{ threads: number }>(entry, { threads: 'number' }, `wall_by_threads[${row}]`);
    const on = Number.isNaN(threads) ? 'of all runs' : threads === 1 ? 'on 1 thread' : `on ${threads} threads`;
    return { name: `wall time ${on}`, ...decoded<Change>(entry, CHANGE, `wall_by_threads[${row}]`) };
  });
  return all.length > 1 ? all : [];
}

const totals = (value: unknown): NamedChange[] =>
  checked(decodeList<NamedChange>(value, { name: 'string', ...CHANGE }, 'totals'));

function sites(value: unknown, rows: unknown, models: Record<SideName, Model>): DiffSite[] {
  const list = listOf(value, 'sites');
  const joined = checked(decodeList<Record<SideName, number>>(rows, { before: 'number', after: 'number' }, 'rows'));
  if (joined.length !== list.length) throw new Wrong(`rows: ${joined.length} rows, expected ${list.length}.`);
  return list.map((site, row) => {
    const name = `sites[${row}]`;
    const place = (side: SideName) => (site[side] === null ? undefined : decoded<Place>(site[side], PLACE, name));
    const change = (what: string) => decoded<Change>(site[what], CHANGE, `${name}.${what}`);
    const rowOf = (side: SideName) => siteRow(joined[row]![side], models[side], `rows[${row}].${side}`);
    return {
      ...decoded<Pick<DiffSite, 'kind' | 'joined' | 'count_before' | 'count_after'>>(site, SITE, name),
      before: place('before'),
      after: place('after'),
      work: change('work'),
      wait: change('wait'),
      creation: change('creation'),
      grains: site.grains === null ? undefined : decoded<SameGrains>(site.grains, GRAINS, `${name}.grains`),
      rows: { before: rowOf('before'), after: rowOf('after') },
    };
  });
}

function siteRow(row: number, model: Model, name: string): SiteId | undefined {
  if (Number.isNaN(row)) return undefined;
  if (!(row in model.sites)) throw new Wrong(`${name}: refers to ${row}, but there are ${model.sites.length}.`);
  return siteId(row);
}
