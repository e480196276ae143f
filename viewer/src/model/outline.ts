// SPDX-License-Identifier: Apache-2.0
// What the program is made of: regions and the serial parts between them, in order of time, with
// repetitions folded.
import { fail, ok, type Result } from '../base/result';
import type { Ns } from '../base/time';
import { decodeFields, decodeList, decodeTexts } from './fields';
import { NONE, type SiteId } from './ids';

const KINDS = ['repeat', 'start', 'serial', 'region', 'loop', 'phase', 'task'] as const;
export type OutlineKind = (typeof KINDS)[number];

export interface OutlineRow {
  /** A row belongs to the last row before it with a lower depth. */
  depth: number;
  kind: OutlineKind;
  /** Of a phase: what ends it. undefined: none. */
  site: SiteId | undefined;
  /** Rounds, instances, chunks or tasks. */
  count: number;
  /** From begin to end, summed over the instances; 0: not known. */
  wall_ns: Ns;
  work_ns: Ns;
  /** The time of the workers by class, in the order of the outline's classes; empty: not known. */
  classes: Ns[];
}

export interface Outline {
  classes: string[];
  row: OutlineRow[];
  /** The number of rows that are left out. */
  more: number;
}

const ROW = {
  depth: 'number',
  kind: 'string',
  site: 'number',
  count: 'number',
  wall_ns: 'number',
  work_ns: 'number',
} as const;

/** `sites`: the number of sites of the model. */
export function decodeOutline(value: unknown, sites: number): Result<Outline> {
  const name = 'whole.outline';
  const fields = decodeFields(value, { more: 'number' }, name);
  if (!fields.ok) return fields;
  const { row: given, classes: names } = value as Record<string, unknown>;
  const known = decodeTexts(names, `${name}.classes`);
  if (!known.ok) return known;
  const rows = decodeList<OutlineRow>(given, ROW, `${name}.row`);
  if (!rows.ok) return rows;
  for (const [at, row] of rows.value.entries()) {
    const { classes } = (given as Record<string, unknown>[])[at]!;
    if (!Array.isArray(classes) || classes.some((time) => typeof time !== 'number'))
      return fail(`${name}.row[${at}].classes: expected a list of numbers.`);
    if (classes.length > known.value.length)
      return fail(`${name}.row[${at}].classes: ${classes.length} times, but there are ${known.value.length} classes.`);
    if (!KINDS.includes(row.kind)) return fail(`${name}.row[${at}].kind: ${row.kind} is not known.`);
    const site = row.site as number;
    if (site !== NONE && site >= sites)
      return fail(`${name}.row[${at}].site: refers to ${site}, but there are ${sites}.`);
    Object.assign(row, { classes, site: site === NONE ? undefined : site });
  }
  return ok({ classes: known.value, row: rows.value, more: fields.value.more as number });
}
