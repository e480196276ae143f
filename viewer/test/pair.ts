// SPDX-License-Identifier: Apache-2.0
// Two made-up runs, and a made-up comparison of them, in the format in which the tools give them to
// the page.
import { demo, SITES } from './program';
import { viewModel } from './sample';

/** For each row of the sites' table: the number of the site before and after. */
const ROWS: readonly [before: number | null, after: number | null][] = [
  [2, 3],
  [3, 2],
  [5, null],
  [1, 1],
];

export function change(before_ns: number, after_ns: number, verdict = 'change') {
  const p = verdict === 'change' ? 0.008 : verdict === 'noise' ? 0.25 : null;
  const ratio = before_ns > 0 ? after_ns / before_ns : null;
  const around = (factor: number) => (p === null || ratio === null ? null : ratio * factor);
  return { before_ns, after_ns, ratio, ratio_low: around(0.9), ratio_high: around(1.1), p, verdict };
}

/** `sizes`: tasks before and after. */
export function pairOf(sizes: [number, number] = [400, 150]) {
  const before = viewModel(demo(sizes[0]), 4, 'before.teff/threads-4-2');
  const after = viewModel(demo(sizes[1]), 2, 'after.teff');
  const side = (name: string, model: typeof before, runs: number) => ({
    name: `/tmp/${name}`,
    command: './sample 1000000',
    threads: null,
    workers: model.run.workers,
    processors: model.run.processors,
    runs,
    median_run: `/tmp/${model.run.name}`,
    grains: model.run.grains,
  });
  const place = (row: number | null) => {
    if (row === null) return null;
    const { file, line, function: name } = SITES[row]!;
    return { file, line, function: name };
  };
  const sites = ROWS.map(([first, last], row) => ({
    before: place(first),
    after: place(last),
    kind: SITES[first ?? last!]!.kind,
    joined: first === null || last === null ? 'alone' : 'order',
    count_before: first === null ? 0 : before.sites[first]!.count,
    count_after: last === null ? 0 : after.sites[last]!.count,
    mean_before_ns: 0,
    mean_after_ns: 0,
    work: change(
      first === null ? 0 : before.sites[first]!.work_ns,
      last === null ? 0 : after.sites[last]!.work_ns,
      row === 0 ? 'change' : 'noise',
    ),
    creation: change(0, 0, 'not-tested'),
    wait: change(0, 0, 'not-tested'),
    grains: null,
  }));
  return {
    pair: 1,
    before,
    after,
    diff: {
      schema: 'teff-diff',
      version: 1,
      before: side('before.teff', before, 5),
      after: side('after.teff', after, 1),
      wall: change(before.run.wall_ns, after.run.wall_ns),
      wall_by_threads: [],
      joined: {
        constructs: 5,
        by_address: 0,
        by_line: 1,
        by_order: 3,
        only_before: 1,
        only_after: 0,
        matched: 20,
        unmatched: 5,
        matched_work_before: 0.5,
        matched_work_after: 0.9,
        no_construct: 0,
        no_scope: 5,
        other_number: 0,
        matched_before_ns: 1000,
        matched_after_ns: 900,
        deviation: null,
      },
      totals: [
        { name: 'work', ...change(before.run.work_ns, after.run.work_ns) },
        { name: 'nothing_ready', ...change(2000, 1900, 'noise') },
      ],
      sites,
      findings: { gone: [], came: [], stayed: [] },
      notes: ['5 against 1 runs cannot tell a change from noise.'],
    },
    rows: ROWS.map(([first, last]) => ({ before: first, after: last })),
  };
}
