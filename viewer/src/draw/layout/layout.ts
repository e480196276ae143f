// SPDX-License-Identifier: Apache-2.0
// Lays out the grain graph in two passes over the tree, both linear and without recursion. The
// first pass computes sizes, from the leaves up. The second pass computes positions and shapes,
// from the roots down.
//
// Boxes nest: a grain's box contains its shapes and its children's boxes, and boxes of unrelated
// grains do not overlap. Edges are horizontal or vertical and cross nothing.
import type { Box } from '../../base/viewport';
import { type GrainRow, grainRows } from '../../model/ids';
import type { Tree } from '../../model/tree';
import { Arranger } from './arrange';
import type { Sizes } from './emit';
import type { LayoutInput } from './input';
import { GAP_X, SPINE, TimeScale } from './measures';
import { type ShapeKind, ShapeTable, type Sink } from './shapes';
import { breakLines } from './wrap';

export interface GraphLayout {
  /** The tree of which this is the layout. */
  tree: Tree;
  /** 1 for each group that is closed; the grains below it are not drawn. */
  closed: Uint8Array;
  /** x0, y0, x1, y1 of each grain's box. A grain that is not drawn has the box of its group. */
  boxes: Float64Array;
  shapes: ShapeTable;
  /** The grain at position p of the tree's order owns the shapes shapeStart[p] up to shapeStart[p + 1]. */
  shapeStart: Uint32Array;
  bounds: Box;
  scale: TimeScale;
}

const ROOT_GAP = 3 * GAP_X;

/** Returns the layout of no grains. */
export function emptyLayout(): GraphLayout {
  const none = grainRows(new Uint32Array(0));
  return {
    tree: { roots: [], owner: none, order: none, position: none, subtreeEnd: none, childCount: none },
    closed: new Uint8Array(0),
    boxes: new Float64Array(0),
    shapes: new ShapeTable(),
    shapeStart: new Uint32Array(1),
    bounds: { x0: 0, y0: 0, x1: 0, y1: 0 },
    scale: new TimeScale(1),
  };
}

export function layOut({ drawn, tree, closed, unitsPerNs }: LayoutInput): GraphLayout {
  const grains = tree.order.length;
  const sizes: Sizes = { height: new Float64Array(grains), left: new Float64Array(grains) };
  const scale = new TimeScale(unitsPerNs);
  const arranger = new Arranger(drawn, sizes, scale, closed);
  const isDrawn = drawnPositions(tree, closed);
  for (let p = grains - 1; p >= 0; p--) if (isDrawn[p]) arranger.measure(tree.order[p]!);

  const layout: GraphLayout = {
    ...emptyLayout(),
    tree,
    closed,
    boxes: new Float64Array(grains * 4),
    shapeStart: new Uint32Array(grains + 1),
    scale,
  };
  const placer = new Placer(layout, sizes);
  placeRoots(tree.roots, sizes, placer);
  for (let p = 0; p < grains; p++) {
    const grain = tree.order[p]!;
    layout.shapeStart[p] = layout.shapes.count;
    const at = grain * 4;
    if (isDrawn[p]) arranger.emit(grain, layout.boxes[at + 2]! - SPINE, layout.boxes[at + 1]!, placer);
    else {
      const owner = tree.owner[grain]! * 4;
      layout.boxes.copyWithin(at, owner, owner + 4);
    }
  }
  layout.shapeStart[grains] = layout.shapes.count;
  return layout;
}

/**
 * Returns for each position in the tree's order whether the grain is drawn: 0 below a closed group.
 */
function drawnPositions(tree: Tree, closed: Uint8Array): Uint8Array {
  const drawn = new Uint8Array(tree.order.length).fill(1);
  for (let p = 0; p < drawn.length; p++) {
    const grain = tree.order[p]!;
    if (!closed[grain]) continue;
    drawn.fill(0, p + 1, tree.subtreeEnd[grain]);
    p = tree.subtreeEnd[grain]! - 1;
  }
  return drawn;
}

class Placer implements Sink {
  constructor(
    readonly layout: GraphLayout,
    readonly sizes: Sizes,
  ) {}

  shape(kind: ShapeKind, x0: number, y0: number, x1: number, y1: number, ref: number, critical: boolean): void {
    this.layout.shapes.add(kind, x0, y0, x1, y1, ref, critical);
  }

  place(grain: GrainRow, spineX: number, top: number): void {
    const { boxes } = this.layout;
    boxes[grain * 4] = spineX - this.sizes.left[grain]!;
    boxes[grain * 4 + 1] = top;
    boxes[grain * 4 + 2] = spineX + SPINE;
    boxes[grain * 4 + 3] = top + this.sizes.height[grain]!;
  }
}

/** Roots stand side by side; usually there is one. */
function placeRoots(roots: readonly GrainRow[], sizes: Sizes, placer: Placer): void {
  const extents = roots.map((root) => ({
    along: sizes.left[root]! + SPINE + ROOT_GAP,
    across: sizes.height[root]! + ROOT_GAP,
  }));
  const starts = breakLines(extents, 'rows');
  const { bounds } = placer.layout;
  let top = 0;
  for (const [line, start] of starts.entries()) {
    let x = 0;
    let bottom = top;
    for (let r = start; r < (starts[line + 1] ?? roots.length); r++) {
      placer.place(roots[r]!, x + sizes.left[roots[r]!]!, top);
      x += extents[r]!.along;
      bottom = Math.max(bottom, top + extents[r]!.across);
    }
    bounds.x1 = Math.max(bounds.x1, x - ROOT_GAP);
    bounds.y1 = Math.max(bounds.y1, bottom - ROOT_GAP);
    top = bottom;
  }
}
