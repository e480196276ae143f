// SPDX-License-Identifier: Apache-2.0
// What the tools sum up over all grains, including the grains that are folded into groups: by time,
// site, path of creation, loop, dependence and line.
import { fail, ok, type Result } from '../base/result';
import type { Ns, NsColumn } from '../base/time';
import { decodeColumn, decodeTable, isRecord, type Layout } from './columns';
import { type Devices, decodeDevices } from './devices';
import { decodeFields, decodeList, decodeTexts } from './fields';
import { NONE, type SiteId, type SiteIds, type WorkerIds } from './ids';
import { decodeOutline, type Outline } from './outline';
import { decodeSpent, type Spent } from './spent';

/** Means of each interval. */
interface Counts {
  /** Workers in the code of the program. */
  working: Float32Array;
  /** Grains that ran. */
  running: Float32Array;
  /** Tasks that were created and had not begun. */
  waiting: Float32Array;
}

export interface Strip extends Counts {
  /** The length of each interval. The first interval begins with the recording. */
  interval_ns: Ns;
}

/** Figures of a site beside those in the list of sites. */
export interface SiteCosts {
  creation_ns: Ns;
  /**
   * For a site of grains, the waits of these grains; for a place of synchronisation, the waits
   * there.
   */
  wait_ns: Ns;
  critical: number;
  /** What was counted in its grains, by counter. */
  counts: number[];
  first_bin: number;
  /** Grains by their work: bin b counts the grains from 2^(b/2) ns up to 2^((b+1)/2) ns. */
  histogram: number[];
}

/** One row for each path of creation; a path comes after the path above it. */
interface Paths {
  parent: Uint32Array;
  site: SiteIds;
  count: Uint32Array;
  own_ns: NsColumn;
  total_ns: NsColumn;
}
const FLAME: Layout<Paths> = { parent: 'u32', site: 'u32', count: 'u32', own_ns: 'f64', total_ns: 'f64' };
export type Flame = Paths & { more: number };

/** The functions in which samples were taken; a node comes after the node above it. */
interface Nodes {
  parent: Uint32Array;
  /** The site in which a function ran; NONE: it ran in no grain. */
  site: SiteIds;
  /** Row of `names`; NONE: the node is the site itself. */
  name: Uint32Array;
}
const NODES: Layout<Nodes> = { parent: 'u32', site: 'u32', name: 'u32' };
export type Stacks = Nodes & {
  /** CPU time between two samples; 0: no samples were taken. */
  period_ns: Ns;
  /** Whether samples have the calls that led to them. */
  has_calls: boolean;
  names: string[];
  more: number;
};

/** By time; a row may stand for several samples. */
export interface Samples {
  /** Row of `stacks`. */
  node: Uint32Array;
  at: NsColumn;
  count: Uint32Array;
}
const SAMPLES: Layout<Samples> = { node: 'u32', at: 'f64', count: 'u32' };

/** Chunks, or several of neighbouring iterations as one. */
interface Chunks {
  first: Float64Array;
  iterations: Float64Array;
  start: NsColumn;
  end: NsColumn;
  work: NsColumn;
  worker: WorkerIds;
  count: Uint32Array;
}
const CHUNKS: Layout<Chunks> = {
  first: 'f64',
  iterations: 'f64',
  start: 'f64',
  end: 'f64',
  work: 'f64',
  worker: 'u16',
  count: 'u32',
};

export interface LoopInstance {
  site: SiteId;
  schedule: string;
  /** The chunk size that the program asks for; 0: it asks for none. */
  chunk: number;
  threads: number;
  begin_ns: Ns;
  iterations: number;
  chunks: number;
  work_ns: Ns;
  /**
   * The chunks by rising `first`. A row may stand for several chunks of neighbouring iterations.
   */
  row: Chunks;
}

export interface SitePair {
  from: SiteId;
  to: SiteId;
  count: number;
}

export interface DependenceSums {
  count: number;
  tasks: number;
  /** The number of tasks on the longest chain. */
  levels: number;
  /** The number of tasks on each level; where a bar stands for several levels, their mean. */
  width: Float32Array;
  pairs: SitePair[];
}

export interface LockLine {
  file: string;
  line: number;
  function: string;
  holds: number;
  waited_ns: Ns;
  held_ns: Ns;
}

export interface SourceFile {
  file: string;
  /** Empty: the text is not shown. */
  text: string;
  /** Why the text is not shown, or a warning that it may differ from the program that ran. */
  note: string;
}

export interface Whole {
  strip: Strip;
  /** One entry for each site, by its id. */
  sites: SiteCosts[];
  outline: Outline;
  /** What each worker did over time. */
  lanes: Spent;
  devices: Devices;
  flame: Flame;
  stacks: Stacks;
  samples: Samples;
  loops: LoopInstance[];
  more_loops: number;
  dependences: DependenceSums;
  locks: LockLine[];
  sources: SourceFile[];
}

const LOCK = {
  file: 'string',
  line: 'number',
  function: 'string',
  holds: 'number',
  waited_ns: 'number',
  held_ns: 'number',
} as const;
const COSTS = { creation_ns: 'number', wait_ns: 'number', critical: 'number', first_bin: 'number' } as const;
const INSTANCE = {
  site: 'number',
  schedule: 'string',
  chunk: 'number',
  threads: 'number',
  begin_ns: 'number',
  iterations: 'number',
  chunks: 'number',
  work_ns: 'number',
} as const;
const SUMS = { count: 'number', tasks: 'number', levels: 'number' } as const;

/** Thrown where the data is wrong; its message is for the user. */
class Wrong extends Error {}

