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

/** Another process of the recording, and the command that shows it. */
export interface OtherProcess {
  process: string;
  command: string;
  show: string;
}

export interface Run {
  name: string;
  command: string;
  /** The number of the process that is shown; empty: the recording has no other. */
  process: string;
  others: OtherProcess[];
  complete: boolean;
  /** The modelled machine that the program ran on; empty: the run was measured. */
  modelled: string;
  /** The names of workers, by number; workers beyond the end have none. */
  worker_names: string[];
  wall_ns: Ns;
  work_ns: Ns;
  span_ns: Ns;
  /** The span with the best schedule of loops. */
  span_any_schedule_ns: Ns;
  parallelism: number;
  parallelism_any_schedule: number;
  workers: number;
  processors: number;
  grains: number;
  shown: number;
  /** Whether the page can fetch the grains of folded groups. */
  opens: boolean;
  /** What the recording lacks; empty: it is whole. */
  lacks: string;
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
  /** The part of the work that was waits for memory; NaN: not counted. */
  stall: NsColumn;
  benefit: Float32Array;
  worker: WorkerIds;
  flags: Uint8Array;
  /** The number of the grain; for a group, the number of its first grain. */
  number: GrainNumbers;
  /** The lowest benefit of the row's low-benefit grains; NaN: there is none. */
  worst: Float32Array;
  count: Uint32Array;
  first: Float64Array;
  iterations: Float64Array;
  /** Metrics of the grains thesis; NaN: not known. Of a group, those of its worst grain. */
  load_balance: Float32Array;
  work_deviation: Float32Array;
  instantaneous_parallelism: Float32Array;
  scatter: Float32Array;
  /** A bit for each row of the model's problems: which of them the grain has, or any of the group. */
  problems: Uint8Array;
}

export interface Fragments {
  grain: GrainRows;
  start: NsColumn;
  end: NsColumn;
  /** Time in the code of the grain. The work of a group's grains may be more than its fragments have. */
  work: Float32Array;
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
  /**
   * The worker that ended the idle time, when, and why. NOBODY: no worker did, or it is not known.
   */
  woken_by: WorkerIds;
  woken: NsColumn;
  cause: Uint8Array;
}

/** The prediction for a number of threads. */
export interface Speedup {
  threads: number;
  time_ns: Ns;
  /** The speed-up over one thread. */
  speedup: number;
  /** The speed-up that no schedule exceeds. */
  bound: number;
  limited_by: string;
  /** True if the run was recorded on this number of threads. */
  recorded: boolean;
}

/** How many grains have a problem of the grains thesis, as `teff report --metrics` says. */
export interface ProblemFacts {
  metric: string;
  /** Which values are a problem: those `below` or `above` the limit. */
  side: string;
  /** NaN: the time lost decides, or no value is a problem. */
  limit: number;
  /** False: no value is a problem. */
  judged: boolean;
  /** How many grains have a value. */
  known: number;
  grains: number;
  /** Of all grains and of all work. */
  grains_share: number;
  work_share: number;
}

/** Rectangles of the time line, one row for each. */
export interface Tile {
  worker: WorkerIds;
  start: NsColumn;
  end: NsColumn;
  /** How many fragments begin in the rectangle. */
  count: Uint32Array;
  /** The time in the rectangle during which the worker ran any fragment. */
  busy: NsColumn;
  /** The kind of the fragment's grain; Group: the rectangle stands for several fragments. */
  kind: Uint8Array;
  /**
   * The number and the site of the fragment's grain; of several fragments, those of the longest.
   */
  number: GrainNumbers;
  site: SiteIds;
  worst: Float32Array;
  critical: Uint8Array;
}

/** The tables of grains. */
export interface Part {
  grain: Grains;
  /** For each counter, what was counted in each grain; NaN: not counted. */
  counts: Float64Array[];
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
  /** Predictions by rising number of threads; empty: there is none. */
  speedup: Speedup[];
  problems: ProblemFacts[];
  /** The names of the counters. */
  counters: string[];
  sites: Site[];
  idle: Idles;
  /** Sums over all grains. */
  whole: Whole;
  /** The whole time line in few rectangles; undefined: no grains are folded. */
  time: Tile | undefined;
}
