// SPDX-License-Identifier: Apache-2.0
// Turns a made-up program into the JSON of a view model, as docs/formats/view.md describes it.
import { NOBODY, NONE } from '../src/model/ids';
import { Flag, GrainKind, ItemKind, type OtherProcess } from '../src/model/model';
import { column } from './column';
import { type CriticalPath, criticalPath } from './critical';
import { type Grain, SITES, type Step } from './program';
import { type Execution, schedule } from './schedule';
import { wholeOf } from './whole';

export { column };

/** Makes the view model of a run of `root` on `workers` workers. The result is for JSON.stringify. */
export function viewModel(root: Grain, workers = 4, name = 'sample.teff') {
  const order = preorder(root);
  const rows = new Map(order.map((entry, row) => [entry.grain, row]));
  const path = criticalPath(root, [...rows.keys()]);
  const { executions, end } = schedule(root, workers);
  const shape = new ShapeWriter(rows, executions, path);
  for (const { grain } of order) shape.add(grain);
  const figures = order.map((entry) => figuresOf(entry, rows, executions, path));
  const work = figures.reduce((sum, f) => sum + f.work, 0);
  const pick = (name: keyof Figures) => figures.map((f) => f[name]);
  return {
    version: 13,
    run: {
      name,
      command: './sample 1000000',
      process: '',
      others: [] as OtherProcess[],
      complete: true,
      modelled: '',
      worker_names: [] as string[],
      wall_ns: end,
      work_ns: work,
      span_ns: path.span,
      span_any_schedule_ns: path.span / 2,
      parallelism: work / path.span,
      parallelism_any_schedule: (2 * work) / path.span,
      workers,
      processors: workers,
      grains: order.length,
      shown: order.length,
      opens: false,
      lacks: '',
      notes: [] as string[],
    },
    answers: answersOf(work, workers * end),
    speedup: [1, 2, 4].map((threads) => speedupOf(threads, work, path.span)),
    problems: problemsOf(),
    counters: [] as string[],
    counts: [] as ReturnType<typeof column>[],
    sites: SITES.map((site, number) => siteFigures(site, number, figures)),
    grain: {
      kind: column('u8', pick('kind')),
      parent: column('u32', pick('parent')),
      site: column('u32', pick('site')),
      start: column('f64', pick('start')),
      end: column('f64', pick('end')),
      create: column('f64', pick('create')),
      work: column('f64', pick('work')),
      creation: column('f64', pick('creation')),
      wait: column('f64', pick('wait')),
      stall: column('f64', pick('stall')),
      benefit: column('f32', pick('benefit')),
      worker: column('u16', pick('worker')),
      flags: column('u8', pick('flags')),
      number: column('u32', [...order.keys()]),
      worst: column('f32', pick('worst')),
      count: column('u32', pick('count')),
      first: column('f64', pick('first')),
      iterations: column('f64', pick('iterations')),
      load_balance: column('f32', Array(order.length).fill(Number.NaN)),
      work_deviation: column('f32', Array(order.length).fill(Number.NaN)),
      instantaneous_parallelism: column('f32', Array(order.length).fill(1)),
      scatter: column('f32', Array(order.length).fill(Number.NaN)),
      problems: column('u8', Array(order.length).fill(0)),
    },
    ...shape.tables(),
    edge: { from: column('u32', []), to: column('u32', []) },
    idle: idleTimes(executions, workers, end),
    whole: wholeOf(figures, shape.stretches(), workers, end),
  };
}

/** Puts two counters into a model: each grain counted its row, and ten times its row in nanoseconds. */
export function counted(json: ReturnType<typeof viewModel>): void {
  const rows = Array.from({ length: json.run.shown }, (_, row) => row);
  json.counters.push('page-faults', 'task-clock');
  json.counts.push(
    column('f64', rows),
    column(
      'f64',
      rows.map((row) => (row === 1 ? Number.NaN : 10 * row)),
    ),
  );
  for (const costs of json.whole.sites) costs.counts.push(costs.critical, 1500);
}

