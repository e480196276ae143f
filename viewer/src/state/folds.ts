// SPDX-License-Identifier: Apache-2.0
// Which groups are open, and the way to grains that are folded into one. What a group holds is
// asked for when it is first opened, and kept when it is closed.
import type { Result } from '../base/result';
import { Signal } from '../base/signal';
import { grow } from '../model/grow';
import { type GrainNumber, type GrainRow, NONE } from '../model/ids';
import { GrainKind, ItemKind, type Model, type Part } from '../model/model';
import { findNumber } from '../model/numbers';

/** Asks for a group, opened. */
export type AskForPart = (first: GrainNumber, count: number, grain?: GrainNumber) => Promise<Result<Part>>;

export interface Reached {
  row: GrainRow;
  /** Comes true when it is laid out. */
  arranged: Promise<void>;
}

/** Rows in open groups beyond which those that were opened first are closed. */
const MOST_ROWS = 150_000;

export class Folds {
  /** The group that was opened or closed last; a new object each time. */
  readonly changed = new Signal<{ group: GrainRow } | undefined>(undefined);
  /** Why something could not be opened. */
  readonly problem = new Signal<string | undefined>(undefined);
  /** Groups, in the order in which they were opened. */
  readonly #open = new Set<GrainRow>();
  /** Of each group that was asked for: the rows that came with it. */
  readonly #rows = new Map<GrainRow, number>();
  /** Waits until what is open is laid out. */
  arranged: () => Promise<void> = () => Promise.resolve();

  constructor(
    readonly model: Model,
    /** undefined: nothing can be asked for. */
    readonly ask: AskForPart | undefined,
    /** Called when the model has grown. */
    readonly grown: () => void,
  ) {}

  isOpen(row: GrainRow): boolean {
    return this.#open.has(row);
  }

  isGroup(row: GrainRow): boolean {
    return this.model.grain.kind[row] === GrainKind.Group;
  }

  /** Whether it is in a group that is closed. */
  isHidden(row: GrainRow): boolean {
    for (let above = this.model.grain.parent[row]!; above !== NONE; above = this.model.grain.parent[above]!)
      if (this.isGroup(above) && !this.isOpen(above)) return true;
    return false;
  }

  /** Whether it is a group that can be opened. */
  canOpen(row: GrainRow): boolean {
    return this.isGroup(row) && !this.isOpen(row) && (this.ask !== undefined || this.#isKnown(row));
  }

  async open(row: GrainRow): Promise<void> {
    if (!this.canOpen(row)) return;
    if (!this.#isKnown(row) && !(await this.#fetch(row))) return;
    this.#open.add(row);
    this.#closeOldest(row);
    await this.#change(row);
  }

  async close(row: GrainRow): Promise<void> {
    if (this.#open.delete(row)) await this.#change(row);
  }

  /** The row of the grain of a number, with all groups around it open; of the group that holds it, where that cannot be opened. */
  async reach(number: GrainNumber): Promise<Reached | undefined> {
    let opened: GrainRow | undefined;
    for (;;) {
      const found = findNumber(this.model, number);
      if (!found) return undefined;
      opened = this.#openAround(found.row) ?? opened;
      if (found.alone || !this.ask || !(await this.#fetch(found.row, number))) {
        return { row: found.row, arranged: opened === undefined ? Promise.resolve() : this.#change(opened) };
      }
      this.#open.add(found.row);
      this.#closeOldest(found.row);
      opened = found.row;
    }
  }

  /** Opens the groups that a row is in, as far as they are known; returns the outermost that was closed. */
  #openAround(row: GrainRow): GrainRow | undefined {
    let outermost: GrainRow | undefined;
    for (let above = this.model.grain.parent[row]!; above !== NONE; above = this.model.grain.parent[above]!) {
      if (!this.isGroup(above) || this.isOpen(above)) continue;
      this.#open.add(above);
      outermost = above;
    }
    return outermost;
  }

  #isKnown(row: GrainRow): boolean {
    const { item, itemStart } = this.model;
    for (let i = itemStart[row]!; i < itemStart[row + 1]!; i++)
      if (item.kind[i] === ItemKind.Fork || item.kind[i] === ItemKind.Chunk) return true;
    return false;
  }

  async #fetch(row: GrainRow, grain?: GrainNumber): Promise<boolean> {
    const { number, count } = this.model.grain;
    const part = await this.ask!(number[row]!, count[row]!, grain);
    this.problem.set(part.ok ? undefined : part.error);
    if (!part.ok) return false;
    if (!this.#isKnown(row)) {
      // Else it was asked for twice.
      grow(this.model, row, part.value);
      this.#rows.set(row, part.value.grain.kind.length);
      this.grown();
    }
    return true;
  }

  /** Rows that are drawn take time with each step of the view. */
  #closeOldest(except: GrainRow): void {
    const { parent } = this.model.grain;
    const around = new Set<GrainRow>();
    for (let row = except; row !== NONE; row = parent[row]!) around.add(row);
    let rows = 0;
    for (const group of this.#open) rows += this.#rows.get(group) ?? 0;
    for (const group of this.#open) {
      if (rows <= MOST_ROWS) return;
      if (around.has(group)) continue;
      rows -= this.#rows.get(group) ?? 0;
      this.#open.delete(group);
    }
  }

  async #change(group: GrainRow): Promise<void> {
    this.changed.set({ group });
    await this.arranged();
  }
}
