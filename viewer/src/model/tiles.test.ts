// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { folded } from '../../test/folded';
import { randomNumbers, siblings } from '../../test/program';
import { fail, ok } from '../base/result';
import { ns } from '../base/time';
import { decodeModel } from './decode';
import { workerId } from './ids';
import type { Tile } from './model';
import { type AskForTile, rowAt, TimeTiles } from './tiles';

const decoded = decodeModel(JSON.parse(JSON.stringify(folded(siblings(95, randomNumbers(4)), 10).json)));
if (!decoded.ok) throw new Error(decoded.error);
const model = decoded.value;
const wall = model.run.wall_ns;

/** A tile with one row for each worker, whose number is the tile's. */
function tileOf(level: number, tile: number, workers: number): Tile {
  const length = wall / 2 ** level;
  const rows = Array.from({ length: workers }, (_, worker) => worker);
  const each = (value: number) => rows.map(() => value);
  return {
    worker: Uint16Array.from(rows),
    start: Float64Array.from(each(tile * length)),
    end: Float64Array.from(each((tile + 1) * length)),
    count: Uint32Array.from(each(level)),
    busy: Float64Array.from(each(length)),
    kind: Uint8Array.from(each(3)),
    number: Uint32Array.from(each(tile)),
    site: Uint32Array.from(each(0)),
    worst: Float32Array.from(each(Number.NaN)),
    critical: Uint8Array.from(each(0)),
  } as Tile;
}

function tilesOf(ask: AskForTile | undefined) {
  return new TimeTiles(model, model.time!, ask, () => {});
}

it('takes tiles whose bins are two pixels, up to the finest level', () => {
  const tiles = tilesOf(async () => fail(''));
  expect([0.1, 512, 513, 1024, 1025].map((pixels) => tiles.level(pixels / wall))).toEqual([0, 0, 1, 1, 2]);
  expect(tiles.level(1e30)).toBe(46);
  expect(tilesOf(undefined).level(1e30)).toBe(0);
});

it('has the coarser tile stand in until the finer one is here, and asks once', async () => {
  const asked: string[] = [];
  const tiles = tilesOf(async (level, tile, worker, workers) => {
    asked.push(`${level}/${tile} of ${worker}+${workers}`);
    return ok(tileOf(level, tile, workers));
  });
  const look = (level: number) => tiles.stretches(workerId(0), level, ns(0.1 * wall), ns(0.6 * wall));
  for (let frame = 0; frame < 3; frame++) {
    const stretches = look(1);
    expect(stretches.map(({ start, end }) => [start, end])).toEqual([
      [0, wall / 2],
      [wall / 2, Number.POSITIVE_INFINITY],
    ]);
    expect(stretches.every(({ tile }) => tile === model.time)).toBe(true);
    tiles.fetch();
  }
  await Promise.resolve().then(() => {});
  expect(asked).toEqual(['1/0 of 0+4', '1/1 of 0+4']);
  expect(look(1).map(({ tile }) => [tile.count[0], tile.number[0]])).toEqual([
    [1, 0],
    [1, 1],
  ]);
  expect(look(3).map(({ tile }) => [tile.count[0], tile.number[0]])).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
    [1, 0],
    [1, 1],
  ]);
});

it('covers every instant once, with rows of the worker alone', () => {
  const tiles = tilesOf(undefined);
  for (const worker of [0, 1, 3]) {
    const [stretch] = tiles.stretches(workerId(worker), 0, ns(0), wall);
    expect(stretch!.tile.worker.subarray(stretch!.rows.from, stretch!.rows.to)).toEqual(Uint16Array.of(worker));
    expect(rowAt(stretch!, ns(wall / 2), ns(0))).toBe(stretch!.rows.from);
    expect(rowAt(stretch!, ns(wall * 2), ns(0))).toBeUndefined();
  }
  expect(tiles.stretches(workerId(9), 0, ns(0), wall)).toEqual([]);
});

it('goes on with the coarser tile where the finer one cannot be had', async () => {
  let asked = 0;
  const tiles = tilesOf(async () => {
    asked++;
    return fail('gone');
  });
  for (let frame = 0; frame < 3; frame++) {
    expect(tiles.stretches(workerId(0), 1, ns(0), ns(wall / 4))[0]!.tile).toBe(model.time);
    tiles.fetch();
    await Promise.resolve().then(() => {});
  }
  expect(asked).toBe(1);
});