/** In the order of the bits of the grains' problems. */
function problemsOf() {
  const metrics = ['parallel_benefit', 'load_balance', 'work_deviation', 'instantaneous_parallelism', 'scatter'];
  return metrics.map((metric) => ({
    metric,
    side: metric.startsWith('p') || metric.startsWith('i') ? 'below' : 'above',
    limit: null as number | null,
    judged: metric !== 'scatter',
    known: metric === 'instantaneous_parallelism' ? 1 : 0,
    grains: 0,
    grains_share: 0,
    work_share: 0,
  }));
}

function speedupOf(threads: number, work: number, span: number) {
  const time_ns = work / threads + span;
  const speedup = (work + span) / time_ns;
  const bound = (work + span) / Math.max(work / threads, span);
  return { threads, time_ns, speedup, bound, limited_by: 'span', recorded: threads === 4 };
}

function answersOf(work: number, whole_ns: number) {
  const { file, line, function: name } = SITES[1]!;
  const finding = {
    rule: 'tiny-tasks',
    title: 'tasks of 200 ns, which cost as much',
    file,
    line,
    function: name,
    gain_ns: whole_ns / 20,
    gain_share: 0.2,
    evidence: ['400 tasks, 200 ns of work on average'],
    remedy: 'Below some size call the function itself instead of creating a task.',
    estimate: 'their number brought down until they do 20 times the work of what they cost',
    begin_ns: 0,
    end_ns: 0,
  };
  const classes = [
    { name: 'work', ns: work },
    { name: 'nothing_ready', ns: whole_ns - work },
    { name: 'rest', ns: 0 },
  ];
  return {
    findings: [finding],
    held_back: [] as (typeof finding)[],
    none: 'Nothing found that would gain 500 us if it were mended.',
    undisturbed_ns: whole_ns / 4,
    more: 0,
    whole_ns,
    classes,
    quality: ['Recording took 5 us.'],
  };
}

interface Entry {
  grain: Grain;
  parent: Grain | undefined;
  siblings: number;
}

const childOf = (step: Step): Grain | undefined =>
  'fork' in step ? step.fork : 'chunk' in step ? step.chunk : undefined;

function preorder(root: Grain): Entry[] {
  const order: Entry[] = [];
  const stack: Entry[] = [{ grain: root, parent: undefined, siblings: 1 }];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    order.push(entry);
    const { grain } = entry;
    const children = grain.steps.map(childOf).filter((child) => child !== undefined);
    for (const child of children.reverse()) stack.push({ grain: child, parent: grain, siblings: children.length });
  }
  return order;
}

type Figures = ReturnType<typeof figuresOf>;

function figuresOf(entry: Entry, rows: Map<Grain, number>, executions: Map<Grain, Execution>, path: CriticalPath) {
  const { grain, parent, siblings } = entry;
  const execution = executions.get(grain)!;
  const { fragments } = execution;
  const work = fragments.reduce((sum, f) => sum + f.end - f.start, 0);
  const pays = grain.kind === GrainKind.Task || grain.kind === GrainKind.Chunk;
  const parentWait = parent && grain.kind === GrainKind.Task ? executions.get(parent)!.wait / siblings / 4 : 0;
  const benefit = pays ? work / (execution.creation + parentWait) : Number.NaN;
  const flags =
    (path.grains.has(grain) ? Flag.Critical : 0) |
    (benefit < 1 ? Flag.LowBenefit : 0) |
    (execution.stolen ? Flag.Stolen : 0);
  return {
    kind: grain.kind,
    parent: parent ? rows.get(parent)! : NONE,
    site: grain.site,
    start: fragments[0]?.start ?? execution.create,
    end: fragments.at(-1)?.end ?? execution.create,
    create: execution.create,
    work,
    creation: execution.creation,
    wait: execution.wait,
    stall: grain.stalled === undefined ? Number.NaN : grain.stalled * work,
    benefit,
    worker: fragments[0]?.worker ?? 0,
    flags,
    worst: benefit < 1 ? benefit : Number.NaN,
    count: 1,
    first: grain.first ?? 0,
    iterations: grain.iterations ?? 0,
  };
}

function siteFigures(site: (typeof SITES)[number], number: number, figures: Figures[]) {
  const own = figures.filter((f) => f.site === number);
  const work_ns = own.reduce((sum, f) => sum + f.work, 0);
  const low_benefit = own.filter((f) => f.flags & Flag.LowBenefit).length;
  return { ...site, count: own.length, work_ns, mean_ns: own.length ? work_ns / own.length : 0, low_benefit };
}

