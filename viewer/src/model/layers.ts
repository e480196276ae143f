// SPDX-License-Identifier: Apache-2.0
// The dependence graph of some grains in layers: each grain is one layer after the last grain on
// which it depends. So a chain is drawn as a line, and a wavefront as a diamond. Within a layer, a
// grain is near the grains to which edges lead.
import type { GrainRow } from './ids';
import type { Model } from './model';

export interface Layers {
  /**
   * The rows of the grains; for each, its layer (from 0) and its place in the layer, relative to
   * the layer's middle.
   */
  grains: GrainRow[];
  layer: number[];
  place: number[];
  /** Each edge as two indices into `grains`. */
  edges: [number, number][];
  layers: number;
  /** Grains in the fullest layer. */
  widest: number;
}

/** The most grains that a drawing can tell apart. */
export const MOST_NODES = 2_000;
const SWEEPS = 6;

/**
 * Returns the layers of the wanted grains that have a dependence, or undefined if there are more
 * than MOST_NODES.
 */
export function layersOf(model: Model, wanted: (grain: GrainRow) => boolean): Layers | undefined {
  const number = new Map<GrainRow, number>();
  const edges: [number, number][] = [];
  const { from, to } = model.edge;
  for (let edge = 0; edge < from.length; edge++) {
    if (!wanted(from[edge]!) || !wanted(to[edge]!)) continue;
    for (const grain of [from[edge]!, to[edge]!]) if (!number.has(grain)) number.set(grain, number.size);
    if (number.size > MOST_NODES) return undefined;
    edges.push([number.get(from[edge]!)!, number.get(to[edge]!)!]);
  }
  const grains = [...number.keys()];
  const layer = layering(grains.length, edges);
  const layers = layer.reduce((most, one) => Math.max(most, one + 1), 0);
  const { place, widest } = places(model, grains, edges, layer, layers);
  return { grains, layer, place, edges, layers, widest };
}

/** Returns the grains nearest to `grain` by steps over dependences, at most `most` of them. */
export function neighbourhood({ edge }: Model, grain: GrainRow, most: number): Set<GrainRow> {
  const near = new Map<GrainRow, GrainRow[]>();
  const join = (a: GrainRow, b: GrainRow) => {
    const known = near.get(a);
    if (known) known.push(b);
    else near.set(a, [b]);
  };
  for (let e = 0; e < edge.from.length; e++) {
    join(edge.from[e]!, edge.to[e]!);
    join(edge.to[e]!, edge.from[e]!);
  }
  const found = new Set([grain]);
  for (const next of found) {
    for (const other of near.get(next) ?? []) {
      if (found.size >= most) return found;
      found.add(other);
    }
  }
  return found;
}

/**
 * Returns for each node the length of the longest path to it. Nodes on a circle get no layer behind
 * each other; a recording of a run has no circle.
 */
function layering(nodes: number, edges: readonly [number, number][]): number[] {
  const layer = new Array<number>(nodes).fill(0);
  const before = new Array<number>(nodes).fill(0);
  const after: number[][] = Array.from({ length: nodes }, () => []);
  for (const [from, to] of edges) {
    after[from]!.push(to);
    before[to]!++;
  }
  const ready = [...before.keys()].filter((node) => before[node] === 0);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const next of after[node]!) {
      layer[next] = Math.max(layer[next]!, layer[node]! + 1);
      if (--before[next]! === 0) ready.push(next);
    }
  }
  return layer;
}

function places(
  model: Model,
  grains: GrainRow[],
  edges: readonly [number, number][],
  layer: number[],
  layers: number,
): { place: number[]; widest: number } {
  const rows: number[][] = Array.from({ length: layers }, () => []);
  for (const node of grains.keys()) rows[layer[node]!]!.push(node);
  const joined: number[][] = grains.map(() => []);
  for (const [from, to] of edges) {
    joined[from]!.push(to);
    joined[to]!.push(from);
  }
  const { create } = model.grain;
  for (const row of rows) row.sort((a, b) => create[grains[a]!]! - create[grains[b]!]! || a - b);
  // Places from the middle of the layer, so that short layers stand in the middle of long ones.
  const at = new Array<number>(grains.length).fill(0);
  const settle = (row: number[]) => {
    for (const [i, node] of row.entries()) at[node] = i - (row.length - 1) / 2;
  };
  for (const row of rows) settle(row);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const row of sweep % 2 === 0 ? rows : [...rows].reverse()) {
      const wish = new Map(row.map((node) => [node, mean(joined[node]!.map((other) => at[other]!))]));
      row.sort((a, b) => wish.get(a)! - wish.get(b)! || at[a]! - at[b]!);
      settle(row);
    }
  }
  return { place: at, widest: rows.reduce((most, row) => Math.max(most, row.length), 0) };
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
