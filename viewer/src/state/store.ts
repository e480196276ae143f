// SPDX-License-Identifier: Apache-2.0
// What the user has chosen: one store is shared by all views of a recording. Views change the
// selection through the store only, and listen to its signals, so that no view needs to know
// another view.

import { Signal } from '../base/signal';
import { type Ns, ns } from '../base/time';
import { hasCores } from '../model/cores';
import { counterOf } from '../model/counters';
import { type FlameName, type FlameRange, flamesOf } from '../model/flames';
import { type GrainNumber, type GrainRow, type GrainRows, grainRows, NONE, type SiteId } from '../model/ids';
import { type ColourBy, isMetric, largest } from '../model/metrics';
import type { Model } from '../model/model';
import { type Problem, type Severity, severities, worst } from '../model/problems';
import { type InRange, inRange, type TimeRange } from '../model/range';
import { GrainsBySite, hasGrains } from '../model/sites';
import { hasStalls, longestStall } from '../model/stall';
import { buildTree, type Tree } from '../model/tree';
import { Folds } from './folds';
import { type Server, serverOf } from './server';

/**
 * The views of the page. A wide page shows one of them in its middle; a narrow page shows one view
 * alone.
 */
export const VIEWS = [
  'overview',
  'outline',
  'graph',
  'timeline',
  'flame',
  'sites',
  'loops',
  'dependences',
  'source',
  'grain',
] as const;
export type ViewName = (typeof VIEWS)[number];

export type Direction = 'parent' | 'child' | 'previous' | 'next';

export interface Reveal {
  grain: GrainRow;
  /** Whether the views zoom in until the grain can be seen well. */
  closeUp: boolean;
}

/** A part of the run. `follow`: the user has gone there, so the graph goes there, too. */
export interface Seen extends TimeRange {
  follow: boolean;
}

export interface Scale {
  stall: Ns;
  span: Ns;
}

export class Store {
  readonly selected = new Signal<GrainRow | undefined>(undefined);
  readonly hovered = new Signal<GrainRow | undefined>(undefined);
  /** The site whose grains stand out. */
  readonly site = new Signal<SiteId | undefined>(undefined);
  /** The time range that all views show; undefined: the whole run. */
  readonly range = new Signal<TimeRange | undefined>(undefined);
  /** The part of the run that the time line shows; undefined: all of it. */
  readonly seen = new Signal<Seen | undefined>(undefined);
  /** The problem whose grains stand out. */
  readonly problem = new Signal<Problem | undefined>(undefined);
  /** undefined: the user has chosen no view; the page chooses by its width. */
  readonly view = new Signal<ViewName | undefined>(undefined);
  /** A request to show all of what the program is made of, however short. Each is a new object. */
  readonly unfolded = new Signal<object | undefined>(undefined);
  /** The words by which sites are searched. */
  readonly query = new Signal('');
  /** A request to the views to bring a grain into sight. Each request is a new object. */
  readonly revealed = new Signal<Reveal | undefined>(undefined);
  /** What grains are coloured by. */
  readonly colourBy = new Signal<ColourBy>('kind');
  /** What the flame view shows; undefined: the user has chosen nothing. */
  readonly flame = new Signal<FlameName | undefined>(undefined);
  /**
   * `stall`: where the scale of waits for memory ends. `span`: the least time that the time line
   * shows.
   */
  readonly scale: Signal<Scale>;
  readonly bySite: GrainsBySite;
  /** undefined: the page holds the whole recording and can ask for nothing. */
  readonly server: Server | undefined;
  readonly folds: Folds;
  #inRange: { range: TimeRange; found: InRange } | undefined;
  #problem: { name: Problem; severity: Severity; grains: GrainRows } | undefined;
  #highlighted: { key: unknown[]; grains: GrainRows } | undefined;

  constructor(
    readonly model: Model,
    readonly tree: Tree,
    server = serverOf(model),
  ) {
    this.bySite = new GrainsBySite(model);
    this.server = server;
    this.folds = new Folds(model, server && ((...about) => server.part(...about)), () => this.#grown());
    this.folds.changed.listen(() => this.#forget());
    this.scale = new Signal<Scale>({ stall: longestStall(model), span: ns(0) });
  }

  /** Selects a grain that the user sees in one of the views. */
  select(grain: GrainRow | undefined): void {
    this.#select(grain, false);
  }

  /** Selects a grain, and asks the views to zoom in on it. */
  goTo(grain: GrainRow): void {
    if (grain < this.tree.order.length && this.folds.isHidden(grain)) void this.reach(this.model.grain.number[grain]!);
    else this.#select(grain, true);
  }

  /**
   * Selects the grain of a number and zooms in on it. Opens the groups that the grain is folded
   * into.
   */
  async reach(number: GrainNumber): Promise<void> {
    const found = await this.folds.reach(number);
    this.selected.set(found?.row);
    await found?.arranged;
    if (this.selected.value === found?.row) this.#select(found?.row, true);
  }

  /**
   * Called when the tables of grains have grown. Rows keep their numbers, so the selection stays
   * valid.
   */
  #grown(): void {
    Object.assign(this.tree, buildTree(this.model));
    this.bySite.update(this.model);
    this.#forget();
  }

  /** Forgets what was computed from the tables of grains and from the set of open groups. */
  #forget(): void {
    this.#inRange = undefined;
    this.#problem = undefined;
    this.#highlighted = undefined;
  }

  highlight(site: SiteId | undefined): void {
    this.site.set(site !== undefined && site < this.model.sites.length ? site : undefined);
  }

  /** Clears the selected site, problem and time range, so that no grain stands out. */
  clear(): void {
    this.highlight(undefined);
    this.problem.set(undefined);
    this.focus(undefined);
  }

