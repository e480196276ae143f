// SPDX-License-Identifier: Apache-2.0
// The sums that the tools would give for a made-up run, computed grain by grain.
import { NONE } from '../src/model/ids';
import { GrainKind } from '../src/model/model';
import { column } from './column';
import { SITES } from './program';

export interface GrainFigures {
  kind: GrainKind;
  parent: number;
  site: number;
  start: number;
  end: number;
  create: number;
  work: number;
  creation: number;
  wait: number;
  worker: number;
  flags: number;
  first: number;
  iterations: number;
}

/** A row of the outline. */
export const REGION_IN_ROUNDS = {
  depth: 0,
  kind: 'region',
  site: 2,
  count: 100,
  wall_ns: 9000,
  work_ns: 8000,
  classes: [8000, 0, 2000],
  own_ns: 0,
};

interface Stretches {
  start: number[];
  end: number[];
  worker: number[];
}

const INTERVALS = 64;

export interface OutlineJson {
  depth: number;
  kind: string;
  site: number;
  count: number;
  wall_ns: number;
  work_ns: number;
  classes: number[];
  own_ns: number;
}

/** A stretch of a row of the outline, with the share of each class. */
export type PieceJson = [row: number, start: number, length: number, share: number[]];

/** What a loop or task has of a piece. */
export type InsideJson = [piece: number, row: number, share: number[]];

export function piecesOf(pieces: PieceJson[], inside: InsideJson[] = []) {
  const shares = (all: number[][]) =>
    column(
      'u8',
      all.flat().map((share) => Math.round(share * 255)),
    );
  const pick = (at: 0 | 1 | 2) => pieces.map((piece) => piece[at]);
  return {
    row: column('u16', pick(0)),
    start: column('f64', pick(1)),
    length: column('f32', pick(2)),
    time: column('f32', pick(2)),
    count: column('u32', new Array(pieces.length).fill(1)),
    share: shares(pieces.map((piece) => piece[3])),
    inside: {
      piece: column(
        'u32',
        inside.map(([piece]) => piece),
      ),
      row: column(
        'u16',
        inside.map(([, row]) => row),
      ),
      share: shares(inside.map(([, , share]) => share)),
    },
  };
}

/** A sample: the site of its grain, the functions from the outermost one on, and when. */
export type SampleJson = [site: number, functions: string[], at: number];

export function stacksOf(samples: SampleJson[]) {
  const names: string[] = [];
  const nodes: [parent: number, site: number, name: number][] = [];
  const below = (...node: [parent: number, site: number, name: number]) => {
    const known = nodes.findIndex((other) => other.every((value, at) => value === node[at]));
    return known < 0 ? nodes.push(node) - 1 : known;
  };
  const ends = samples.map(([site, functions]) =>
    functions.reduce(
      (above, text) => {
        if (!names.includes(text)) names.push(text);
        return below(above, site, names.indexOf(text));
      },
      below(NONE, site, NONE),
    ),
  );
  const pick = (at: 0 | 1 | 2) => nodes.map((node) => node[at]);
  return {
    period_ns: samples.length > 0 ? 1000 : 0,
    has_calls: samples.length > 0,
    names,
    parent: column('u32', pick(0)),
    site: column('u32', pick(1)),
    name: column('u32', pick(2)),
    sample: {
      node: column('u32', ends),
      at: column(
        'f64',
        samples.map(([, , at]) => at),
      ),
      count: column('u32', new Array(samples.length).fill(1)),
    },
    more: 0,
  };
}

export function wholeOf(grains: GrainFigures[], fragment: Stretches, workers: number, end: number) {
  return {
    strip: stripOf(grains, fragment, end),
    sites: SITES.map((_, site) => costsOf(grains.filter((grain) => grain.site === site))),
    outline: { classes: ['work', 'serial', 'imbalance'], row: [] as OutlineJson[], more: 0, piece: piecesOf([]) },
    lanes: lanesOf(fragment, workers, end),
    flame: flameOf(grains),
    stacks: stacksOf([]),
    loops: loopsOf(grains),
    more_loops: 0,
    dependences: { count: 0, tasks: 0, levels: 0, width: column('f32', []), pairs: [] as object[] },
    locks: [] as object[],
    sources: [
      { file: 'src/sort.c', text: sourceText(), note: '' },
      { file: 'src/scale.c', text: '', note: 'The file does not exist, or may not be read.' },
    ],
  };
}

function sourceText(): string {
  const lines = Array.from({ length: 40 }, (_, at) => `  line(${at + 1});`);
  lines[11] = '#pragma omp task // <b>no markup</b>';
  return `${lines.join('\n')}\n`;
}

