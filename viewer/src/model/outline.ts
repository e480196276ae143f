// SPDX-License-Identifier: Apache-2.0
// What the program is made of: regions and the serial parts between them, in order of time, with
// repetitions folded.
import { fail, ok, type Result } from '../base/result';
import type { Ns, NsColumn } from '../base/time';
import { type Column, decodeColumn, decodeTable, type Layout } from './columns';
import { decodeFields, decodeList, decodeTexts } from './fields';
import { NONE, type SiteId } from './ids';

const KINDS = ['repeat', 'start', 'serial', 'end', 'region', 'phase', 'loop', 'task'] as const;
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

/** When the rows without rows below them that have a time were, by time. */
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

export interface Outline {
  classes: string[];
  row: OutlineRow[];
  /** `share`: in 255ths of workers x time, by piece and class. */
  piece: Pieces & { share: Uint8Array };
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
  const piece = decodePieces((value as Record<string, unknown>).piece, rows.value.length, known.value.length);
  if (!piece.ok) return piece;
  return ok({ classes: known.value, row: rows.value, piece: piece.value, more: fields.value.more as number });
}

function decodePieces(value: unknown, rows: number, classes: number): Result<Outline['piece']> {
  const name = 'whole.outline.piece';
  const table = decodeTable(value, PIECES, name);
  if (!table.ok) return table;
  const share = decodeColumn((value as Record<string, unknown>).share, 'u8', `${name}.share`);
  if (!share.ok) return share;
  const { row } = table.value;
  const unknown = row.find((number) => number >= rows);
  if (unknown !== undefined) return fail(`${name}.row: refers to ${unknown}, but there are ${rows}.`);
  if (share.value.length !== row.length * classes)
    return fail(`${name}.share: ${share.value.length} shares of ${row.length} pieces and ${classes} classes.`);
  return ok({ ...table.value, share: share.value as Column<'u8'> });
}

/** Returns the row that a row belongs to. */
export function above(rows: readonly OutlineRow[], at: number): number | undefined {
  for (let before = at - 1; before >= 0; before--) if (rows[before]!.depth < rows[at]!.depth) return before;
  return undefined;
}