  /** Takes the scales of another recording; undefined: the scale of this recording. */
  compare(stall: Ns | undefined, span: Ns | undefined): void {
    this.scale.set({ stall: stall ?? longestStall(this.model), span: span ?? ns(0) });
  }

  /**
   * Sets what grains are coloured by. Falls back to the kind where the recording lacks the figures:
   * waits for memory, cores, or counters.
   */
  colour(by: ColourBy): void {
    const counter = counterOf(by);
    const isCounted = counter === undefined || counter < this.model.counters.length;
    const isKnown = by.startsWith('stall') ? hasStalls(this.model) : by !== 'core' || hasCores(this.model);
    this.colourBy.set(isKnown && isCounted ? by : 'kind');
  }

  /** Sets what the flame view shows, if the recording has it. */
  showFlame(name: FlameName | undefined): void {
    this.flame.set(flamesOf(this.model).find((known) => known === name));
  }

  /**
   * Selects a time range, cut to the recording. An empty range, and the whole recording, clear the
   * selection.
   */
  focus(range: TimeRange | undefined): void {
    const end = this.end;
    const start = ns(Math.max(0, range?.start ?? 0));
    const stop = ns(Math.min(end, range?.end ?? end));
    const isAll = range === undefined || !(stop - start > 0) || (start === 0 && stop === end);
    const { value } = this.range;
    if (isAll) this.range.set(undefined);
    else if (value?.start !== start || value.end !== stop) this.range.set({ start, end: stop });
  }

  /** The end of the recording, or the end of a longer recording that this one is compared with. */
  get end(): Ns {
    const { strip } = this.model.whole;
    const { span } = this.scale.value;
    return ns(Math.max(strip.interval_ns * strip.running.length, this.model.run.wall_ns || 0, span, 1));
  }

  /** What ran in the selected time range; undefined: no range is selected. */
  inRange(): InRange | undefined {
    const range = this.range.value;
    if (!range) return undefined;
    if (this.#inRange?.range !== range) this.#inRange = { range, found: inRange(this.model, range, this.#counts) };
    return this.#inRange.found;
  }

  /** The selected time range, and what ran in it. */
  flameRange(): FlameRange | undefined {
    const [range, found] = [this.range.value, this.inRange()];
    return range && found && { ...range, found };
  }

  /** The rows of a group that was fetched stand in the tables beside the rows of its grains. */
  get #counts(): ((row: GrainRow) => boolean) | undefined {
    return this.server && ((row) => !this.folds.isOpen(row) && !this.folds.isHidden(row));
  }

  /** The severity of each grain for the chosen problem; undefined: no problem is chosen. */
  severity(): Severity | undefined {
    return this.#chosenProblem()?.severity;
  }

  /** The end of the colour scale of a figure. */
  mostOf(by: ColourBy): number {
    return isMetric(by) ? largest(this.model, by) : this.scale.value.stall;
  }

  /**
   * The rows of the grains that stand out, or undefined when all grains look alike. When a problem
   * is chosen, the worst grains come first.
   */
  highlighted(): GrainRows | undefined {
    const { siteOfGrains: site, range, problem } = this;
    if (site === undefined && !range.value && !problem.value) return undefined;
    const key = [site, range.value, problem.value];
    if (!this.#highlighted || key.some((part, at) => part !== this.#highlighted!.key[at]))
      this.#highlighted = { key, grains: this.#standOut() };
    return this.#highlighted.grains;
  }

  /**
   * The selected site, if grains come from it. Others, as places of synchronisation, mark their rows
   * and lines; if they dimmed grains, no grain would be left.
   */
  get siteOfGrains(): SiteId | undefined {
    const { value } = this.site;
    if (value === undefined) return undefined;
    // Of a folded recording, the grains of a site may be on the server.
    return hasGrains(this.model.sites[value]!) || this.bySite.of(value).length > 0 ? value : undefined;
  }

  #standOut(): GrainRows {
    const found = this.inRange();
    const site = this.siteOfGrains;
    const ofSite = site === undefined ? undefined : this.bySite.of(site);
    let grains = this.#chosenProblem()?.grains ?? ofSite ?? grainRows(Uint32Array.from(this.tree.order.keys()));
    if (site !== undefined) grains = grains.filter((grain) => this.model.grain.site[grain] === site);
    return found ? grains.filter((grain) => found.has[grain]) : grains;
  }

  #chosenProblem() {
    const name = this.problem.value;
    if (!name) return undefined;
    if (this.#problem?.name !== name) {
      const severity = severities(this.model, name);
      this.#problem = { name, severity, grains: worst(this.model, severity) };
    }
    return this.#problem;
  }

  /** Goes to the next or previous grain that stands out. The grain after the last is the first. */
  step(by: 1 | -1): void {
    const grains = this.highlighted();
    if (!grains || grains.length === 0) return;
    const { selected } = this;
    const at = selected.value === undefined ? -1 : grains.indexOf(selected.value);
    const start = by > 0 ? 0 : grains.length - 1;
    this.goTo(grains[at < 0 ? start : (at + by + grains.length) % grains.length]!);
  }

  /** Goes from the selected grain to a relative, or to the first root when no grain is selected. */
  walk(direction: Direction): void {
    const from = this.selected.value;
    const to = from === undefined ? this.tree.roots[0] : this.#relative(from, direction);
    if (to !== undefined) this.goTo(to);
  }

  #relative(grain: GrainRow, direction: Direction): GrainRow | undefined {
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

  #select(grain: GrainRow | undefined, closeUp: boolean): void {
    const exists = grain !== undefined && grain < this.tree.order.length;
    this.selected.set(exists ? grain : undefined);
    if (exists) this.revealed.set({ grain, closeUp });
  }
}
