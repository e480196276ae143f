// SPDX-License-Identifier: Apache-2.0
// What the user has chosen, shared by all views. Every change goes through here, so that views need
// not know of each other.
import { Signal } from '../base/signal';
import type { Model } from '../model/model';
import { NONE } from '../model/model';
import { GrainsBySite } from '../model/sites';
import { type ColourBy, hasStalls, longestStall } from '../model/stall';
import { buildTree, type Tree } from '../model/tree';
import { Folds } from './folds';
import { Server } from './server';

export type Direction = 'parent' | 'child' | 'previous' | 'next';

export interface Reveal {
  grain: number;
  /** Whether to come so close that the grain can be seen well. */
  closeUp: boolean;
}

export interface Scale {
  stall: number;
  span: number;
}

export class Store {
  readonly selected = new Signal<number | undefined>(undefined);
  readonly hovered = new Signal<number | undefined>(undefined);
  /** The site whose grains stand out. */
  readonly site = new Signal<number | undefined>(undefined);
  /** A grain that the views should bring into sight; each request is a new object. */
  readonly revealed = new Signal<Reveal | undefined>(undefined);
  /** What grains are coloured by. */
  readonly colourBy = new Signal<ColourBy>('kind');
  /** Nanoseconds at which the scale of waits for memory ends, and those that the time line shows at least. */
  readonly scale: Signal<Scale>;
  readonly bySite: GrainsBySite;
  /** undefined: the page holds all that there is. */
  readonly server: Server | undefined;
  readonly folds: Folds;

  constructor(
    readonly model: Model,
    readonly tree: Tree,
    server = model.run.opens ? new Server(model.sites.length) : undefined,
  ) {
    this.bySite = new GrainsBySite(model);
    this.server = server;
    this.folds = new Folds(model, server && ((...about) => server.part(...about)), () => this.#grown());
    this.scale = new Signal<Scale>({ stall: longestStall(model), span: 0 });
  }

  /** Selects a grain that the user sees in one of the views. */
  select(grain: number | undefined): void {
    this.#select(grain, false);
  }

  /** Selects a grain and brings it close. */
  goTo(grain: number): void {
    if (grain < this.tree.order.length && this.folds.isHidden(grain)) void this.reach(this.model.grain.number[grain]!);
    else this.#select(grain, true);
  }

  /** Selects the grain of a number and brings it close, whatever it is folded into. */
  async reach(number: number): Promise<void> {
    const found = await this.folds.reach(number);
    this.selected.set(found?.row);
    await found?.arranged;
    if (this.selected.value === found?.row) this.#select(found?.row, true);
  }

  /** Rows keep their numbers, so all that is selected stays. */
  #grown(): void {
    Object.assign(this.tree, buildTree(this.model));
    this.bySite.update(this.model);
  }

  highlight(site: number | undefined): void {
    this.site.set(site !== undefined && site < this.model.sites.length ? site : undefined);
  }

  /** The same scales as another recording's; undefined: the recording's own. */
  compare(stall: number | undefined, span: number | undefined): void {
    this.scale.set({ stall: stall ?? longestStall(this.model), span: span ?? 0 });
  }

  /** By memory only where its waits are recorded. */
  colour(by: ColourBy): void {
    this.colourBy.set(hasStalls(this.model) ? by : 'kind');
  }

  /** Rows of the grains that stand out, or undefined when none is dimmed. */
  highlighted(): Uint32Array | undefined {
    return this.site.value === undefined ? undefined : this.bySite.of(this.site.value);
  }

  /** Goes to the next or previous grain of the highlighted site, around its ends. */
  step(by: 1 | -1): void {
    const grains = this.highlighted();
    if (!grains || grains.length === 0) return;
    const { selected } = this;
    const at = selected.value === undefined ? -1 : grains.indexOf(selected.value);
    const start = by > 0 ? 0 : grains.length - 1;
    this.goTo(grains[at < 0 ? start : (at + by + grains.length) % grains.length]!);
  }

  /** Goes from the selected grain to a relative of it, or to the first root when nothing is selected. */
  walk(direction: Direction): void {
    const from = this.selected.value;
    const to = from === undefined ? this.tree.roots[0] : this.#relative(from, direction);
    if (to !== undefined) this.goTo(to);
  }

  #relative(grain: number, direction: Direction): number | undefined {
    const { order, position, subtreeEnd, owner } = this.tree;
    const parent = owner[grain]!;
    if (direction === 'child') return this.tree.childCount[grain]! > 0 ? order[position[grain]! + 1] : undefined;
    if (parent === NONE) return undefined;
    if (direction === 'parent') return parent;
    if (direction === 'next') {
      const next = subtreeEnd[grain]!;
      return next < subtreeEnd[parent]! ? order[next] : undefined;
    }
    if (position[grain]! === position[parent]! + 1) return undefined;
    let previous = order[position[grain]! - 1]!;
    while (owner[previous] !== parent) previous = owner[previous]!;
    return previous;
  }

  #select(grain: number | undefined, closeUp: boolean): void {
    const exists = grain !== undefined && grain < this.tree.order.length;
    this.selected.set(exists ? grain : undefined);
    if (exists) this.revealed.set({ grain, closeUp });
  }
}
