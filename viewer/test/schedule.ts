// SPDX-License-Identifier: Apache-2.0
// Runs a made-up program on made-up workers, so that samples have plausible times. The scheduler is
// work stealing: a worker takes the newest task of its own queue, or the oldest of another queue.
// Waiting tasks run other tasks on top of themselves.
import { GrainKind } from '../src/model/model';
import type { Grain } from './program';

export interface Execution {
  /** Start and end of each work step, in step order. */
  fragments: { start: number; end: number; worker: number }[];
  create: number;
  creation: number;
  wait: number;
  stolen: boolean;
}

interface Activation {
  grain: Grain;
  step: number;
  open: number;
  waitsSince: number | undefined;
  creator: Activation | undefined;
  /** Chunks run inside their implicit task: this is what goes on when they end. */
  inline: boolean;
}

interface Worker {
  number: number;
  clock: number;
  /** Implicit tasks: nobody else may run them. */
  pinned: Activation[];
  /** Tasks that are ready: taken from its end by the owner, and at `oldest` by others. */
  queue: Activation[];
  oldest: number;
  running: Activation[];
}

const CREATION = 180;
const BETWEEN_CHUNKS = 120;
const STEAL = 900;

export function schedule(root: Grain, workers: number): { executions: Map<Grain, Execution>; end: number } {
  const run = new Simulation(workers);
  run.start(root);
  return { executions: run.executions, end: run.end };
}

class Simulation {
  readonly executions = new Map<Grain, Execution>();
  readonly #workers: Worker[];
  #unfinished = 0;
  end = 0;

  constructor(workers: number) {
    this.#workers = Array.from({ length: workers }, (_, number) => {
      return { number, clock: 0, pinned: [], queue: [], oldest: 0, running: [] };
    });
  }

  start(root: Grain): void {
    this.#workers[0]!.running.push(this.#activate(root, undefined, 0, 0));
    while (this.#unfinished > 0) {
      let worker = this.#workers[0]!;
      for (const other of this.#workers) if (other.clock < worker.clock) worker = other;
      this.#advance(worker);
    }
  }

  #activate(grain: Grain, creator: Activation | undefined, create: number, creation: number): Activation {
    this.executions.set(grain, { fragments: [], create, creation, wait: 0, stolen: false });
    this.#unfinished++;
    return { grain, step: 0, open: 0, waitsSince: undefined, creator, inline: grain.kind === GrainKind.Chunk };
  }

  #advance(worker: Worker): void {
    const top = worker.running.at(-1);
    if (top && !(top.waitsSince !== undefined && top.open > 0)) this.#step(worker, top);
    else this.#findWork(worker);
  }

  #step(worker: Worker, activation: Activation): void {
    const execution = this.executions.get(activation.grain)!;
    if (activation.waitsSince !== undefined) {
      execution.wait += Math.max(0, worker.clock - activation.waitsSince);
      activation.waitsSince = undefined;
    }
    const step = activation.grain.steps[activation.step++];
    if (!step) this.#finish(worker, activation);
    else if ('work' in step) {
      const start = worker.clock;
      worker.clock += step.work;
      execution.fragments.push({ start, end: worker.clock, worker: worker.number });
    } else if ('fork' in step) this.#fork(worker, activation, step.fork);
    else if ('chunk' in step) {
      worker.clock += BETWEEN_CHUNKS;
      worker.running.push(this.#activate(step.chunk, activation, worker.clock, BETWEEN_CHUNKS));
    } else activation.waitsSince = worker.clock;
  }

  #fork(worker: Worker, creator: Activation, grain: Grain): void {
    worker.clock += CREATION;
    creator.open++;
    const child = this.#activate(grain, creator, worker.clock, CREATION);
    if (grain.kind === GrainKind.Implicit) this.#workers[(creator.open - 1) % this.#workers.length]!.pinned.push(child);
    else worker.queue.push(child);
  }

  #finish(worker: Worker, activation: Activation): void {
    worker.running.pop();
    this.#unfinished--;
    this.end = Math.max(this.end, worker.clock);
    if (!activation.inline && activation.creator) activation.creator.open--;
  }

  #findWork(worker: Worker): void {
    const own = worker.pinned.pop() ?? (worker.queue.length > worker.oldest ? worker.queue.pop() : undefined);
    if (own) {
      worker.clock = Math.max(worker.clock, this.executions.get(own.grain)!.create);
      worker.running.push(own);
      return;
    }
    const victim = this.#workers.find((other) => other.queue.length > other.oldest);
    if (victim) {
      const stolen = victim.queue[victim.oldest++]!;
      const execution = this.executions.get(stolen.grain)!;
      execution.stolen = true;
      worker.clock = Math.max(worker.clock + STEAL, execution.create);
      worker.running.push(stolen);
      return;
    }
    const others = this.#workers.filter((other) => other !== worker).map((other) => other.clock);
    const next = Math.min(...others.filter((clock) => clock > worker.clock));
    worker.clock = Number.isFinite(next) ? next : worker.clock + 1;
  }
}
