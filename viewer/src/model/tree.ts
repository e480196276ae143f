// SPDX-License-Identifier: Apache-2.0
// The tree of grains, which follows from the items: a grain's children are what it forks and the
// chunks that it runs, in program order. A grain that no item refers to is a root. Everything here
// is iterative, since a recursion of 100,000 grains would overflow the stack.
import { type GrainRow, type GrainRows, grainRow, grainRows, NONE } from './ids';
import { Flag, ItemKind, type Model } from './model';
import { severityOf } from './severity';

export interface Tree {
  roots: GrainRow[];
  /** For each grain, the grain whose items refer to it, or NONE. */
  owner: GrainRows;
  /** All grains, parents before children; each subtree is contiguous. */
  order: GrainRows;
  /** For each grain, its position in `order`, and the position behind the end of its subtree. */
  position: Uint32Array;
  subtreeEnd: Uint32Array;
  childCount: Uint32Array;
}

export function buildTree(model: Model): Tree {
  const { item, itemStart } = model;
  const grains = model.grain.kind.length;
  const tree: Tree = {
    roots: [],
    owner: grainRows(new Uint32Array(grains).fill(NONE)),
    order: grainRows(new Uint32Array(grains)),
    position: new Uint32Array(grains),
    subtreeEnd: new Uint32Array(grains),
    childCount: new Uint32Array(grains),
  };
  // Children of a grain as a linked list in item order: first child, next sibling.
  const first = grainRows(new Uint32Array(grains).fill(NONE));
  const next = grainRows(new Uint32Array(grains).fill(NONE));
  for (let g = grainRow(0); g < grains; g++) {
    for (let i = itemStart[g + 1]! - 1; i >= itemStart[g]!; i--) {
      if (item.kind[i] !== ItemKind.Fork && item.kind[i] !== ItemKind.Chunk) continue;
      const child = grainRow(item.ref[i]!);
      tree.owner[child] = g;
      tree.childCount[g]!++;
      next[child] = first[g]!;
      first[g] = child;
    }
  }
  for (let g = grainRow(0); g < grains; g++) if (tree.owner[g] === NONE) tree.roots.push(g);
  walk(tree, first, next);
  return tree;
}

function walk(tree: Tree, first: GrainRows, next: GrainRows): void {
  let position = 0;
  for (const root of tree.roots) {
    let grain = root;
    for (;;) {
      tree.order[position] = grain;
      tree.position[grain] = position++;
      if (first[grain] !== NONE) {
        grain = first[grain]!;
        continue;
      }
      while (grain !== root && next[grain] === NONE) {
        tree.subtreeEnd[grain] = position;
        grain = tree.owner[grain]!;
      }
      tree.subtreeEnd[grain] = position;
      if (grain === root) break;
      grain = next[grain]!;
    }
  }
}

export interface Subtrees {
  /** Whether any grain of the subtree is on the critical path. */
  critical: Uint8Array;
  /**
   * The mean severity of the low-benefit grains of the subtree, if these are at least half of its
   * grains; else 0.
   */
  severity: Float32Array;
}

/** Sums up each subtree, for boxes whose parts are too small to be drawn. */
export function summarise(model: Model, tree: Tree): Subtrees {
  const grains = tree.order.length;
  const critical = new Uint8Array(grains);
  const severity = new Float32Array(grains);
  const low = new Uint32Array(grains);
  const sum = new Float64Array(grains);
  for (let p = grains - 1; p >= 0; p--) {
    const g = tree.order[p]!;
    const own = severityOf(model, g);
    if (own > 0) low[g]!++;
    sum[g]! += own;
    if (model.grain.flags[g]! & Flag.Critical) critical[g] = 1;
    const all = tree.subtreeEnd[g]! - p;
    if (low[g]! * 2 >= all) severity[g] = sum[g]! / low[g]!;
    const owner = tree.owner[g]!;
    if (owner === NONE) continue;
    low[owner]! += low[g]!;
    sum[owner]! += sum[g]!;
    critical[owner]! |= critical[g]!;
  }
  return { critical, severity };
}
