// SPDX-License-Identifier: Apache-2.0
// Finds the grain of a number in the model: the grain has a row of its own, or is folded into a
// group. Numbers follow the order of the program, so a group holds its own number and the numbers
// that follow, as many as its count.
import { type GrainNumber, type GrainRow, grainRow } from './ids';
import { GrainKind, type Model } from './model';

/**
 * `row`: the row of a grain, or of the innermost group that holds the grain. `alone`: true for a
 * grain's own row.
 */
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

/** Finds the rows of grains that have a row of their own, by their numbers. */
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
