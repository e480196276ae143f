// SPDX-License-Identifier: Apache-2.0
// What the program is made of: regions and the serial parts between them, in order of time, with
// repetitions folded.
import { fail, ok, type Result } from '../base/result';
import { type Ns, type NsColumn, ns } from '../base/time';
import { decodeColumn, decodeTable, type Layout } from './columns';
import { decodeFields, decodeList, decodeTexts } from './fields';
import { NONE, type SiteId } from './ids';

const KINDS = ['repeat', 'start', 'serial', 'end', 'region', 'phase', 'loop', 'task'] as const;
export type OutlineKind = (typeof KINDS)[number];

/** Whether a row is of a loop or of tasks: such rows overlap in time, and have no rows below them. */
export const isLeaf = (kind: OutlineKind | undefined): boolean => kind === 'loop' || kind === 'task';

/** What the figures of `workUntil` are. */
export const UNTIL =
  'Work of a region’s threads from the barrier before until this one, in the whole run; it is part of that of other sites';

/**
 * Returns the work of the steps that end at each site, by the number of the site: of the threads of
 * a region since the barrier before, with that of the loops and tasks in it.
 */
export function workUntil(rows: readonly Pick<OutlineRow, 'kind' | 'site' | 'work_ns'>[]): Map<SiteId, Ns> {
  const work = new Map<SiteId, Ns>();
  for (const { kind, site, work_ns } of rows)
    if (kind === 'phase' && site !== undefined) work.set(site, ns((work.get(site) ?? 0) + work_ns));
  return work;
}

export interface OutlineRow {
  /** A row belongs to the last row before it with a lower depth. */
  depth: number;
  kind: OutlineKind;
  /** Of a phase: what ends it. undefined: none. */
  site: SiteId | undefined;
  /** Rounds, instances, chunks or tasks. */
  count: number;
  /** From begin to end, summed over the instances; of a loop or task: while any of its grains ran. */
  wall_ns: Ns;
  work_ns: Ns;
  /** The time of the workers by class, in the order of the outline's classes. */
  classes: Ns[];
  /** The time of the workers that is in no row below it. */
  own_ns: Ns;
}

/** When the regions without phases, the phases and the serial parts were, by time. */
export interface Pieces {
  row: Uint16Array;
  start: NsColumn;
  /** From the begin of the first stretch of time that the piece stands for to the end of the last. */
  length: Float32Array;
  /** The sum of the stretches, and their number. */
  time: Float32Array;
  count: Uint32Array;
}
const PIECES: Layout<Pieces> = { row: 'u16', start: 'f64', length: 'f32', time: 'f32', count: 'u32' };

/** What a loop or task has of a piece. */
interface Inside {
  piece: Uint32Array;
  row: Uint16Array;
}
const INSIDE: Layout<Inside> = { piece: 'u32', row: 'u16' };

/** In 255ths of workers x time, by row of the table and class. */
interface Shares {
  share: Uint8Array;
}

export interface Outline {
  classes: string[];
  row: OutlineRow[];
  piece: Pieces & Shares & { inside: Inside & Shares };
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
  own_ns: 'number',
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
  const piece = decodePieces((value as Record<string, unknown>).piece, rows.value.length, known.value.length);
  if (!piece.ok) return piece;
  return ok({ classes: known.value, row: rows.value, piece: piece.value, more: fields.value.more as number });
}

function decodePieces(value: unknown, rows: number, classes: number): Result<Outline['piece']> {
  const name = 'whole.outline.piece';
  const piece = decodeShared(value, PIECES, classes, rows, name);
  if (!piece.ok) return piece;
  const inside = decodeShared((value as Record<string, unknown>).inside, INSIDE, classes, rows, `${name}.inside`);
  if (!inside.ok) return inside;
  const pieces = piece.value.row.length;
  const unknown = inside.value.piece.find((number) => number >= pieces);
  if (unknown !== undefined) return fail(`${name}.inside.piece: refers to ${unknown}, but there are ${pieces}.`);
  return ok({ ...piece.value, inside: inside.value });
}

/** A table of which each row belongs to a row of the outline and has shares of all classes. */
function decodeShared<T extends { row: Uint16Array }>(
  value: unknown,
  layout: Layout<T>,
  classes: number,
  rows: number,
  name: string,
): Result<T & Shares> {
  const table = decodeTable(value, layout, name);
  if (!table.ok) return table;
  const share = decodeColumn((value as Record<string, unknown>).share, 'u8', `${name}.share`);
  if (!share.ok) return share;
  const { row } = table.value;
  const unknown = row.find((number) => number >= rows);
  if (unknown !== undefined) return fail(`${name}.row: refers to ${unknown}, but there are ${rows}.`);
  if (share.value.length !== row.length * classes)
    return fail(`${name}.share: ${share.value.length} shares of ${row.length} rows and ${classes} classes.`);
  return ok({ ...table.value, share: share.value });
}

/** Returns the row that a row belongs to. */
export function above(rows: readonly OutlineRow[], at: number): number | undefined {
  for (let before = at - 1; before >= 0; before--) if (rows[before]!.depth < rows[at]!.depth) return before;
  return undefined;
}
