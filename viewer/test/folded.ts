// SPDX-License-Identifier: Apache-2.0
// Folds a made-up program with the same result format as the tools, but in a simpler way: the
// children of its first grain are put into groups of equal size, which the page can request. Used
// to test what a page does with groups.
import { decodeModel } from '../src/model/decode';
import { NOBODY, NONE } from '../src/model/ids';
import { GrainKind, ItemKind, type Model } from '../src/model/model';
import { buildTree } from '../src/model/tree';
import type { Grain } from './program';
import { column, viewModel } from './sample';

type Json = ReturnType<typeof viewModel>;
type Tables = Pick<Json, 'grain' | 'counts' | 'fragment' | 'item' | 'item_start' | 'edge'>;

export interface Folded {
  /** As if nothing were folded. */
  whole: Model;
  json: Json;
  /** The answer of `part.json`. */
  part(first: number, count: number): Tables;
  groups: { first: number; count: number }[];
}

export function folded(program: Grain, children: number, opens = true): Folded {
  const full = viewModel(program);
  const decoded = decodeModel(full);
  if (!decoded.ok) throw new Error(decoded.error);
  const whole = decoded.value;
  const tree = buildTree(whole);
  const forks = itemsOf(whole, 0).filter((i) => whole.item.kind[i] === ItemKind.Fork);
  const groups: Folded['groups'] = [];
  for (let at = 0; at < forks.length; at += children) {
    const first = whole.item.ref[forks[at]!]!;
    const last = whole.item.ref[forks[Math.min(at + children, forks.length) - 1]!]!;
    groups.push({ first, count: tree.subtreeEnd[last]! - first });
  }
  const writer = new Writer(whole);
  writer.row(0, NONE, (add) => {
    for (const i of itemsOf(whole, 0)) {
      const group = groups.findIndex(({ first }) => whole.item.ref[i] === first);
      if (whole.item.kind[i] !== ItemKind.Fork) add(i);
      else if (group >= 0) add(i, group + 1);
    }
  });
  for (const { first, count } of groups) writer.group(first, count, 0, []);
  const run = { ...full.run, shown: groups.length + 1, opens };
  const json = { ...full, run, ...writer.tables(), time: timeOf(whole) };
  const part = (first: number, count: number) => {
    const inside = new Writer(whole);
    const tops = forks.map((i) => whole.item.ref[i]!).filter((top) => top >= first && top < first + count);
    inside.group(
      first,
      count,
      NONE,
      tops.map((top) => top - first + 1),
    );
    for (let row = first; row < first + count; row++) {
      const parent = whole.grain.parent[row]!;
      inside.row(row, parent < first ? 0 : parent - first + 1, (add) => {
        for (const i of itemsOf(whole, row))
          add(i, whole.item.kind[i] === ItemKind.Fork ? whole.item.ref[i]! - first + 1 : undefined);
      });
    }
    return inside.tables();
  };
  return { whole, json, part, groups };
}

const itemsOf = (model: Model, row: number): number[] =>
  Array.from({ length: model.itemStart[row + 1]! - model.itemStart[row]! }, (_, i) => model.itemStart[row]! + i);

/** Each worker's run as one bin. */
function timeOf({ fragment, run }: Model) {
  const busy = new Float64Array(run.workers);
  const count = new Uint32Array(run.workers);
  for (let row = 0; row < fragment.worker.length; row++) {
    busy[fragment.worker[row]!]! += fragment.end[row]! - fragment.start[row]!;
    count[fragment.worker[row]!]!++;
  }
  const each = (value: number) => busy.map(() => value);
  return {
    worker: column(
      'u16',
      busy.map((_, worker) => worker),
    ),
    start: column('f64', each(0)),
    end: column('f64', each(run.wall_ns)),
    count: column('u32', count),
    busy: column('f64', busy),
    kind: column('u8', each(GrainKind.Group)),
    number: column('u32', each(1)),
    site: column('u32', each(2)),
    worst: column('f32', each(Number.NaN)),
    critical: column('u8', each(0)),
  };
}

