// SPDX-License-Identifier: Apache-2.0
// Functions that the layouts of grains and groups share: extents, and the nodes on a spine.
import { ns } from '../../base/time';
import type { Drawn } from './input';
import { NODE, SPINE, type TimeScale } from './measures';
import { ShapeKind, type Sink } from './shapes';

/** Extents of grains: height of the box, and how far it reaches left of its spine. */
export interface Sizes {
  height: Float64Array;
  left: Float64Array;
}

export function emitFragment(
  model: Drawn,
  scale: TimeScale,
  row: number,
  x: number,
  y: number,
  height: number,
  sink: Sink,
): void {
  const { fragment } = model;
  const cut = scale.isCut(ns(fragment.end[row]! - fragment.start[row]!));
  const kind = cut ? ShapeKind.CutFragment : ShapeKind.Fragment;
  sink.shape(kind, x, y, x + SPINE, y + height, row, fragment.critical[row] === 1);
}

/** A join node whose top is at y, in the middle of the spine at x. */
export function emitJoin(item: number, x: number, y: number, critical: boolean, sink: Sink): void {
  const left = x + (SPINE - NODE) / 2;
  sink.shape(ShapeKind.Join, left, y, left + NODE, y + NODE, item, critical);
}
