// SPDX-License-Identifier: Apache-2.0
// What a layout is made of: those tables of the model that it reads, so that no others need to be
// copied to the worker that makes it.
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
  /** Of each grain: 1 for a group that is drawn as one thing. */
  closed: Uint8Array;
  /** Height of a nanosecond; the same before and after a group is opened. */
  unitsPerNs: number;
}

/** `isOpen`: of a row, which is a group. */
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
