// SPDX-License-Identifier: Apache-2.0
// The positions of the nodes in the flame view. A node lies below the node that created or called
// it. Its width is the sum of its own time and the time of all nodes below it. Of siblings, the
// widest is at the left.
import type { NsColumn } from '../base/time';
import { NONE } from './ids';

/** A node comes after the node above it. */
interface Nodes {
  parent: Uint32Array;
  total_ns: NsColumn;
}

export interface Icicle {
  /** Left edge and width of each node, as shares of the width of the view. */
  x: Float64Array;
  width: Float64Array;
  depth: Uint32Array;
  depths: number;
  children: number[][];
  roots: number[];
}

export function icicleOf({ parent, total_ns }: Nodes): Icicle {
  const nodes = parent.length;
  const icicle: Icicle = {
    x: new Float64Array(nodes),
    width: new Float64Array(nodes),
    depth: new Uint32Array(nodes),
    depths: 0,
    children: Array.from({ length: nodes }, () => []),
    roots: [],
  };
  for (let node = 0; node < nodes; node++) {
    const above = parent[node]!;
    (above === NONE ? icicle.roots : icicle.children[above]!).push(node);
  }
  const all = icicle.roots.reduce((sum, root) => sum + total_ns[root]!, 0) || 1;
  const place = (siblings: number[], from: number) => {
    siblings.sort((a, b) => total_ns[b]! - total_ns[a]! || a - b);
    let x = from;
    for (const node of siblings) {
      icicle.x[node] = x;
      icicle.width[node] = total_ns[node]! / all;
      x += icicle.width[node]!;
    }
  };
  place(icicle.roots, 0);
  // In the table a node comes after the node above it, whose place is known by then.
  for (let node = 0; node < nodes; node++) {
    const above = parent[node]!;
    icicle.depth[node] = above === NONE ? 0 : icicle.depth[above]! + 1;
    icicle.depths = Math.max(icicle.depths, icicle.depth[node]! + 1);
    place(icicle.children[node]!, icicle.x[node]!);
  }
  return icicle;
}

/** The nodes from the root down to `node`. */
export function pathTo({ parent }: Pick<Nodes, 'parent'>, node: number): number[] {
  const path = [node];
  for (let above = parent[node]!; above !== NONE; above = parent[above]!) path.unshift(above);
  return path;
}
