// SPDX-License-Identifier: Apache-2.0
// Reads the view model, version 13, and checks all that the rest of the page relies on: lengths,
// row numbers within their tables, offsets that rise. The rest of the page then indexes without
// looking.
import { fail, ok, type Result } from '../base/result';
import { decodeAnswers } from './answers';
import { decodeColumn, decodeTable, isRecord, type Layout } from './columns';
import { decodeFields, decodeList, decodeTexts } from './fields';
import { NONE } from './ids';
import {
  type Edges,
  type Fragments,
  type Grains,
  type Idles,
  ItemKind,
  type Items,
  type Model,
  type Part,
  type ProblemFacts,
  type Run,
  type Speedup,
  type Tile,
} from './model';
import { decodeSites } from './site';
import { decodeWhole } from './whole';

export const VERSION = 13;

const GRAIN: Layout<Grains> = {
  kind: 'u8',
  parent: 'u32',
  site: 'u32',
  start: 'f64',
  end: 'f64',
  create: 'f64',
  work: 'f64',
  creation: 'f64',
  wait: 'f64',
  stall: 'f64',
  benefit: 'f32',
  worker: 'u16',
  flags: 'u8',
  number: 'u32',
  worst: 'f32',
  count: 'u32',
  first: 'f64',
  iterations: 'f64',
  load_balance: 'f32',
  work_deviation: 'f32',
  instantaneous_parallelism: 'f32',
  scatter: 'f32',
  problems: 'u8',
};
const OTHER = { process: 'string', command: 'string', show: 'string' } as const;
const PROBLEM = {
  metric: 'string',
  side: 'string',
  limit: 'number',
  judged: 'boolean',
  known: 'number',
  grains: 'number',
  grains_share: 'number',
  work_share: 'number',
} as const;
const SPEEDUP = {
  threads: 'number',
  time_ns: 'number',
  speedup: 'number',
  bound: 'number',
  limited_by: 'string',
  recorded: 'boolean',
} as const;
const FRAGMENT: Layout<Fragments> = {
  grain: 'u32',
  start: 'f64',
  end: 'f64',
  work: 'f32',
  worker: 'u16',
  critical: 'u8',
  core: 'u16',
};
const ITEM: Layout<Items> = { kind: 'u8', ref: 'u32', critical: 'u8' };
const EDGE: Layout<Edges> = { from: 'u32', to: 'u32' };
const TILE: Layout<Tile> = {
  worker: 'u16',
  start: 'f64',
  end: 'f64',
  count: 'u32',
  busy: 'f64',
  kind: 'u8',
  number: 'u32',
  site: 'u32',
  worst: 'f32',
  critical: 'u8',
};
const IDLE: Layout<Idles> = {
  worker: 'u16',
  start: 'f64',
  end: 'f64',
  woken_by: 'u16',
  woken: 'f64',
  cause: 'u8',
};

export function decodeModel(json: unknown): Result<Model> {
  if (!isRecord(json)) return fail('The data is not a view model: expected a JSON object.');
  if (json.version !== VERSION)
    return fail(
      `The view model has version ${String(json.version)}; this page reads version ${VERSION}. Use the same version of teff for both.`,
    );
  const run = decodeRun(json.run);
  if (!run.ok) return run;
  const answers = decodeAnswers(json.answers);
  if (!answers.ok) return answers;
  const speedup = decodeList<Speedup>(json.speedup, SPEEDUP, 'speedup');
  if (!speedup.ok) return speedup;
  const problems = decodeList<ProblemFacts>(json.problems, PROBLEM, 'problems');
  if (!problems.ok) return problems;
  const counters = decodeTexts(json.counters, 'counters');
  if (!counters.ok) return counters;
  const sites = decodeSites(json.sites);
  if (!sites.ok) return sites;
  const part = decodePart(json, sites.value.length, counters.value.length);
  if (!part.ok) return part;
  const idle = decodeTable(json.idle, IDLE, 'idle');
  if (!idle.ok) return idle;
  const time = json.time === undefined ? ok(undefined) : decodeTile(json.time, 'time');
  if (!time.ok) return time;
  const whole = decodeWhole(json.whole, sites.value.length, counters.value.length);
  if (!whole.ok) return whole;
  return ok({
    run: run.value,
    answers: answers.value,
    speedup: speedup.value,
    problems: problems.value,
    counters: counters.value,
    sites: sites.value,
    ...part.value,
    idle: idle.value,
    whole: whole.value,
    time: time.value,
  });
}

/** The tables of grains: of a model, or of a group that is opened. */
export function decodePart(json: unknown, sites: number, counters: number): Result<Part> {
  if (!isRecord(json)) return fail('The data has no grains: expected a JSON object.');
  const grain = decodeTable(json.grain, GRAIN, 'grain');
  if (!grain.ok) return grain;
  const counts = decodeCounts(json.counts, counters, grain.value.kind.length);
  if (!counts.ok) return counts;
  const fragment = decodeTable(json.fragment, FRAGMENT, 'fragment');
  if (!fragment.ok) return fragment;
  const item = decodeTable(json.item, ITEM, 'item');
  if (!item.ok) return item;
  const itemStart = decodeColumn(json.item_start, 'u32', 'item_start');
  if (!itemStart.ok) return itemStart;
  const edge = decodeTable(json.edge, EDGE, 'edge');
  if (!edge.ok) return edge;
  const part: Part = {
    grain: grain.value,
    counts: counts.value,
    fragment: fragment.value,
    item: item.value,
    itemStart: itemStart.value,
    edge: edge.value,
  };
  const problem = findProblem(part, sites);
  return problem ? fail(problem) : ok(part);
}

