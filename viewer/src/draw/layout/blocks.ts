// SPDX-License-Identifier: Apache-2.0
// Cuts a grain's items into blocks, which are drawn one above the other. A block is a single
// fragment or chunk, a join without forks before it, or a group: all items from one join up to the
// next, if there are forks among them.
import type { GrainRow } from '../../model/ids';
import { ItemKind } from '../../model/model';
import type { Drawn } from './input';

export interface Block {
  /** Items of the block: from `from` up to, not including, `to`. */
  from: number;
  to: number;
  forks: number;
  /** Extents, for whoever measures the block: its height, and how far it reaches left of the spine. */
  height: number;
  left: number;
}

export function blocksOf(model: Drawn, grain: GrainRow): Block[] {
  const { item, itemStart } = model;
  const blocks: Block[] = [];
  let from = itemStart[grain]!;
  const end = itemStart[grain + 1]!;
  while (from < end) {
    let to = from;
    let forks = 0;
    let joined = false;
    while (to < end && !joined) {
      if (item.kind[to] === ItemKind.Fork) forks++;
      joined = item.kind[to] === ItemKind.Join;
      to++;
    }
    if (forks > 0) blocks.push({ from, to, forks, height: 0, left: 0 });
    else for (let i = from; i < to; i++) blocks.push({ from: i, to: i + 1, forks: 0, height: 0, left: 0 });
    from = to;
  }
  return blocks;
}
