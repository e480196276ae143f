// SPDX-License-Identifier: Apache-2.0
// Arranges one grain: its blocks lie one above the other on a vertical spine at the right edge of
// its box, and the children of each group lie to the left of the group. Local coordinates: y grows
// downwards from the top of the box, and x is 0 at the left edge of the spine. So everything to the
// left of the spine has a negative x.
//
// A grain is entered at the top of its spine and left at the bottom of its box, below the spine. A
// long sequence of blocks is broken into columns, the last of which is the spine:
//
//     +------------------------o   entry
//     |        +------+        |
//     #        |      #        |   blocks of column 1, 2, and 3 (the spine)
//     #        |      #    +---#
//     +--------+      +----+   #
//
// Sizes of children come from `sizes`, so the children must be arranged first.
import { ns } from '../../base/time';
import { type GrainRow, grainRow } from '../../model/ids';
import { Flag, GrainKind, ItemKind } from '../../model/model';
import { type Block, blocksOf } from './blocks';
import { emitFragment, emitJoin, type Sizes } from './emit';
import { Group } from './group';
import type { Drawn } from './input';
import { GAP, GAP_X, HEAD, NODE, SPINE, type TimeScale, WRAP } from './measures';
import { NO_SINK, ShapeKind, type Sink } from './shapes';
import { breakLines } from './wrap';

const CENTRE = SPINE / 2;
/** Columns are for grains that are far taller than any of their blocks. */
const COLUMN_OF_BLOCKS = 4;

export class Arranger {
  readonly #group: Group;

  constructor(
    readonly model: Drawn,
    readonly sizes: Sizes,
    readonly scale: TimeScale,
    /** 1 for each group that is closed, so that it is drawn as one shape. */
    readonly closed: Uint8Array,
  ) {
    this.#group = new Group(model, sizes, scale);
  }

  /** Measures the grain into `sizes`. */
  measure(grain: GrainRow): void {
    this.#arrange(grain, 0, 0, NO_SINK);
  }

  /** Emits the grain's shapes and the places of its children; (spineX, top) is the upper left corner of its spine. */
  emit(grain: GrainRow, spineX: number, top: number, sink: Sink): void {
    this.#arrange(grain, spineX, top, sink);
  }

