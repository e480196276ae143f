// SPDX-License-Identifier: Apache-2.0
// A site: a construct of the program's source, with sums over the grains that come from it.
import { fail, ok, type Result } from '../base/result';
import type { Ns } from '../base/time';
import { decodeFields, decodeList, type FieldType } from './fields';

export interface Call {
  file: string;
  line: number;
  function: string;
  /** How often the call occurs in a row, at most: more than once in a recursion. */
  times: number;
}

/** The calls by which a site was reached, with what the site did then. */
export interface CallPath {
  count: number;
  work_ns: Ns;
  wait_ns: Ns;
  /** Further calls, outside of the first one, are not known. */
  cut: boolean;
  /** The outermost first; without the site itself. */
  calls: Call[];
}

/** A function that ran inside a site. */
export interface Ran {
  /** Empty: it is not known. */
  function: string;
  object: string;
  /** The line in it that had most samples. */
  file: string;
  line: number;
  samples: number;
  /** The samples in which it had entered the kernel. */
  kernel: number;
}

/** What ran inside a site, by samples. */
export interface Inside {
  samples: number;
  /** Samples in the kernel, where it is not known which function entered it. */
  kernel_unplaced: number;
  functions: Ran[];
  /** The number of functions that are left out. */
  more: number;
}

export interface Site {
  file: string;
  line: number;
  function: string;
  kind: string;
  count: number;
  work_ns: Ns;
  mean_ns: Ns;
  low_benefit: number;
  /** By falling time; undefined: no call paths were recorded. */
  call_paths?: CallPath[] | undefined;
  /** undefined: no samples were taken in it. */
  inside?: Inside | undefined;
}

type Fields = Readonly<Record<string, FieldType>>;

const SITE: Fields = {
  file: 'string',
  line: 'number',
  function: 'string',
  kind: 'string',
  count: 'number',
  work_ns: 'number',
  mean_ns: 'number',
  low_benefit: 'number',
};
const PATH: Fields = { count: 'number', work_ns: 'number', wait_ns: 'number', cut: 'boolean' };
const CALL: Fields = { file: 'string', line: 'number', function: 'string', times: 'number' };
const INSIDE: Fields = { samples: 'number', kernel_unplaced: 'number', more: 'number' };
const RAN: Fields = {
  function: 'string',
  object: 'string',
  file: 'string',
  line: 'number',
  samples: 'number',
  kernel: 'number',
};

export function decodeSites(value: unknown): Result<Site[]> {
  const sites = decodeList<Site>(value, SITE, 'sites');
  if (!sites.ok) return sites;
  for (const [at, site] of sites.value.entries()) {
    const { call_paths, inside } = (value as Record<string, unknown>[])[at]!;
    const paths = call_paths === undefined ? ok(undefined) : decodePaths(call_paths, `sites[${at}].call_paths`);
    if (!paths.ok) return paths;
    const ran = inside === undefined ? ok(undefined) : decodeInside(inside, `sites[${at}].inside`);
    if (!ran.ok) return ran;
    Object.assign(site, { call_paths: paths.value, inside: ran.value });
  }
  return sites;
}

function decodePaths(value: unknown, name: string): Result<CallPath[]> {
  const paths = decodeList<CallPath>(value, PATH, name);
  if (!paths.ok) return paths;
  for (const [at, path] of paths.value.entries()) {
    const calls = decodeList<Call>((value as Record<string, unknown>[])[at]!.calls, CALL, `${name}[${at}].calls`);
    if (!calls.ok) return calls;
    path.calls = calls.value;
  }
  return paths;
}

function decodeInside(value: unknown, name: string): Result<Inside> {
  const inside = decodeFields(value, INSIDE, name);
  if (!inside.ok) return fail(inside.error);
  const functions = decodeList<Ran>((value as Record<string, unknown>).functions, RAN, `${name}.functions`);
  if (!functions.ok) return functions;
  return ok({ ...inside.value, functions: functions.value } as unknown as Inside);
}
