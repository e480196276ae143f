// SPDX-License-Identifier: Apache-2.0
// Arranges a group: what a grain does from one join to the next, with the children that it forks on
// the way.
//
//            +-----#  fragment            Children stand left of the spine, in order of creation. The first is
//            |     o  fork                the farthest away, so that no edge has to cross another: edges of
//        +---------o  fork                earlier forks run above the children of later ones, and all meet on
//        #   #     #                      one line below them, at the join.
//        +---+-----o  join
//
// Too many children for one row go to further rows. The spine passes them on the right; their ends
// are collected by a channel on the left, which leads to the join. Where a group forks more than a
// few children, each row has one fork node and one fragment for all of its forks: a spine of
// thousands would leave no shape.
import { ns } from '../../base/time';
import { type GrainRow, grainRow } from '../../model/ids';
import { ItemKind } from '../../model/model';
import type { Block } from './blocks';
import { emitFragment, emitJoin, type Sizes } from './emit';
import type { Drawn } from './input';
import { DROP, GAP, GAP_X, MAX_SINGLE_FORKS, NODE, SPINE, type TimeScale } from './measures';
import { ShapeKind, type Sink } from './shapes';
import { breakLines } from './wrap';

const CENTRE = SPINE / 2;
const MAX_SUM_HEIGHT = 60;

/** A child that has been placed: the middle of its spine, and the bottom of its box. */
interface Placed {
  centre: number;
  bottom: number;
  critical: boolean;
}

/** A pen that goes down the spine. */
interface Pen {
  x: number;
  /** Bottom of what was drawn last; undefined at the top of the group. */
  bottom: number | undefined;
  /** Nothing may be drawn above this. */
  floor: number;
  sink: Sink;
}

/** What may hang on one row: the children, and the items of the spine beside them. */
interface Row {
  from: number;
  to: number;
  children: GrainRow[];
}

export class Group {
  constructor(
    readonly model: Drawn,
    readonly sizes: Sizes,
    readonly scale: TimeScale,
  ) {}

  /** Emits the group with the upper left corner of its spine at (x, y) and returns its extents. */
  emit(block: Block, x: number, y: number, sink: Sink): { height: number; left: number } {
    const { item } = this.model;
    const last = block.to - 1;
    const joined = item.kind[last] === ItemKind.Join;
    const rows = this.#rows(block, joined ? last : block.to);
    const single = block.forks <= MAX_SINGLE_FORKS;
    const pen: Pen = { x, bottom: undefined, floor: y, sink };

    let left = 0;
    for (const row of rows) left = Math.max(left, this.#chunkLeft(row) + this.#rowWidth(row));
    const channel = rows.length > 1 ? x - left - GAP_X : undefined;
    if (channel !== undefined) left += 2 * GAP_X;

    const edge = joined ? ShapeKind.Edge : ShapeKind.LooseEdge;
    const collected: { y: number; critical: boolean }[] = [];
    for (const [r, row] of rows.entries()) {
      const top = pen.floor;
      const children = single ? this.#singleForks(row, pen) : this.#oneFork(row, pen);
      const below = children.reduce((bottom, child) => Math.max(bottom, child.bottom), top) + DROP;
      if (r < rows.length - 1) {
        this.#collect(children, below, channel!, edge, sink);
        collected.push({ y: below, critical: children.some((child) => child.critical) });
        pen.floor = below + DROP;
      } else {
        const joinY = Math.max(below, pen.bottom! + GAP + NODE / 2);
        this.#collect(children, joinY, x + CENTRE, edge, sink);
        if (channel !== undefined) drain(collected, channel, joinY, x + CENTRE, edge, sink);
        const throughChild = children.some((child) => child.critical) || collected.some((row) => row.critical);
        this.#end(joined ? last : undefined, joinY, throughChild, pen);
      }
    }
    return { height: pen.bottom! - y, left };
  }

  /** Splits the forks into rows; each row ends with its last fork, the last one with the group. */
  #rows(block: Block, to: number): Row[] {
    const { item } = this.model;
    const forks: number[] = [];
    for (let i = block.from; i < to; i++) if (item.kind[i] === ItemKind.Fork) forks.push(i);
    // Besides its children, a row is as high as the edges to and from them and the forks beside
    // them.
    const beside = block.forks <= MAX_SINGLE_FORKS ? 4 * DROP : 4 * DROP + MAX_SUM_HEIGHT;
    const starts = breakLines(
      forks.map((i) => ({
        along: this.#width(grainRow(item.ref[i]!)),
        across: this.sizes.height[item.ref[i]!]! + beside,
      })),
      'rows',
    );
    return starts.map((start, r) => {
      const next = starts[r + 1] ?? forks.length;
      return {
        from: r === 0 ? block.from : forks[start - 1]! + 1,
        to: r === starts.length - 1 ? to : forks[next - 1]! + 1,
        children: forks.slice(start, next).map((i) => grainRow(item.ref[i]!)),
      };
    });
  }

