// SPDX-License-Identifier: Apache-2.0
// The open groups of the graph, and which groups to open to show a grain that is folded into a
// group. The grains of a group are fetched when the group is first opened, and stay in the model
// when it is closed.
import type { Result } from '../base/result';
import { Signal } from '../base/signal';
import { grow } from '../model/grow';
import { type GrainNumber, type GrainRow, NONE } from '../model/ids';
import { GrainKind, ItemKind, type Model, type Part } from '../model/model';
import { findNumber } from '../model/numbers';

/** Fetches the grains of a group. `grain`: a grain that must be among the rows of the answer. */
export type AskForPart = (first: GrainNumber, count: number, grain?: GrainNumber) => Promise<Result<Part>>;

export interface Reached {
  row: GrainRow;
  /** Resolves when the layout with this row is shown. */
  arranged: Promise<void>;
}

/** The most rows in open groups. Beyond that, the groups that were opened first are closed. */
const MOST_ROWS = 150_000;

export class Folds {
  /** The group that was opened or closed last. Each change is a new object. */
  readonly changed = new Signal<{ group: GrainRow } | undefined>(undefined);
  /** Why a group could not be opened; undefined: the last fetch succeeded. */
  readonly problem = new Signal<string | undefined>(undefined);
  /** The open groups, in the order in which they were opened. */
  readonly #open = new Set<GrainRow>();
  /** For each group that was fetched, the number of rows that it brought. */
  readonly #rows = new Map<GrainRow, number>();
  /** Resolves when the open groups are laid out. Set by the page. */
  arranged: () => Promise<void> = () => Promise.resolve();

  constructor(
    readonly model: Model,
    /** undefined: there is no server, so no group can be fetched. */
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

  /** Returns true if the row is inside a closed group. */
  isHidden(row: GrainRow): boolean {
    for (let above = this.model.grain.parent[row]!; above !== NONE; above = this.model.grain.parent[above]!)
      if (this.isGroup(above) && !this.isOpen(above)) return true;
    return false;
  }

  /** Returns true if the row is a closed group whose grains are in the model or can be fetched. */
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

  /**
   * Opens all groups around the grain of a number, and returns the row of the grain. Where a group
   * cannot be opened, returns the row of that group. Returns undefined if there is no such grain.
   */
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

  /**
   * Opens the groups that a row is in; their grains must be in the model. Returns the outermost
   * group that was closed.
   */
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
      // Where the rows are known already, the group was fetched twice at the same time.
      grow(this.model, row, part.value);
      this.#rows.set(row, part.value.grain.kind.length);
      this.grown();
    }
    return true;
  }

  /**
   * Closes the groups that were opened first until the open groups have at most MOST_ROWS rows.
   * Each row that is drawn costs time in every frame. Groups around the row `except` stay open.
   */
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