const TYPES = {
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
} as const;
type Name = keyof typeof TYPES;
const NAMES = Object.keys(TYPES) as Name[];

class Writer {
  readonly #rows: Record<Name, number>[] = [];
  readonly #fragments: Record<'grain' | 'start' | 'end' | 'work' | 'worker' | 'critical' | 'core', number>[] = [];
  readonly #items: { kind: number; ref: number; critical: number }[] = [];
  readonly #starts = [0];

  constructor(readonly whole: Model) {}

  /** A grain as it is; `items` adds those of the model that it names, some of which begin another row. */
  row(row: number, parent: number, items: (add: (item: number, ref?: number) => void) => void): void {
    const values = this.#valuesOf(row);
    this.#rows.push({ ...values, parent });
    const { item, fragment } = this.whole;
    items((i, ref = item.ref[i]!) => {
      const [kind, critical] = [item.kind[i]!, item.critical[i]!];
      if (kind !== ItemKind.Fragment) this.#items.push({ kind, ref, critical });
      else
        this.#fragment(
          fragment.start[ref]!,
          fragment.end[ref]!,
          fragment.work[ref]!,
          fragment.worker[ref]!,
          critical,
          fragment.core[ref]!,
        );
    });
    this.#starts.push(this.#items.length);
  }

  /** `tops`: the rows that it begins; none: it is closed. */
  group(first: number, count: number, parent: number, tops: number[]): void {
    const rows = Array.from({ length: count }, (_, i) => this.#valuesOf(first + i));
    const sum = (name: Name) => rows.reduce((all, row) => all + row[name], 0);
    const values = {
      ...rows[0]!,
      kind: GrainKind.Group,
      parent,
      count,
      start: Math.min(...rows.map((row) => row.start)),
      end: Math.max(...rows.map((row) => row.end)),
      work: sum('work'),
      wait: sum('wait'),
      creation: sum('creation'),
    };
    this.#rows.push(values);
    if (tops.length === 0) this.#fragment(values.start, values.end, values.work, values.worker, 0, NOBODY);
    for (const ref of tops) this.#items.push({ kind: ItemKind.Fork, ref, critical: 0 });
    this.#starts.push(this.#items.length);
  }

  tables(): Tables {
    const fragments = this.#fragments;
    const items = this.#items;
    const grain = Object.fromEntries(
      NAMES.map((name) => [
        name,
        column(
          TYPES[name],
          this.#rows.map((row) => row[name]),
        ),
      ]),
    );
    return {
      grain: grain as Tables['grain'],
      counts: [],
      fragment: {
        grain: column(
          'u32',
          fragments.map((one) => one.grain),
        ),
        start: column(
          'f64',
          fragments.map((one) => one.start),
        ),
        end: column(
          'f64',
          fragments.map((one) => one.end),
        ),
        work: column(
          'f32',
          fragments.map((one) => one.work),
        ),
        worker: column(
          'u16',
          fragments.map((one) => one.worker),
        ),
        critical: column(
          'u8',
          fragments.map((one) => one.critical),
        ),
        core: column(
          'u16',
          fragments.map((one) => one.core),
        ),
      },
      item: {
        kind: column(
          'u8',
          items.map((one) => one.kind),
        ),
        ref: column(
          'u32',
          items.map((one) => one.ref),
        ),
        critical: column(
          'u8',
          items.map((one) => one.critical),
        ),
      },
      item_start: column('u32', this.#starts),
      edge: { from: column('u32', []), to: column('u32', []) },
    };
  }

  #valuesOf(row: number): Record<Name, number> {
    return Object.fromEntries(NAMES.map((name) => [name, this.whole.grain[name][row]!])) as Record<Name, number>;
  }

  #fragment(start: number, end: number, work: number, worker: number, critical: number, core: number): void {
    this.#items.push({ kind: ItemKind.Fragment, ref: this.#fragments.length, critical });
    this.#fragments.push({ grain: this.#rows.length - 1, start, end, work, worker, critical, core });
  }
}
