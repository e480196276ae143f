// SPDX-License-Identifier: Apache-2.0
// A made-up set of runs, in the format in which the tools give it to the page.
import { demo } from './program';
import { viewModel } from './sample';

export function setOf(threads: readonly number[] = [1, 2, 4]) {
  const runs = threads.map((count) => viewModel(demo(60), count, `a.teff/threads-${count}-2`));
  const [first] = runs;
  const points = runs.map(({ run }, row) => ({
    threads: threads[row] as number | null,
    workers: run.workers,
    team: run.workers,
    run: `threads-${threads[row]}-2`,
    wall_ns: run.wall_ns,
    wall_min_ns: run.wall_ns * 0.9,
    wall_max_ns: run.wall_ns * 1.1,
    work_ns: run.work_ns,
    speedup: first!.run.wall_ns / run.wall_ns,
    efficiency: first!.run.wall_ns / run.wall_ns / run.workers,
    parallel_efficiency: 1,
    factors: { balance: 1, locks: 0.04 + row / 10, serial: row === 0 ? null : 1, work: 0.5 } as Record<
      string,
      number | null
    >,
    runs: [1, 2, 3].map((repeat) => ({ run: `threads-${threads[row]}-${repeat}` })),
  }));
  return {
    set: 1,
    name: 'a.teff',
    scaling: {
      schema: 'teff-scaling',
      version: 1,
      command: './sample <1000000>',
      processors: 4,
      complete: true,
      points,
      verdict: null,
      notes: ['4 threads shared 2 processors.'],
    },
    words: {
      verdict: 'The program scales partly to 4 threads: efficiency 0.60; most is lost to locks.',
      factors: [
        { name: 'work', meaning: 'the same program worked longer on more threads' },
        { name: 'locks', meaning: 'threads waited for locks' },
      ],
      near: ['serial', 'balance'],
    },
    runs,
  };
}
