// SPDX-License-Identifier: Apache-2.0
// What a layout produces: boxes of grains, and the shapes inside them, in world coordinates.
import type { Box } from '../../base/viewport';
import type { GrainRow } from '../../model/ids';

export enum ShapeKind {
  /** A fragment (ref: its row), or several drawn as one (ref: the first). */
  Fragment = 0,
  /** A fragment drawn shorter than its time. */
  CutFragment = 1,
  /** A grain of which no fragment was recorded (ref: the grain). */
  Body = 2,
  /** A group that is not opened (ref: the group). */
  Group = 3,
  /** A fork (ref: the child; the first of them where it stands for several). */
  Fork = 4,
  /** A join (ref: the row of item). */
  Join = 5,
  /** A horizontal or vertical line of no width. */
  Edge = 6,
  /** An edge from a child that its parent did not wait for. */
  LooseEdge = 7,
}

/** Returns true for the shapes that stand for the time of a grain. */
export const isBody = (kind: ShapeKind): boolean => kind <= ShapeKind.Group;

export const isEdge = (kind: ShapeKind): boolean => kind >= ShapeKind.Edge;

/** Receives what a grain consists of. A box is given by the upper left corner of its spine. */
export interface Sink {
  shape(kind: ShapeKind, x0: number, y0: number, x1: number, y1: number, ref: number, critical: boolean): void;
  place(grain: GrainRow, spineX: number, top: number): void;
}

/** A sink that keeps nothing, for measuring. */
export const NO_SINK: Sink = { shape() {}, place() {} };

export type ShapeColumns = Pick<ShapeTable, 'count' | 'kind' | 'critical' | 'ref' | 'bounds'>;

/** Growing columns of shapes. */
export class ShapeTable {
  count = 0;
  kind = new Uint8Array(1024);
  critical = new Uint8Array(1024);
  ref = new Uint32Array(1024);
  /** x0, y0, x1, y1 of each shape. */
  bounds = new Float64Array(4096);

  /** Makes a table of columns that came from a worker. */
  static from(columns: ShapeColumns): ShapeTable {
    return Object.assign(new ShapeTable(), columns);
  }

  /** Returns copies of the columns without unused rows. */
  columns(): ShapeColumns {
    const { count } = this;
    const { kind, critical, ref, bounds } = this;
    return {
      count,
      kind: kind.slice(0, count),
      critical: critical.slice(0, count),
      ref: ref.slice(0, count),
      bounds: bounds.slice(0, count * 4),
    };
  }

  add(kind: ShapeKind, x0: number, y0: number, x1: number, y1: number, ref: number, critical: boolean): void {
    const row = this.count++;
    if (row === this.kind.length) this.#grow();
    this.kind[row] = kind;
    this.critical[row] = critical ? 1 : 0;
    this.ref[row] = ref;
    const at = row * 4;
    this.bounds[at] = x0;
    this.bounds[at + 1] = y0;
    this.bounds[at + 2] = x1;
    this.bounds[at + 3] = y1;
  }

  /** Whether there is any shape of a kind. */
  has(kind: ShapeKind): boolean {
    return this.kind.subarray(0, this.count).includes(kind);
  }

  box(row: number): Box {
    const [x0, y0, x1, y1] = this.bounds.subarray(row * 4, row * 4 + 4);
    return { x0: x0!, y0: y0!, x1: x1!, y1: y1! };
  }

  #grow(): void {
    const size = this.kind.length * 2;
    this.kind = copyInto(new Uint8Array(size), this.kind);
    this.critical = copyInto(new Uint8Array(size), this.critical);
    this.ref = copyInto(new Uint32Array(size), this.ref);
    this.bounds = copyInto(new Float64Array(size * 4), this.bounds);
  }
}

function copyInto<A extends Uint8Array | Uint32Array | Float64Array>(to: A, from: A): A {
  to.set(from);
  return to;
}