  #width(child: GrainRow): number {
    return this.sizes.left[child]! + SPINE + GAP_X;
  }

  #rowWidth(row: Row): number {
    return row.children.reduce((width, child) => width + this.#width(child), 0);
  }

  /** How far the chunks on the spine reach to the left. */
  #chunkLeft(row: Row): number {
    const { item } = this.model;
    let left = 0;
    for (let i = row.from; i < row.to; i++)
      if (item.kind[i] === ItemKind.Chunk) left = Math.max(left, this.sizes.left[item.ref[i]!]!);
    return left;
  }

  /** Each fork at its own place on the spine. */
  #singleForks(row: Row, pen: Pen): Placed[] {
    const { item } = this.model;
    const placed: Placed[] = [];
    let at = pen.x - this.#chunkLeft(row) - this.#rowWidth(row);
    for (let i = row.from; i < row.to; i++) {
      if (item.kind[i] !== ItemKind.Fork) {
        this.#step(i, pen);
        continue;
      }
      const child = grainRow(item.ref[i]!);
      const centreY = forkNode(pen, child, item.critical[i] === 1);
      placed.push(this.#hang(child, at, centreY, pen));
      at += this.#width(child);
    }
    return placed;
  }

  /** One fork for the whole row, below one fragment that stands for all up to the last fork. */
  #oneFork(row: Row, pen: Pen): Placed[] {
    const { item } = this.model;
    let lastFork = row.to - 1;
    while (item.kind[lastFork] !== ItemKind.Fork) lastFork--;
    let critical = false;
    for (let i = row.from; i <= lastFork; i++) {
      if (item.kind[i] === ItemKind.Chunk) this.#step(i, pen);
      critical ||= item.critical[i] === 1;
    }
    this.#sumOfFragments(row.from, lastFork, critical, pen);
    const centreY = forkNode(pen, row.children[0]!, critical);
    let at = pen.x - this.#chunkLeft(row) - this.#rowWidth(row);
    const placed = row.children.map((child) => {
      const result = this.#hang(child, at, centreY, pen, child === row.children[0]);
      at += this.#width(child);
      return result;
    });
    for (let i = lastFork + 1; i < row.to; i++) this.#step(i, pen);
    return placed;
  }

  #sumOfFragments(from: number, to: number, enteredCritical: boolean, pen: Pen): void {
    const { item, fragment } = this.model;
    let sum = 0;
    let first: number | undefined;
    let critical = false;
    for (let i = from; i <= to; i++) {
      if (item.kind[i] !== ItemKind.Fragment) continue;
      const row = item.ref[i]!;
      first ??= row;
      sum += fragment.end[row]! - fragment.start[row]!;
      critical ||= fragment.critical[row] === 1;
    }
    if (first === undefined) return;
    // Its time is the sum of many, and it is shown for completeness: it must not make the row tall.
    const height = Math.min(this.scale.height(ns(sum)), MAX_SUM_HEIGHT);
    const top = advance(pen, height, enteredCritical);
    const kind = sum * this.scale.unitsPerNs > height + 1 ? ShapeKind.CutFragment : ShapeKind.Fragment;
    pen.sink.shape(kind, pen.x, top, pen.x + SPINE, top + height, first, critical);
  }

  /** A fragment or chunk on the spine. */
  #step(i: number, pen: Pen): void {
    const { item, fragment } = this.model;
    const ref = item.ref[i]!;
    const critical = item.critical[i] === 1;
    if (item.kind[i] === ItemKind.Chunk) {
      pen.sink.place(grainRow(ref), pen.x, advance(pen, this.sizes.height[ref]!, critical));
      return;
    }
    const height = this.scale.height(ns(fragment.end[ref]! - fragment.start[ref]!));
    emitFragment(this.model, this.scale, ref, pen.x, advance(pen, height, critical), height, pen.sink);
  }

  /** Places a child whose box begins at `at` below the edge of its fork at height `y`; `drawEdge` false when another draws it. */
  #hang(child: GrainRow, at: number, y: number, pen: Pen, drawEdge = true): Placed {
    const spineX = at + this.sizes.left[child]!;
    const centre = spineX + CENTRE;
    const top = y + DROP;
    const critical = this.#entersCritical(child);
    if (drawEdge || critical) pen.sink.shape(ShapeKind.Edge, centre, y, pen.x + CENTRE, y, 0, critical);
    pen.sink.shape(ShapeKind.Edge, centre, y, centre, top, 0, critical);
    pen.sink.place(child, spineX, top);
    return { centre, bottom: top + this.sizes.height[child]!, critical: this.#leavesCritical(child) };
  }

  /** Edges from the ends of children down to a line at height `y`, and along it to `toX`. */
  #collect(children: Placed[], y: number, toX: number, kind: ShapeKind, sink: Sink): void {
    let low = toX;
    let high = toX;
    for (const { centre, bottom, critical } of children) {
      sink.shape(kind, centre, bottom, centre, y, 0, critical);
      if (critical) sink.shape(kind, Math.min(centre, toX), y, Math.max(centre, toX), y, 0, true);
      low = Math.min(low, centre);
      high = Math.max(high, centre);
    }
    sink.shape(kind, low, y, high, y, 0, false);
  }

  /** The join at height `y`, or the end of the box where the grain did not wait for its children. */
  #end(join: number | undefined, y: number, throughChild: boolean, pen: Pen): void {
    const centre = pen.x + CENTRE;
    if (join === undefined) {
      pen.sink.shape(ShapeKind.Edge, centre, pen.bottom!, centre, y, 0, false);
      pen.bottom = y;
      return;
    }
    const critical = this.model.item.critical[join] === 1;
    const top = y - NODE / 2;
    pen.sink.shape(ShapeKind.Edge, centre, pen.bottom!, centre, top, 0, critical && !throughChild);
    emitJoin(join, pen.x, top, critical || throughChild, pen.sink);
    pen.bottom = top + NODE;
  }

  #entersCritical(child: GrainRow): boolean {
    const { item, itemStart } = this.model;
    const first = itemStart[child]!;
    return first < itemStart[child + 1]! && item.critical[first] === 1;
  }

  /** Whether the last thing the child did is on the critical path. */
  #leavesCritical(child: GrainRow): boolean {
    const { item, itemStart, fragment } = this.model;
    const last = itemStart[child + 1]! - 1;
    if (last < itemStart[child]!) return false;
    if (item.kind[last] === ItemKind.Fragment) return fragment.critical[item.ref[last]!] === 1;
    return item.critical[last] === 1;
  }
}

