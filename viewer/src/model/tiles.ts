// SPDX-License-Identifier: Apache-2.0
// The time line of a folded recording, in tiles: level L cuts the run into 2^L tiles. Missing tiles
// are requested from the server. Until a tile arrives, a coarser tile is drawn instead. The
// coarsest tile is part of the model, so there is always something to draw.
import type { Result } from '../base/result';
import { type Ns, ns } from '../base/time';
import { type WorkerId, workerId } from './ids';
import { GrainKind, type Model, type Tile } from './model';

export type AskForTile = (level: number, tile: number, worker: WorkerId, workers: number) => Promise<Result<Tile>>;

/**
 * The most pixels that a tile may be wide. A wider tile is replaced by two of the next level. At
 * this width a bin is two pixels wide.
 */
const TILE_PIXELS = 512;
const MAX_LEVEL = 46;
/** One request asks for the tiles of at most this number of workers. */
export const TOGETHER = 16;
const MOST_KEPT = 400;
const MOST_ASKED = 4;

/** The rows of one worker in a tile, for the time from `start` to `end`. */
export interface Stretch {
  tile: Tile;
  rows: { from: number; to: number };
  start: Ns;
  end: Ns;
}

/** A tile, and the range of rows of each worker. */
interface Kept {
  tile: Tile;
  rows: Map<WorkerId, { from: number; to: number }>;
}

export class TimeTiles {
  readonly #whole: Kept;
  readonly #wall: Ns;
  readonly #workers: number;
  /** Tiles by their keys, those that were used longest ago first. */
  readonly #kept = new Map<string, Kept>();
  #asked = new Set<string>();
  #wanted: { key: string; level: number; tile: number; worker: WorkerId }[] = [];

  constructor(
    model: Model,
    whole: Tile,
    /** undefined: there is no server, so the tile of the model is the only one. */
    readonly ask: AskForTile | undefined,
    readonly changed: () => void,
  ) {
    this.#whole = byWorker(whole);
    this.#wall = ns(Math.max(model.run.wall_ns, 1));
    this.#workers = model.run.workers;
  }

  /** Returns the level whose tiles have bins of about two pixels. */
  level(pixelsPerNs: number): number {
    if (!this.ask) return 0;
    const level = Math.ceil(Math.log2((this.#wall * pixelsPerNs) / TILE_PIXELS));
    return Math.min(Math.max(level, 0), MAX_LEVEL);
  }

  /**
   * Returns the finest known tiles up to a level, of one worker between two instants. Notes the
   * missing tiles; fetch() asks for them.
   */
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

  /** Asks for the tiles that were missing. Must be called after each frame. */
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

/** Returns the row of a stretch at an instant, or one within `slack`; undefined: there is none. */
export function rowAt({ tile, rows }: Stretch, time: Ns, slack: Ns): number | undefined {
  for (let row = rows.from; row < rows.to; row++)
    if (tile.end[row]! >= time - slack && tile.start[row]! <= time + slack) return row;
  return undefined;
}

export const isBin = (tile: Tile, row: number): boolean => tile.kind[row] === GrainKind.Group;
