// SPDX-License-Identifier: Apache-2.0
// The critical path of a made-up program: the longest chain of work, found by replaying forks and
// joins.
import { GrainKind } from '../src/model/model';
import type { Grain, Step } from './program';

export interface CriticalPath {
  span: number;
  /** Steps (work, fork, join, chunk) that the path goes through. */
  steps: Set<Step>;
  grains: Set<Grain>;
}

/** `order` lists parents before children. */
export function criticalPath(root: Grain, order: readonly Grain[]): CriticalPath {
  const spans = new Map<Grain, number>();
  const binding = new Map<Step, Step>(); // a join and the fork whose child it waited for longest
  for (let i = order.length - 1; i >= 0; i--) spans.set(order[i]!, spanOf(order[i]!, spans, binding));
  const path: CriticalPath = { span: spans.get(root)!, steps: new Set(), grains: new Set() };
  const pending = [root];
  for (let grain = pending.pop(); grain; grain = pending.pop()) pending.push(...markGrain(grain, binding, path));
  return path;
}

function spanOf(grain: Grain, spans: Map<Grain, number>, binding: Map<Step, Step>): number {
  let time = 0;
  let open: { fork: Step; end: number }[] = [];
  for (const step of grain.steps) {
    if ('work' in step) time += step.work;
    else if ('chunk' in step) time += spans.get(step.chunk)!;
    else if ('fork' in step) open.push({ fork: step, end: time + spans.get(step.fork)! });
    else {
      for (const { fork, end } of open) {
        if (end <= time) continue;
        time = end;
        binding.set(step, fork);
      }
      open = [];
    }
  }
  return time;
}

/** Marks the steps of one grain from its end backwards; returns the grains that the path goes into. */
function markGrain(grain: Grain, binding: Map<Step, Step>, path: CriticalPath): Grain[] {
  path.grains.add(grain);
  const into: Grain[] = [];
  for (let i = grain.steps.length - 1; i >= 0; i--) {
    let step = grain.steps[i]!;
    path.steps.add(step);
    const fork = binding.get(step);
    if (fork) {
      i = grain.steps.indexOf(fork);
      step = fork;
      path.steps.add(fork);
    }
    if (fork && 'fork' in step) into.push(step.fork);
    else if ('fork' in step) path.steps.add(step);
    if ('chunk' in step && step.chunk.kind === GrainKind.Chunk) into.push(step.chunk);
  }
  return into;
}
