// SPDX-License-Identifier: Apache-2.0
// Finds the grain at a point of the graph. Boxes nest and siblings do not overlap, so on each level
// at most one box contains the point.
import { type GrainRow, grainRow } from '../model/ids';
import type { GraphLayout } from './layout/layout';
import { isEdge, ShapeKind } from './layout/shapes';

/** The grain at (x, y); what is smaller than `smallest` counts as one, as it is drawn. */
export function grainAt(layout: GraphLayout, x: number, y: number, smallest: number): GrainRow | undefined {
  const { boxes, closed, tree } = layout;
  const inside = (g: number) => {
    const at = g * 4;
    return x >= boxes[at]! && x <= boxes[at + 2]! && y >= boxes[at + 1]! && y <= boxes[at + 3]!;
  };
  let deepest: GrainRow | undefined;
  let end = tree.order.length;
  for (let p = 0; p < end; ) {
    const g = tree.order[p]!;
    if (!inside(g)) {
      p = tree.subtreeEnd[g]!;
      continue;
    }
    deepest = g;
    end = tree.subtreeEnd[g]!;
    const width = boxes[g * 4 + 2]! - boxes[g * 4]!;
    const height = boxes[g * 4 + 3]! - boxes[g * 4 + 1]!;
    if (closed[g] || (width < smallest && height < smallest)) return g;
    p++;
  }
  return deepest === undefined ? undefined : shapeAt(layout, deepest, x, y, smallest);
}

/** A fork stands for its child, any other node for its grain; beside them, nothing is hit. */
function shapeAt(
  { shapes, shapeStart, tree }: GraphLayout,
  grain: GrainRow,
  x: number,
  y: number,
  smallest: number,
): GrainRow | undefined {
  const p = tree.position[grain]!;
  // A spine thinner than a pixel is drawn as wide as one.
  const slack = smallest / 3;
  for (let s = shapeStart[p]!; s < shapeStart[p + 1]!; s++) {
    if (isEdge(shapes.kind[s]!)) continue;
    const at = s * 4;
    const { bounds } = shapes;
    if (x < bounds[at]! - slack || x > bounds[at + 2]! + slack) continue;
    if (y < bounds[at + 1]! || y > bounds[at + 3]!) continue;
    return shapes.kind[s] === ShapeKind.Fork ? grainRow(shapes.ref[s]!) : grain;
  }
  return undefined;
}