/** A column for each counter. */
function decodeCounts(value: unknown, counters: number, rows: number): Result<Float64Array[]> {
  if (!Array.isArray(value) || value.length !== counters)
    return fail(`counts: expected a list of ${counters} columns.`);
  const columns: Float64Array[] = [];
  for (const [at, entry] of value.entries()) {
    const column = decodeColumn(entry, 'f64', `counts[${at}]`);
    if (!column.ok) return column;
    if (column.value.length !== rows)
      return fail(`counts[${at}]: ${column.value.length} rows, but there are ${rows} grains.`);
    columns.push(column.value);
  }
  return ok(columns);
}

/** A tile of the time line. */
export const decodeTile = (json: unknown, name: string): Result<Tile> => decodeTable(json, TILE, name);

function decodeRun(value: unknown): Result<Run> {
  const fields = decodeFields(
    value,
    {
      name: 'string',
      command: 'string',
      process: 'string',
      complete: 'boolean',
      modelled: 'string',
      wall_ns: 'number',
      work_ns: 'number',
      span_ns: 'number',
      span_any_schedule_ns: 'number',
      parallelism: 'number',
      parallelism_any_schedule: 'number',
      workers: 'number',
      processors: 'number',
      grains: 'number',
      shown: 'number',
      opens: 'boolean',
      lacks: 'string',
    },
    'run',
  );
  if (!fields.ok) return fields;
  const notes = decodeTexts((value as Record<string, unknown>).notes, 'run.notes');
  if (!notes.ok) return notes;
  const names = decodeTexts((value as Record<string, unknown>).worker_names, 'run.worker_names');
  if (!names.ok) return names;
  const others = decodeList((value as Record<string, unknown>).others, OTHER, 'run.others');
  if (!others.ok) return others;
  const lists = { notes: notes.value, worker_names: names.value, others: others.value };
  return ok({ ...fields.value, ...lists } as unknown as Run);
}

function findProblem(part: Part, sites: number): string | undefined {
  const { grain, fragment, edge } = part;
  const grains = grain.kind.length;
  return (
    badReference(grain.parent, grains, 'grain.parent', true) ??
    badReference(grain.site, sites, 'grain.site', true) ??
    badParent(grain.parent) ??
    badReference(fragment.grain, grains, 'fragment.grain') ??
    badReference(edge.from, grains, 'edge.from') ??
    badReference(edge.to, grains, 'edge.to') ??
    badOffsets(part.itemStart, grains, part.item.kind.length) ??
    badItem(part)
  );
}

function badReference(column: Uint32Array, rows: number, name: string, mayBeNone = false): string | undefined {
  const row = column.findIndex((value) => value >= rows && !(mayBeNone && value === NONE));
  return row < 0 ? undefined : `${name}: row ${row} refers to ${column[row]}, but there are ${rows}.`;
}

function badParent(parent: Uint32Array): string | undefined {
  const row = parent.findIndex((value, grain) => value !== NONE && value >= grain);
  return row < 0 ? undefined : `grain.parent: row ${row} comes before its parent, row ${parent[row]}.`;
}

function badOffsets(offsets: Uint32Array, grains: number, items: number): string | undefined {
  if (offsets.length !== grains + 1) return `item_start: ${offsets.length} rows, expected ${grains + 1}.`;
  const row = offsets.findIndex((value, i) => i > 0 && value < offsets[i - 1]!);
  if (row >= 0) return `item_start: row ${row} is less than the row before it.`;
  if (offsets[0] !== 0 || offsets[grains] !== items)
    return `item_start: does not run from 0 to ${items}, the number of items.`;
  return undefined;
}

/** Items refer to rows of their own grain (fragments) or to later grains that no other item refers to (forks, chunks). */
function badItem({ grain, fragment, item, itemStart }: Part): string | undefined {
  const grains = grain.kind.length;
  const fragments = fragment.grain.length;
  const placed = new Uint8Array(grains);
  for (let g = 0; g < grains; g++) {
    for (let i = itemStart[g]!; i < itemStart[g + 1]!; i++) {
      const ref = item.ref[i]!;
      switch (item.kind[i]) {
        case ItemKind.Fragment:
          if (ref >= fragments) return `item: row ${i} refers to fragment ${ref}, but there are ${fragments}.`;
          if (fragment.grain[ref] !== g)
            return `item: row ${i} of grain ${g} refers to a fragment of grain ${fragment.grain[ref]}.`;
          break;
        case ItemKind.Fork:
        case ItemKind.Chunk:
          if (ref >= grains) return `item: row ${i} refers to grain ${ref}, but there are ${grains}.`;
          if (ref <= g) return `item: row ${i} of grain ${g} refers to grain ${ref}, which comes before it.`;
          if (placed[ref]) return `item: row ${i} refers to grain ${ref} for the second time.`;
          placed[ref] = 1;
          break;
        case ItemKind.Join:
          break;
        default:
          return `item: row ${i} has the unknown kind ${item.kind[i]}.`;
      }
    }
  }
  return undefined;
}