function get<T>(result: Result<T>): T {
  if (!result.ok) throw new Wrong(result.error);
  return result.value;
}

/** `sites`: the number of sites of the model. */
export function decodeWhole(value: unknown, sites: number, counters: number): Result<Whole> {
  if (!isRecord(value)) return fail('whole: expected an object.');
  try {
    const whole: Whole = {
      strip: decodeStrip(value.strip),
      sites: decodeCosts(value.sites, counters),
      outline: get(decodeOutline(value.outline, sites)),
      lanes: get(decodeSpent(value.lanes)),
      devices: get(decodeDevices(value.devices)),
      flame: decodeFlame(value.flame, sites),
      ...decodeStacks(value.stacks, sites),
      loops: decodeLoops(value.loops, sites),
      more_loops: get(decodeFields(value, { more_loops: 'number' }, 'whole')).more_loops as number,
      dependences: decodeDependences(value.dependences, sites),
      locks: get(decodeList<LockLine>(value.locks, LOCK, 'whole.locks')),
      sources: get(
        decodeList<SourceFile>(value.sources, { file: 'string', text: 'string', note: 'string' }, 'whole.sources'),
      ),
    };
    if (whole.sites.length !== sites)
      return fail(`whole.sites: ${whole.sites.length} rows, but there are ${sites} sites.`);
    return ok(whole);
  } catch (error) {
    if (error instanceof Wrong) return fail(error.message);
    throw error;
  }
}

function decodeStrip(value: unknown): Strip {
  const { interval_ns } = get(decodeFields(value, { interval_ns: 'number' }, 'whole.strip'));
  const columns = get(decodeTable<Counts>(value, { working: 'f32', running: 'f32', waiting: 'f32' }, 'whole.strip'));
  return { interval_ns: interval_ns as Ns, ...columns };
}

function decodeCosts(value: unknown, counters: number): SiteCosts[] {
  const rows = get(decodeList<SiteCosts>(value, COSTS, 'whole.sites'));
  for (const [row, costs] of rows.entries()) {
    const { histogram, counts } = (value as Record<string, unknown>[])[row]!;
    if (!Array.isArray(counts) || counts.length !== counters || counts.some((count) => typeof count !== 'number'))
      throw new Wrong(`whole.sites[${row}].counts: expected ${counters} numbers.`);
    costs.counts = counts;
    if (!Array.isArray(histogram) || histogram.some((count) => typeof count !== 'number'))
      throw new Wrong(`whole.sites[${row}].histogram: expected a list of numbers.`);
    costs.histogram = histogram;
  }
  return rows;
}

function checkRows(column: ArrayLike<number>, rows: number, name: string): void {
  for (let row = 0; row < column.length; row++)
    if (!(column[row]! < rows)) throw new Wrong(`${name}: row ${row} refers to ${column[row]}, but there are ${rows}.`);
}

function checkParents(column: Uint32Array, name: string): void {
  const row = column.findIndex((parent, at) => parent !== NONE && parent >= at);
  if (row >= 0) throw new Wrong(`${name}: row ${row} comes before its parent.`);
}

function decodeFlame(value: unknown, sites: number): Flame {
  const table = get(decodeTable(value, FLAME, 'whole.flame'));
  checkRows(table.site, sites, 'whole.flame.site');
  checkParents(table.parent, 'whole.flame.parent');
  return { ...table, more: get(decodeFields(value, { more: 'number' }, 'whole.flame')).more as number };
}

function decodeStacks(value: unknown, sites: number): Pick<Whole, 'stacks' | 'samples'> {
  const table = get(decodeTable(value, NODES, 'whole.stacks'));
  const { names, sample } = value as Record<string, unknown>;
  const texts = get(decodeTexts(names, 'whole.stacks.names'));
  const fields = { period_ns: 'number', has_calls: 'boolean', more: 'number' } as const;
  const about = get(decodeFields(value, fields, 'whole.stacks')) as unknown as Omit<Stacks, keyof Nodes | 'names'>;
  const known = (column: Uint32Array) => column.filter((number) => number !== NONE);
  checkRows(known(table.site), sites, 'whole.stacks.site');
  checkRows(known(table.name), texts.length, 'whole.stacks.name');
  checkParents(table.parent, 'whole.stacks.parent');
  const samples = get(decodeTable(sample, SAMPLES, 'whole.stacks.sample'));
  checkRows(samples.node, table.parent.length, 'whole.stacks.sample.node');
  return { stacks: { ...table, ...about, names: texts }, samples };
}

function decodeLoops(value: unknown, sites: number): LoopInstance[] {
  const loops = get(decodeList<LoopInstance>(value, INSTANCE, 'whole.loops'));
  checkRows(
    loops.map(({ site }) => site),
    sites,
    'whole.loops',
  );
  for (const [at, instance] of loops.entries())
    instance.row = get(decodeTable((value as Record<string, unknown>[])[at]!.row, CHUNKS, `whole.loops[${at}].row`));
  return loops;
}

function decodeDependences(value: unknown, sites: number): DependenceSums {
  const sums = get(decodeFields(value, SUMS, 'whole.dependences')) as unknown as DependenceSums;
  const { width, pairs } = value as Record<string, unknown>;
  const list = get(
    decodeList<SitePair>(pairs, { from: 'number', to: 'number', count: 'number' }, 'whole.dependences.pairs'),
  );
  checkRows(
    list.flatMap(({ from, to }) => [from, to]),
    sites,
    'whole.dependences.pairs',
  );
  return { ...sums, width: get(decodeColumn(width, 'f32', 'whole.dependences.width')), pairs: list };
}
