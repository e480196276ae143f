// SPDX-License-Identifier: Apache-2.0
// Made-up OpenMP programs for tests and demonstrations: what each grain does, in program order.
import { GrainKind, JoinKind } from '../src/model/model';

export type Step = { work: number } | { fork: Grain } | { join: JoinKind } | { chunk: Grain };

export interface Grain {
  kind: GrainKind;
  site: number;
  steps: Step[];
  /** Share of its work in which it waits for memory; not there: not counted. */
  stalled?: number;
  first?: number;
  iterations?: number;
}

export const SITES = [
  { file: 'src/main.c', line: 31, function: 'main', kind: 'region' },
  { file: 'src/main.c', line: 33, function: 'main._omp_fn.0', kind: 'implicit' },
  { file: 'src/sort.c', line: 12, function: 'sort', kind: 'task' },
  { file: 'src/sort.c', line: 14, function: 'sort', kind: 'task' },
  { file: 'src/scale.c', line: 58, function: 'scale', kind: 'loop' },
  { file: '', line: 0, function: 'count_words', kind: 'task' },
];

/** Numbers from 0 to 1 that are the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

const task = (site: number, steps: Step[]): Grain => ({ kind: GrainKind.Task, site, steps });
export const initial = (steps: Step[]): Grain => ({ kind: GrainKind.Initial, site: 0, steps });

/** A merge sort of about `tasks` tasks. */
export function mergeSort(tasks: number, random: () => number): Grain {
  const sort = (grains: number, site: number): Grain => {
    if (grains <= 1) return task(site, [{ work: 400 + random() ** 3 * 40_000 }]);
    const left = Math.max(1, Math.round((grains - 1) * (0.35 + 0.3 * random())));
    return task(site, [
      { work: 300 },
      { fork: sort(left, 2) },
      { work: 200 },
      { fork: sort(Math.max(1, grains - 1 - left), 3) },
      { work: 150 },
      { join: JoinKind.Taskwait },
      { work: 600 + grains * 60 },
    ]);
  };
  return sort(tasks, 2);
}

/** A region of `workers` implicit tasks, as steps of the task that opens it. */
export function region(workers: number, body: (worker: number) => Step[]): Step[] {
  const implicit = (worker: number): Grain => ({ kind: GrainKind.Implicit, site: 1, steps: body(worker) });
  const forks = Array.from({ length: workers }, (_, worker) => ({ fork: implicit(worker) }));
  return [...forks, { join: JoinKind.RegionEnd }];
}

/** A worker's share of a loop: chunks one after the other, then the barrier. */
export function loop(worker: number, chunks: number, random: () => number): Step[] {
  const steps: Step[] = [{ work: 800 }];
  for (let c = 0; c < chunks; c++) {
    const first = (worker * chunks + c) * 64;
    const work = 3_000 + 9_000 * random() + 12_000 * worker;
    steps.push({ chunk: { kind: GrainKind.Chunk, site: 4, steps: [{ work }], first, iterations: 64 } });
  }
  return [...steps, { join: JoinKind.Barrier }];
}

/** One task that creates all others. */
export function siblings(count: number, random: () => number): Grain {
  const steps: Step[] = [];
  for (let i = 0; i < count; i++) steps.push({ work: 250 }, { fork: task(5, [{ work: 500 + 8_000 * random() }]) });
  return initial([...steps, { join: JoinKind.Taskwait }, { work: 2_000 }]);
}

/** Siblings that wait for memory: the first never, the last all the time. */
export function stalled(count: number): Grain {
  const root = siblings(count, () => 0.5);
  const tasks = root.steps.flatMap((step) => ('fork' in step ? [step.fork] : []));
  for (const [i, grain] of tasks.entries()) grain.stalled = i / (count - 1);
  return root;
}

/** Each task creates one and waits for it. */
export function chain(depth: number): Grain {
  let grain = task(5, [{ work: 1_000 }]);
  for (let i = 1; i < depth; i++)
    grain = task(5, [{ work: 300 }, { fork: grain }, { work: 100 }, { join: JoinKind.Taskwait }, { work: 200 }]);
  return initial([{ fork: grain }, { join: JoinKind.Taskwait }]);
}

/** A bit of everything, of about `grains` grains: a sort in one region, a loop in the next. */
export function demo(grains: number, workers = 4): Grain {
  const random = randomNumbers(7);
  const chunks = Math.max(1, Math.round(Math.min(grains * 0.2, 4000) / workers));
  const tasks = Math.max(1, grains - chunks * workers - 2 * workers - 1);
  const sort = region(workers, (worker) =>
    worker === 0
      ? [{ work: 2_500 }, { fork: mergeSort(tasks, random) }, { work: 400 }, { join: JoinKind.Barrier }]
      : [{ work: 300 }, { join: JoinKind.Barrier }],
  );
  const scale = region(workers, (worker) => loop(worker, chunks, random));
  return initial([{ work: 30_000 }, ...sort, { work: 12_000 }, ...scale, { work: 9_000 }]);
}
