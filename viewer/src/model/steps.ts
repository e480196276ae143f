// SPDX-License-Identifier: Apache-2.0
// The rows of the outline as a tree that can be opened step by step: steps that are short stand
// together, and the way to what takes most of the run is open at first.
import { type Ns, ns } from '../base/time';
import { isLeaf, type OutlineRow } from './outline';

export interface Step {
  /** undefined: several short steps in a row. */
  row: OutlineRow | undefined;
  depth: number;
  /** Summed over the steps that stand together. */
  wall_ns: Ns;
  inside: Step[];
  /** Whether it is on the way to what takes most of the run. */
  most: boolean;
}

/** Steps that are a smaller share of the run are short. */
export const SHORT = 0.02;
/** As many short steps in a row stand together. */
const TOGETHER = 2;

export function stepsOf(rows: readonly OutlineRow[], whole_ns: Ns): Step[] {
  const top: Step[] = [];
  const open: Step[] = [];
  for (const row of rows) {
    while (open.length > 0 && open.at(-1)!.depth >= row.depth) open.pop();
    const step: Step = { row, depth: row.depth, wall_ns: row.wall_ns, inside: [], most: false };
    (open.at(-1)?.inside ?? top).push(step);
    open.push(step);
  }
  markMost(top);
  return together(top, whole_ns * SHORT);
}

/** Marks the longest step, and in it the longest one, and so on. Where no times are known, work decides. */
function markMost(steps: readonly Step[]): void {
  const size = ({ row, wall_ns }: Step) => [wall_ns, row?.work_ns ?? 0] as const;
  const isLarger = (a: Step, b: Step) => {
    const [one, other] = [size(a), size(b)];
    return one[0] !== other[0] ? one[0] > other[0] : one[1] > other[1];
  };
  const most = steps.reduce<Step | undefined>((best, step) => (best && !isLarger(step, best) ? best : step), undefined);
  if (!most) return;
  most.most = true;
  markMost(most.inside);
}

function together(steps: readonly Step[], short_ns: number): Step[] {
  const all: Step[] = [];
  let short: Step[] = [];
  const close = () => {
    if (short.length < TOGETHER) all.push(...short);
    else {
      const wall = ns(short.reduce((sum, { wall_ns }) => sum + wall_ns, 0));
      all.push({ row: undefined, depth: short[0]!.depth, wall_ns: wall, inside: short.map(deeper), most: false });
    }
    short = [];
  };
  for (const step of steps) {
    step.inside = together(step.inside, short_ns);
    const isShort = step.wall_ns > 0 && step.wall_ns < short_ns && !isLeaf(step.row?.kind);
    if (!step.most && isShort) short.push(step);
    else {
      close();
      all.push(step);
    }
  }
  close();
  return all;
}

const deeper = (step: Step): Step => ({ ...step, depth: step.depth + 1, inside: step.inside.map(deeper) });

/** Returns the longest of steps. */
export const longestOf = (steps: readonly Step[]): Step | undefined =>
  steps.reduce<Step | undefined>((best, step) => (best && best.wall_ns >= step.wall_ns ? best : step), undefined);

/** Returns a row with the sums of short steps that stand together. */
export function sumOf(rows: readonly OutlineRow[]): OutlineRow {
  const [first] = rows;
  const sum = (value: (row: OutlineRow) => number) => ns(rows.reduce((all, row) => all + value(row), 0));
  const classes = rows.reduce<number>((most, row) => Math.max(most, row.classes.length), 0);
  return {
    depth: first?.depth ?? 0,
    kind: 'repeat',
    site: undefined,
    count: 0,
    wall_ns: sum(({ wall_ns }) => wall_ns),
    work_ns: sum(({ work_ns }) => work_ns),
    classes: Array.from({ length: classes }, (_, at) => sum(({ classes }) => classes[at] ?? 0)),
    own_ns: ns(0),
  };
}
