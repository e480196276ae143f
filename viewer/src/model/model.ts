// SPDX-License-Identifier: Apache-2.0
// The view model in memory: what docs/formats/view.md describes, decoded. Columnar, one typed array
// per column; a row number is an index into the columns of its table. Times are nanoseconds since
// the start.
import type { Ns, NsColumn } from '../base/time';
import type { Answers } from './answers';
import type { CoreIds, GrainNumbers, GrainRows, SiteIds, WorkerIds } from './ids';
import type { Site } from './site';
import type { Whole } from './whole';

export enum GrainKind {
  Task = 0,
  Implicit = 1,
  Chunk = 2,
  Group = 3,
  Initial = 4,
}

export enum ItemKind {
  Fragment = 0,
  Fork = 1,
  Join = 2,
  Chunk = 3,
}

export enum JoinKind {
  Taskwait = 0,
  Taskgroup = 1,
  Barrier = 2,
  RegionEnd = 3,
  Dependence = 4,
}

export const Flag = {
  Critical: 1,
  LowBenefit: 2,
  Unfinished: 4,
  Stolen: 8,
  Undeferred: 16,
  Cancelled: 32,
} as const;

export interface Run {
  name: string;
  command: string;
  complete: boolean;
  /** The modelled machine that it ran on; empty: it was measured. */
  modelled: string;
  /** By number, where they have any. */
  worker_names: string[];
  wall_ns: Ns;
  work_ns: Ns;
  span_ns: Ns;
  /** With any schedule of loops. */
  span_any_schedule_ns: Ns;
  parallelism: number;
  parallelism_any_schedule: number;
  workers: number;
  processors: number;
  grains: number;
  shown: number;
  /** Whether what is folded can be asked for. */
  opens: boolean;
  notes: string[];
}

export interface Grains {
  kind: Uint8Array;
  parent: GrainRows;
  site: SiteIds;
  start: NsColumn;
  end: NsColumn;
  create: NsColumn;
  work: NsColumn;
  creation: NsColumn;
  wait: NsColumn;
  /** Of its work, waits for memory; NaN: not counted. */
  stall: NsColumn;
  benefit: Float32Array;
  worker: WorkerIds;
  flags: Uint8Array;
  /** Among all grains of the recording in program order; of a group that of its first grain. */
  number: GrainNumbers;
  /** The lowest benefit of its grains with low benefit; NaN: it has none. */
  worst: Float32Array;
  count: Uint32Array;
  first: Float64Array;
  iterations: Float64Array;
}

export interface Fragments {
  grain: GrainRows;
  start: NsColumn;
  end: NsColumn;
  worker: WorkerIds;
  critical: Uint8Array;
  /** The processor on which it began; NOBODY: not known. */
  core: CoreIds;
}

export interface Items {
  kind: Uint8Array;
  ref: Uint32Array;
  critical: Uint8Array;
}

export interface Edges {
  from: GrainRows;
  to: GrainRows;
}

export interface Idles {
  worker: WorkerIds;
  start: NsColumn;
  end: NsColumn;
  /** The worker that ended it, when, and why; NOBODY: none did, or it is not known. */
  woken_by: WorkerIds;
  woken: NsColumn;
  cause: Uint8Array;
}

/** The run as it is predicted on so many threads. */
export interface Speedup {
  threads: number;
  time_ns: Ns;
  /** Against one thread. */
  speedup: number;
  /** No schedule is faster. */
  bound: number;
  limited_by: string;
  /** It was recorded on as many. */
  recorded: boolean;
}

/** Rectangles of the time line, a row for each. */
export interface Tile {
  worker: WorkerIds;
  start: NsColumn;
  end: NsColumn;
  /** Fragments that begin in it. */
  count: Uint32Array;
  /** Nanoseconds of the tile in which the worker was in any of them. */
  busy: NsColumn;
  /** As of grains; a group: several fragments. */
  kind: Uint8Array;
  /** Number and site of the fragment's grain, or of the longest one's. */
  number: GrainNumbers;
  site: SiteIds;
  worst: Float32Array;
  critical: Uint8Array;
}

/** The tables of grains. */
export interface Part {
  grain: Grains;
  fragment: Fragments;
  item: Items;
  /** Grain g owns the items itemStart[g] up to itemStart[g + 1]. */
  itemStart: Uint32Array;
  edge: Edges;
}

/** The tables of grains grow when groups are opened: their rows keep their numbers. */
export interface Model extends Part {
  run: Run;
  answers: Answers;
  /** By rising threads; empty: there is no prediction. */
  speedup: Speedup[];
  sites: Site[];
  idle: Idles;
  /** Sums over all grains. */
  whole: Whole;
  /** The whole time line in few rectangles, where grains are folded. */
  time: Tile | undefined;
}