class ShapeWriter {
  readonly #fragment = {
    grain: [] as number[],
    start: [] as number[],
    end: [] as number[],
    work: [] as number[],
    worker: [] as number[],
    critical: [] as number[],
    core: [] as number[],
  };
  readonly #item = { kind: [] as number[], ref: [] as number[], critical: [] as number[] };
  readonly #itemStart = [0];

  constructor(
    readonly rows: Map<Grain, number>,
    readonly executions: Map<Grain, Execution>,
    readonly path: CriticalPath,
  ) {}

  add(grain: Grain): void {
    let fragments = 0;
    for (const step of grain.steps) {
      const critical = this.path.grains.has(grain) && this.path.steps.has(step) ? 1 : 0;
      if ('work' in step) {
        this.#push(ItemKind.Fragment, this.#fragment.grain.length, critical);
        const { start, end, worker } = this.executions.get(grain)!.fragments[fragments++]!;
        this.#fragment.grain.push(this.rows.get(grain)!);
        this.#fragment.start.push(start);
        this.#fragment.end.push(end);
        this.#fragment.work.push(end - start);
        this.#fragment.worker.push(worker);
        this.#fragment.critical.push(critical);
        this.#fragment.core.push(coreAt(worker, start));
      } else if ('join' in step) this.#push(ItemKind.Join, step.join, critical);
      else if ('fork' in step) this.#push(ItemKind.Fork, this.rows.get(step.fork)!, critical);
      else this.#push(ItemKind.Chunk, this.rows.get(step.chunk)!, critical);
    }
    this.#itemStart.push(this.#item.kind.length);
  }

  #push(kind: ItemKind, ref: number, critical: number): void {
    this.#item.kind.push(kind);
    this.#item.ref.push(ref);
    this.#item.critical.push(critical);
  }

  stretches() {
    return this.#fragment;
  }

  tables() {
    const { grain, start, end, work, worker, critical, core } = this.#fragment;
    return {
      fragment: {
        grain: column('u32', grain),
        start: column('f64', start),
        end: column('f64', end),
        work: column('f32', work),
        worker: column('u16', worker),
        critical: column('u8', critical),
        core: column('u16', core),
      },
      item: {
        kind: column('u8', this.#item.kind),
        ref: column('u32', this.#item.ref),
        critical: column('u8', this.#item.critical),
      },
      item_start: column('u32', this.#itemStart),
    };
  }
}

function idleTimes(executions: Map<Grain, Execution>, workers: number, end: number) {
  const busy: { start: number; end: number }[][] = Array.from({ length: workers }, () => []);
  for (const { fragments } of executions.values()) for (const f of fragments) busy[f.worker]!.push(f);
  const idle = {
    worker: [] as number[],
    start: [] as number[],
    end: [] as number[],
    woken_by: [] as number[],
    woken: [] as number[],
    cause: [] as number[],
  };
  for (const [worker, lane] of busy.entries()) {
    let last = 0;
    lane.sort((a, b) => a.start - b.start);
    for (const next of [...lane, { start: end, end }]) {
      if (next.start - last > 500) {
        idle.worker.push(worker);
        idle.start.push(last);
        idle.end.push(next.start);
        // The last ones end with the run.
        const isLast = next.start === end;
        idle.woken_by.push(isLast ? NOBODY : (worker + 1) % workers);
        idle.woken.push(isLast ? Number.NaN : next.start - 200);
        idle.cause.push(isLast ? 0 : 1);
      }
      last = next.end;
    }
  }
  return {
    worker: column('u16', idle.worker),
    start: column('f64', idle.start),
    end: column('f64', idle.end),
    woken_by: column('u16', idle.woken_by),
    woken: column('f64', idle.woken),
    cause: column('u8', idle.cause),
  };
}

/** Worker 1 moves to a core of its own; what worker 2 ran on is not known. */
export const MOVED = { worker: 1, at: 20_000, core: 6 };
function coreAt(worker: number, start: number): number {
  if (worker === 2) return NOBODY;
  return worker === MOVED.worker && start >= MOVED.at ? MOVED.core : worker;
}