  #arrange(grain: GrainRow, x: number, y: number, sink: Sink): void {
    if (this.model.grain.kind[grain] !== GrainKind.Group) this.#grain(grain, x, y, sink);
    else if (this.closed[grain]) this.#closed(grain, x, y, sink);
    else {
      sink.shape(ShapeKind.Edge, x + CENTRE, y, x + CENTRE, y + HEAD, grain, false);
      this.#grain(grain, x, y + HEAD, sink);
      this.sizes.height[grain]! += HEAD;
    }
  }

  /**
   * Draws a closed group, as high as the time from the start of its first grain to the end of its
   * last.
   */
  #closed(grain: GrainRow, x: number, y: number, sink: Sink): void {
    const { start, end, flags } = this.model.grain;
    const height = this.scale.height(ns(end[grain]! - start[grain]!));
    const critical = (flags[grain]! & Flag.Critical) !== 0;
    sink.shape(ShapeKind.Group, x, y, x + SPINE, y + height, grain, critical);
    this.#setSize(grain, height, 0);
  }

  #grain(grain: GrainRow, x: number, y: number, sink: Sink): void {
    const blocks = this.#measuredBlocks(grain);
    if (blocks.length === 0) {
      const height = this.scale.height(this.model.grain.work[grain]!);
      sink.shape(ShapeKind.Body, x, y, x + SPINE, y + height, grain, false);
      this.#setSize(grain, height, 0);
      return;
    }
    const starts = breakLines(
      blocks.map(({ height, left }) => ({ along: height + GAP, across: left + SPINE + 2 * GAP_X })),
      'columns',
      Math.max(WRAP, COLUMN_OF_BLOCKS * tallest(blocks)),
    );
    const columns = starts.map((start, c) => blocks.slice(start, starts[c + 1]));
    if (columns.length === 1) {
      const bottom = this.#column(blocks, x, y, sink);
      this.#setSize(grain, bottom - y, widest(blocks));
    } else this.#columns(grain, columns, x, y, sink);
  }

  #measuredBlocks(grain: GrainRow): Block[] {
    const blocks = blocksOf(this.model, grain);
    for (const block of blocks) this.#measureBlock(block);
    return blocks;
  }

  #measureBlock(block: Block): void {
    if (block.forks > 0) {
      const { height, left } = this.#group.emit(block, 0, 0, NO_SINK);
      block.height = height;
      block.left = left;
      return;
    }
    const { item, fragment } = this.model;
    const ref = item.ref[block.from]!;
    switch (item.kind[block.from]) {
      case ItemKind.Chunk:
        block.height = this.sizes.height[ref]!;
        block.left = this.sizes.left[ref]!;
        break;
      case ItemKind.Fragment:
        block.height = this.scale.height(ns(fragment.end[ref]! - fragment.start[ref]!));
        break;
      default:
        block.height = NODE;
    }
  }

  #setSize(grain: GrainRow, height: number, left: number): void {
    this.sizes.height[grain] = height;
    this.sizes.left[grain] = left;
  }

  /** Blocks one above the other, from y on; returns the bottom. */
  #column(blocks: Block[], x: number, y: number, sink: Sink): number {
    let bottom = y;
    for (const [i, block] of blocks.entries()) {
      let top = bottom;
      if (i > 0) {
        top += GAP;
        const critical = this.model.item.critical[block.from] === 1;
        sink.shape(ShapeKind.Edge, x + CENTRE, bottom, x + CENTRE, top, 0, critical);
      }
      this.#block(block, x, top, sink);
      bottom = top + block.height;
    }
    return bottom;
  }

  #block(block: Block, x: number, y: number, sink: Sink): void {
    if (block.forks > 0) {
      this.#group.emit(block, x, y, sink);
      return;
    }
    const { item } = this.model;
    const row = block.from;
    const ref = item.ref[row]!;
    if (item.kind[row] === ItemKind.Chunk) sink.place(grainRow(ref), x, y);
    else if (item.kind[row] === ItemKind.Fragment) emitFragment(this.model, this.scale, ref, x, y, block.height, sink);
    else emitJoin(row, x, y, item.critical[row] === 1, sink);
  }

  #columns(grain: GrainRow, columns: Block[][], x: number, y: number, sink: Sink): void {
    // Spines of the columns, from the right: the last is the grain's own.
    const spines = new Float64Array(columns.length);
    let left = 0;
    for (let c = columns.length - 1; c >= 0; c--) {
      spines[c] = x - left;
      left += widest(columns[c]!) + 2 * GAP_X + SPINE;
    }
    left -= 2 * GAP_X + SPINE;

    const critical = (c: number) => this.model.item.critical[columns[c]![0]!.from] === 1;
    const line = (x0: number, y0: number, x1: number, y1: number, isCritical: boolean) =>
      sink.shape(ShapeKind.Edge, Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1), 0, isCritical);
    const entry = y + GAP;
    const turn = entry + GAP;
    const top = turn + GAP;
    const bottoms = columns.map((blocks, c) => this.#column(blocks, spines[c]!, top, sink));
    line(x + CENTRE, y, x + CENTRE, entry, critical(0));
    line(x + CENTRE, entry, spines[0]! + CENTRE, entry, critical(0));
    line(spines[0]! + CENTRE, entry, spines[0]! + CENTRE, top, critical(0));
    for (let c = 1; c < columns.length; c++) {
      const from = spines[c - 1]! + CENTRE;
      const channel = spines[c - 1]! + SPINE + GAP_X;
      const to = spines[c]! + CENTRE;
      const below = bottoms[c - 1]! + GAP;
      line(from, below - GAP, from, below, critical(c));
      line(from, below, channel, below, critical(c));
      line(channel, below, channel, turn, critical(c));
      line(channel, turn, to, turn, critical(c));
      line(to, turn, to, top, critical(c));
    }
    const bottom = Math.max(...bottoms) + 2 * GAP;
    line(x + CENTRE, bottoms[columns.length - 1]!, x + CENTRE, bottom, false);
    this.#setSize(grain, bottom - y, left);
  }
}

const tallest = (blocks: Block[]): number => blocks.reduce((height, block) => Math.max(height, block.height), 0);
const widest = (blocks: Block[]): number => blocks.reduce((left, block) => Math.max(left, block.left), 0);
