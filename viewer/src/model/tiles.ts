// SPDX-License-Identifier: Apache-2.0
// The time line of a folded recording, in tiles: level L cuts the run into 2^L of them. What a
// stretch of the time line needs is asked for; until it is here, a coarser tile stands in for it,
// and at last the one that came with the model. So there is always something to draw.
import type { Result } from '../base/result';
import { type Ns, ns } from '../base/time';
import { type WorkerId, workerId } from './ids';
import { GrainKind, type Model, type Tile } from './model';

export type AskForTile = (level: number, tile: number, worker: WorkerId, workers: number) => Promise<Result<Tile>>;

/** Pixels that a tile may be wide before finer ones are taken: its bins are two pixels then. */
const TILE_PIXELS = 512;
const MAX_LEVEL = 46;
/** Workers that are asked for together. */
export const TOGETHER = 16;
const MOST_KEPT = 400;
const MOST_ASKED = 4;

/** Rows of a tile, of one worker, for a stretch of time. */
export interface Stretch {
  tile: Tile;
  rows: { from: number; to: number };
  start: Ns;
  end: Ns;
}

/** A tile, and where each worker's rows begin. */
interface Kept {
  tile: Tile;
  rows: Map<WorkerId, { from: number; to: number }>;
}

export class TimeTiles {
  readonly #whole: Kept;
  readonly #wall: Ns;
  readonly #workers: number;
  /** In the order in which they were used. */
  readonly #kept = new Map<string, Kept>();
  #asked = new Set<string>();
  #wanted: { key: string; level: number; tile: number; worker: WorkerId }[] = [];

  constructor(
    model: Model,
    whole: Tile,
    /** undefined: there are no others. */
    readonly ask: AskForTile | undefined,
    readonly changed: () => void,
  ) {
    this.#whole = byWorker(whole);
    this.#wall = ns(Math.max(model.run.wall_ns, 1));
    this.#workers = model.run.workers;
  }

  /** The level whose tiles have bins of about two pixels. */
  level(pixelsPerNs: number): number {
    if (!this.ask) return 0;
    const level = Math.ceil(Math.log2((this.#wall * pixelsPerNs) / TILE_PIXELS));
    return Math.min(Math.max(level, 0), MAX_LEVEL);
  }

  /** What there is of a worker between two instants, best for a level. Asks for what is missing. */
  stretches(worker: WorkerId, level: number, from: Ns, to: Ns): Stretch[] {
    const length = this.#wall / 2 ** level;
    const last = 2 ** level - 1;
    const tileAt = (time: Ns) => Math.min(Math.max(Math.floor(time / length), 0), last);
    const found: Stretch[] = [];
    for (let tile = tileAt(from); tile <= tileAt(to); tile++) {
      const { tile: best, rows } = this.#best(worker, level, tile);
      // Only the last one has what is after the end of the run.
      const end = ns(tile === last ? Number.POSITIVE_INFINITY : (tile + 1) * length);
      const workers = rows.get(worker);
      if (workers) found.push({ tile: best, rows: workers, start: ns(tile * length), end });
    }
    return found;
  }

  /** To be called after each frame: asks for what was missing in it. */
  fetch(): void {
    const { ask } = this;
    if (!ask) return;
    for (const { key, level, tile, worker } of this.#wanted) {
      if (this.#asked.size >= MOST_ASKED) break;
      this.#asked.add(key);
      void ask(level, tile, worker, Math.min(TOGETHER, this.#workers - worker)).then((answer) => {
        this.#asked.delete(key);
        // Where there is no answer, the coarser tile goes on standing in for it.
        if (answer.ok) this.#keep(key, byWorker(answer.value));
        else this.#keep(key, undefined);
        this.changed();
      });
    }
    this.#wanted = [];
  }

  #best(worker: WorkerId, level: number, tile: number): Kept {
    const first = workerId(Math.floor(worker / TOGETHER) * TOGETHER);
    for (let [at, here] = [level, tile]; at > 0; [at, here] = [at - 1, Math.floor(here / 2)]) {
      const key = `${at}/${here}/${first}`;
      const kept = this.#kept.get(key);
      if (kept) {
        this.#kept.delete(key);
        this.#kept.set(key, kept);
        return kept;
      }
      if (at === level) this.#want(key, level, tile, first);
    }
    return this.#whole;
  }

  #want(key: string, level: number, tile: number, worker: WorkerId): void {
    if (!this.ask || this.#asked.has(key) || this.#wanted.some((one) => one.key === key)) return;
    this.#wanted.push({ key, level, tile, worker });
  }

  #keep(key: string, kept: Kept | undefined): void {
    this.#kept.set(key, kept ?? this.#whole);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) return;
      this.#kept.delete(oldest);
    }
  }
}

function byWorker(tile: Tile): Kept {
  const rows = new Map<WorkerId, { from: number; to: number }>();
  for (let row = 0; row < tile.worker.length; row++) {
    const worker = tile.worker[row]!;
    const own = rows.get(worker);
    if (own) own.to = row + 1;
    else rows.set(worker, { from: row, to: row + 1 });
  }
  return { tile, rows };
}

/** The row of a stretch at an instant, or one within `slack` nanoseconds. */
export function rowAt({ tile, rows }: Stretch, time: Ns, slack: Ns): number | undefined {
  for (let row = rows.from; row < rows.to; row++)
    if (tile.end[row]! >= time - slack && tile.start[row]! <= time + slack) return row;
  return undefined;
}

export const isBin = (tile: Tile, row: number): boolean => tile.kind[row] === GrainKind.Group;
