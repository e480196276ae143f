// SPDX-License-Identifier: Apache-2.0
// A layout in the form in which the worker sends it to the page: without the input, which the page
// still has, and in plain columns, which are transferred instead of copied.
import type { LayoutInput } from './input';
import type { GraphLayout } from './layout';
import { TimeScale } from './measures';
import { type ShapeColumns, ShapeTable } from './shapes';

export type Sent = Pick<GraphLayout, 'boxes' | 'shapeStart' | 'bounds'> & { shapes: ShapeColumns };

export function sent({ boxes, shapeStart, bounds, shapes }: GraphLayout): Sent {
  return { boxes, shapeStart, bounds, shapes: shapes.columns() };
}

export function buffersOf({ boxes, shapeStart, shapes }: Sent): ArrayBuffer[] {
  const columns = [boxes, shapeStart, shapes.kind, shapes.critical, shapes.ref, shapes.bounds];
  return columns.map(({ buffer }) => buffer as ArrayBuffer);
}

export function received({ tree, closed, unitsPerNs }: LayoutInput, sent: Sent): GraphLayout {
  return { ...sent, tree, closed, shapes: ShapeTable.from(sent.shapes), scale: new TimeScale(unitsPerNs) };
}