/** Moves the pen down by a thing of this height, draws the edge to it, and returns its top. */
function advance(pen: Pen, height: number, critical: boolean): number {
  const centre = pen.x + CENTRE;
  let top = pen.floor;
  if (pen.bottom !== undefined) {
    top = Math.max(top, pen.bottom + GAP);
    pen.sink.shape(ShapeKind.Edge, centre, pen.bottom, centre, top, 0, critical);
  }
  pen.bottom = top + height;
  return top;
}

/** A fork node; returns the height of its middle, where the edge to the child starts. */
function forkNode(pen: Pen, child: GrainRow, critical: boolean): number {
  const top = advance(pen, NODE, critical);
  const left = pen.x + (SPINE - NODE) / 2;
  pen.sink.shape(ShapeKind.Fork, left, top, left + NODE, top + NODE, child, critical);
  return top + NODE / 2;
}

/** Leads the lines of all rows but the last down the channel and to the join. */
function drain(
  rows: { y: number; critical: boolean }[],
  channel: number,
  joinY: number,
  toX: number,
  kind: ShapeKind,
  sink: Sink,
): void {
  sink.shape(kind, channel, rows[0]!.y, channel, joinY, 0, false);
  sink.shape(kind, channel, joinY, toX, joinY, 0, false);
  const firstCritical = rows.find((row) => row.critical);
  if (!firstCritical) return;
  sink.shape(kind, channel, firstCritical.y, channel, joinY, 0, true);
  sink.shape(kind, channel, joinY, toX, joinY, 0, true);
}
