// SPDX-License-Identifier: Apache-2.0
// Where in the model the grain of a number is: in a row of its own, or folded into a group. Numbers
// go by the order of the program, so every group has those from its own on.
import { type GrainNumber, type GrainRow, grainRow } from './ids';
import { GrainKind, type Model } from './model';

/** The row of a grain, and whether it is the grain alone; else it is the innermost group that holds it. */
export interface Found {
  row: GrainRow;
  alone: boolean;
}

export function findNumber({ grain }: Model, number: GrainNumber): Found | undefined {
  let found: Found | undefined;
  for (let row = grainRow(0); row < grain.kind.length; row++) {
    const first = grain.number[row]!;
    if (grain.kind[row] !== GrainKind.Group) {
      if (first === number) return { row, alone: true };
    } else if (number >= first && number < first + grain.count[row]!) {
      if (!found || grain.count[row]! <= grain.count[found.row]!) found = { row, alone: false };
    }
  }
  return found;
}

/** Rows of the grains that stand alone, by number. */
export class NumberRows {
  #rows = new Map<GrainNumber, GrainRow>();
  #known = grainRow(0);

  constructor(readonly model: Model) {}

  of(number: GrainNumber): GrainRow | undefined {
    const { kind, number: numbers } = this.model.grain;
    // Rows are only added.
    for (; this.#known < kind.length; this.#known++)
      if (kind[this.#known] !== GrainKind.Group) this.#rows.set(numbers[this.#known]!, this.#known);
    return this.#rows.get(number);
  }
}