/** Whoever runs no grain has nothing to run. */
function lanesOf(fragment: Stretches, workers: number, end: number) {
  const interval_ns = Math.max(end, 1) / INTERVALS;
  const share: number[] = [];
  const stretch = { worker: [] as number[], start: [] as number[], end: [] as number[], class: [] as number[] };
  for (let worker = 0; worker < workers; worker++) {
    const rows = [...fragment.start.keys()].filter((row) => fragment.worker[row] === worker);
    const busy = rows.map((row) => [fragment.start[row]!, fragment.end[row]!] as const).sort((a, b) => a[0] - b[0]);
    for (let at = 0; at < INTERVALS; at++) {
      const [low, high] = [at * interval_ns, (at + 1) * interval_ns];
      const ran = busy.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(high, to) - Math.max(low, from)), 0);
      const work = Math.min(255, Math.round((ran / interval_ns) * 255));
      share.push(work, 255 - work);
    }
    let free = 0;
    for (const [from, to] of [...busy, [end, end] as const]) {
      if (from > free) {
        stretch.worker.push(worker);
        stretch.start.push(free);
        stretch.end.push(from);
        stretch.class.push(1);
      }
      free = to;
    }
  }
  return {
    interval_ns,
    intervals: INTERVALS,
    classes: ['work', 'nothing_ready'],
    share: column('u8', share),
    stretch: {
      worker: column('u16', stretch.worker),
      start: column('f64', stretch.start),
      end: column('f64', stretch.end),
      class: column('u8', stretch.class),
    },
  };
}

function stripOf(grains: GrainFigures[], fragment: Pick<Stretches, 'start' | 'end'>, end: number) {
  const interval_ns = Math.max(end, 1) / INTERVALS;
  const mean = (stretches: Pick<Stretches, 'start' | 'end'>) =>
    Array.from({ length: INTERVALS }, (_, at) => {
      const [low, high] = [at * interval_ns, (at + 1) * interval_ns];
      const inside = stretches.start.map((start, i) =>
        Math.max(0, Math.min(high, stretches.end[i]!) - Math.max(low, start)),
      );
      return inside.reduce((sum, length) => sum + length, 0) / interval_ns;
    });
  const tasks = grains.filter(({ kind }) => kind === GrainKind.Task);
  const waits = { start: tasks.map(({ create }) => create), end: tasks.map(({ start }) => start) };
  const running = column('f32', mean(fragment));
  return { interval_ns, working: running, running, waiting: column('f32', mean(waits)) };
}

const binOf = (ns: number): number => Math.max(0, Math.floor(2 * Math.log2(ns)));

function costsOf(grains: GrainFigures[]) {
  const bins = grains.map(({ work }) => binOf(work));
  const first_bin = bins.length > 0 ? Math.min(...bins) : 0;
  const histogram: number[] = bins.length > 0 ? new Array(Math.max(...bins) - first_bin + 1).fill(0) : [];
  for (const bin of bins) histogram[bin - first_bin]!++;
  const sum = (of: (grain: GrainFigures) => number) => grains.reduce((all, grain) => all + of(grain), 0);
  return {
    creation_ns: sum(({ creation }) => creation),
    wait_ns: sum(({ wait }) => wait),
    critical: sum(({ flags }) => flags & 1),
    counts: [] as number[],
    first_bin,
    histogram,
  };
}

function flameOf(grains: GrainFigures[]) {
  const node = { parent: [] as number[], site: [] as number[], count: [] as number[], own: [] as number[] };
  const known = new Map<string, number>();
  const nodeOf: number[] = [];
  for (const grain of grains) {
    const above = grain.parent === NONE ? NONE : nodeOf[grain.parent]!;
    const key = `${above} ${grain.site}`;
    let at = known.get(key);
    if (at === undefined) {
      at = node.site.length;
      known.set(key, at);
      node.parent.push(above);
      node.site.push(grain.site);
      node.count.push(0);
      node.own.push(0);
    }
    node.count[at]!++;
    node.own[at]! += grain.work;
    nodeOf.push(at);
  }
  const total = [...node.own];
  for (let at = total.length - 1; at > 0; at--) if (node.parent[at] !== NONE) total[node.parent[at]!]! += total[at]!;
  return {
    parent: column('u32', node.parent),
    site: column('u32', node.site),
    count: column('u32', node.count),
    own_ns: column('f64', node.own),
    total_ns: column('f64', total),
    more: 0,
  };
}

function loopsOf(grains: GrainFigures[]) {
  const chunks = grains.filter(({ kind }) => kind === GrainKind.Chunk).sort((a, b) => a.first - b.first);
  if (chunks.length === 0) return [];
  const pick = (of: (chunk: GrainFigures) => number) => chunks.map(of);
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
  return [
    {
      site: chunks[0]!.site,
      schedule: 'dynamic',
      chunk: 64,
      threads: 4,
      begin_ns: Math.min(...pick(({ start }) => start)),
      iterations: sum(pick(({ iterations }) => iterations)),
      chunks: chunks.length,
      work_ns: sum(pick(({ work }) => work)),
      row: {
        first: column(
          'f64',
          pick(({ first }) => first),
        ),
        iterations: column(
          'f64',
          pick(({ iterations }) => iterations),
        ),
        start: column(
          'f64',
          pick(({ start }) => start),
        ),
        end: column(
          'f64',
          pick(({ end }) => end),
        ),
        work: column(
          'f64',
          pick(({ work }) => work),
        ),
        worker: column(
          'u16',
          pick(({ worker }) => worker),
        ),
        count: column(
          'u32',
          pick(() => 1),
        ),
      },
    },
  ];
}
