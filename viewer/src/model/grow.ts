// SPDX-License-Identifier: Apache-2.0
// Puts the grains of an opened group into the model. Existing rows keep their numbers. The rows of
// the group's grains are appended, and the group's row gets the items that begin these grains.
import { type GrainRow, grainRow } from './ids';
import type { Model, Part } from './model';

type Column = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

/** `part`: its first row is the group, which is the row `group` of the model. */
export function grow(model: Model, group: GrainRow, part: Part): void {
  const grains = model.grain.kind.length;
  const fragments = model.fragment.grain.length;
  // Rows of the part to rows of the model.
  const rowOf = (row: number): GrainRow => (row === 0 ? group : grainRow(grains + row - 1));

  const added = mapColumns(part.grain, (column) => column.slice(1));
  for (let row = 0; row < added.parent.length; row++) added.parent[row] = rowOf(added.parent[row]!);
  const fragment = { ...part.fragment, grain: part.fragment.grain.map(rowOf) };
  const edge = { from: part.edge.from.map(rowOf), to: part.edge.to.map(rowOf) };
  const item = { ...part.item, ref: part.item.ref.slice() };
  for (let i = 0; i < item.ref.length; i++) {
    if (item.kind[i] === 0) item.ref[i]! += fragments;
    else if (item.kind[i] !== 2) item.ref[i] = rowOf(item.ref[i]!);
  }

  const old = { from: model.itemStart[group]!, to: model.itemStart[group + 1]! };
  const own = part.itemStart[1]!;
  model.item = mapColumns(model.item, (column, name) => {
    const more = item[name];
    return concat(column, [
      column.subarray(0, old.from),
      more.subarray(0, own),
      column.subarray(old.to),
      more.subarray(own),
    ]);
  });
  const shift = own - (old.to - old.from);
  const before = model.itemStart.length - 1;
  const starts = new Uint32Array(before + part.itemStart.length - 1);
  for (let g = 0; g <= before; g++) starts[g] = model.itemStart[g]! + (g > group ? shift : 0);
  const last = starts[before]!;
  for (let row = 1; row < part.itemStart.length; row++) starts[before + row - 1] = last + part.itemStart[row]! - own;
  model.itemStart = starts;

  model.grain = mapColumns(model.grain, (column, name) => concat(column, [column, added[name]]));
  model.counts = model.counts.map(
    (column, at) => concat(column, [column, part.counts[at]!.subarray(1)]) as Float64Array,
  );
  model.fragment = mapColumns(model.fragment, (column, name) => concat(column, [column, fragment[name]]));
  model.edge = mapColumns(model.edge, (column, name) => concat(column, [column, edge[name]]));
}

function mapColumns<T extends object>(table: T, change: (column: Column, name: keyof T) => Column): T {
  const changed: Partial<Record<keyof T, Column>> = {};
  for (const name of Object.keys(table) as (keyof T)[]) changed[name] = change(table[name] as Column, name);
  return changed as T;
}

/** A column of the same type with these pieces. */
function concat(like: Column, pieces: readonly object[]): Column {
  const length = pieces.reduce((sum, piece) => sum + (piece as Column).length, 0);
  const result = new (like.constructor as new (length: number) => Column)(length);
  let at = 0;
  for (const piece of pieces as Column[]) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
}
