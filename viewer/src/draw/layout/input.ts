// SPDX-License-Identifier: Apache-2.0
// The input of a layout: only the tables of the model that the layout reads. So no other tables
// have to be copied to the worker that makes the layout.
import { type GrainRow, grainRow } from '../../model/ids';
import { type Fragments, GrainKind, type Grains, type Items, type Part } from '../../model/model';
import type { Tree } from '../../model/tree';

export interface Drawn {
  grain: Pick<Grains, 'kind' | 'work' | 'start' | 'end' | 'flags'>;
  fragment: Pick<Fragments, 'start' | 'end' | 'critical'>;
  item: Items;
  itemStart: Uint32Array;
}

export interface LayoutInput {
  drawn: Drawn;
  tree: Tree;
  /** 1 for each group that is closed, so that it is drawn as one shape. */
  closed: Uint8Array;
  /** The height of a nanosecond. Opening a group does not change it. */
  unitsPerNs: number;
}

/** `isOpen` is asked for the rows of groups only. */
export function inputOf(model: Part, tree: Tree, unitsPerNs: number, isOpen: (row: GrainRow) => boolean): LayoutInput {
  const { kind, work, start, end, flags } = model.grain;
  const { critical } = model.fragment;
  return {
    drawn: {
      grain: { kind, work, start, end, flags },
      fragment: { start: model.fragment.start, end: model.fragment.end, critical },
      item: model.item,
      itemStart: model.itemStart,
    },
    tree: { ...tree },
    closed: kind.map((one, row) => (one === GrainKind.Group && !isOpen(grainRow(row)) ? 1 : 0)),
    unitsPerNs,
  };
}
