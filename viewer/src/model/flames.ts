// SPDX-License-Identifier: Apache-2.0
// The trees that the flame view can show: samples by the functions that were on the stack, work by
// the calls that led to a site, and work by path of creation.
import { baseName } from '../base/format';
import { type Ns, type NsColumn, ns } from '../base/time';
import { NONE, type SiteId, type SiteIds, siteId } from './ids';
import type { Model } from './model';
import type { InRange, TimeRange } from './range';
import type { OutlineKind, OutlineRow } from './outline';
import type { Call, CallPath } from './site';
import { siteLabel } from './sites';
import type { Samples } from './whole';

export const FLAMES = ['samples', 'calls', 'creation', 'steps'] as const;
export type FlameName = (typeof FLAMES)[number];

/** A node comes after the node above it. */
export interface FlameTree {
  parent: Uint32Array;
  /** The site to which a node belongs; NONE: to none. */
  site: SiteIds;
  names: string[];
  /** What ends in the node: samples, or grains. */
  count: Uint32Array;
  own_ns: NsColumn;
  /** `own_ns`, and that of all nodes below. */
  total_ns: NsColumn;
  /** The number of nodes that are left out. */
  more: number;
}

/** A time range, and what ran in it. */
export interface FlameRange extends TimeRange {
  found: InRange;
}

const MAKERS: Record<FlameName, (model: Model, range: FlameRange | undefined) => FlameTree> = {
  samples: sampleTree,
  calls: callTree,
  creation: creationTree,
  steps: stepTree,
};

/** Whether a tree is of a time range alone. Calls and steps have their sums over the whole run. */
export const followsRange = (name: FlameName): boolean => name === 'samples' || name === 'creation';

/** Makes one of the trees that the model has. Its nodes are the same for each range. */
export const flameOf = (model: Model, name: FlameName, range?: FlameRange): FlameTree => MAKERS[name](model, range);

/** Returns the names of the trees that the model has; the first one says most. */
export function flamesOf({ whole, sites }: Model): FlameName[] {
  const has: Record<FlameName, boolean> = {
    samples: whole.samples.node.length > 0,
    calls: sites.some(({ call_paths }) => call_paths?.some(({ calls }) => calls.length > 0)),
    creation: true,
    steps: whole.outline.row.some(({ kind }) => kind === 'phase'),
  };
  return FLAMES.filter((name) => has[name]);
}

function creationTree(model: Model, range: FlameRange | undefined): FlameTree {
  const { whole, sites } = model;
  const { site, parent } = whole.flame;
  // All grains descend from the initial task: with them it is the program, not its serial parts.
  const isWhole = (node: number) => parent[node] === NONE && sites[site[node]!]?.kind === 'initial';
  const names = [...site].map((number, node) => (isWhole(node) ? 'whole program' : nameOf(sites, siteId(number))));
  const tree = { ...whole.flame, names };
  return range ? { ...tree, ...ranInRange(model, range.found) } : tree;
}

/** For each path of creation, the grains that ran in the range, and their work there. */
function ranInRange({ whole, grain }: Model, { has, work }: InRange) {
  const { parent, site } = whole.flame;
  const below = new Map<string, number>();
  for (const [node, above] of parent.entries()) below.set(`${above} ${site[node]}`, node);
  // A path that is left out counts for the path above it. A grain comes after its parent.
  const nodeOf = new Uint32Array(grain.kind.length);
  for (const [row, above] of grain.parent.entries()) {
    const node = above === NONE ? NONE : nodeOf[above]!;
    nodeOf[row] = below.get(`${node} ${grain.site[row]}`) ?? node;
  }
  const count = new Uint32Array(parent.length);
  const own_ns = new Float64Array(parent.length) as NsColumn;
  for (const [row, node] of nodeOf.entries()) {
    if (!has[row] || node === NONE) continue;
    count[node]! += grain.count[row]!;
    own_ns[node] = ns(own_ns[node]! + work[row]!);
  }
  return { count, own_ns, total_ns: totals(parent, own_ns) };
}

/** Names a site of a tree; NONE stands for what ran in no grain. */
function nameOf(sites: Model['sites'], number: SiteId): string {
  const site = sites[number];
  if (!site) return 'in no grain';
  return site.function && site.file ? `${siteLabel(site)} ${site.function}` : siteLabel(site);
}

function sampleTree({ whole, sites }: Model, range: TimeRange | undefined): FlameTree {
  const { stacks, samples } = whole;
  const { parent, site, name } = stacks;
  const count = countSamples(samples, parent.length, range);
  const own_ns = Float64Array.from(count, (number) => number * stacks.period_ns) as NsColumn;
  const names = [...name].map((row, at) => (row === NONE ? nameOf(sites, site[at]!) : stacks.names[row]!));
  return { parent, site, names, count, own_ns, total_ns: totals(parent, own_ns), more: stacks.more };
}

/** Counts the samples of each node. */
function countSamples({ node, at, count }: Samples, nodes: number, range: TimeRange | undefined): Uint32Array {
  const counts = new Uint32Array(nodes);
  for (const [row, of] of node.entries())
    if (!range || (at[row]! >= range.start && at[row]! < range.end)) counts[of]! += count[row]!;
  return counts;
}

/** Sums up a column over the nodes below each node. */
function totals(parent: Uint32Array, own: NsColumn): NsColumn {
  const all = own.slice() as NsColumn;
  for (let node = parent.length - 1; node >= 0; node--) {
    const above = parent[node]!;
    if (above !== NONE) all[above] = ns(all[above]! + all[node]!);
  }
  return all;
}

/** Grows a tree path by path. */
class Grower {
  readonly parent: number[] = [];
  readonly site: number[] = [];
  readonly names: string[] = [];
  readonly count: number[] = [];
  readonly own: number[] = [];
  readonly #known = new Map<string, number>();

  below(above: number, site: number, name: string): number {
    const key = `${above} ${site} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const node = this.parent.length;
    this.#known.set(key, node);
    this.parent.push(above);
    this.site.push(site);
    this.names.push(name);
    this.count.push(0);
    this.own.push(0);
    return node;
  }

  add(node: number, count: number, own: Ns): void {
    this.count[node]! += count;
    this.own[node]! += own;
  }

  tree(): FlameTree {
    const parent = Uint32Array.from(this.parent);
    const own_ns = Float64Array.from(this.own) as NsColumn;
    return {
      parent,
      site: Uint32Array.from(this.site) as SiteIds,
      names: this.names,
      count: Uint32Array.from(this.count),
      own_ns,
      total_ns: totals(parent, own_ns),
      more: 0,
    };
  }
}

/** Calls have no site; the sites that they led to are the leaves. */
function callTree({ sites }: Model): FlameTree {
  const tree = new Grower();
  for (const [number, { call_paths, count, work_ns }] of sites.entries()) {
    if (!call_paths) continue;
    const site = siteId(number);
    const name = nameOf(sites, site);
    for (const path of call_paths) tree.add(tree.below(aboveOf(tree, path), site, name), path.count, path.work_ns);
    // The site has no calls around it where they are not known.
    const rest = (of: (path: CallPath) => number, all: number) => all - call_paths.reduce((sum, p) => sum + of(p), 0);
    const work = rest((path) => path.work_ns, work_ns);
    const grains = rest((path) => path.count, count);
    if (work >= 1 && grains > 0) tree.add(tree.below(NONE, site, name), grains, ns(work));
  }
  return tree.tree();
}

function aboveOf(tree: Grower, { calls, cut }: CallPath): number {
  const outside = cut ? tree.below(NONE, NONE, '… calls that are not known') : NONE;
  return calls.reduce((above: number, call) => tree.below(above, NONE, callName(call)), outside);
}

function callName({ file, line, function: name, times }: Call): string {
  const place = file ? `${baseName(file)}:${line} ` : '';
  return `${place}${name}${times > 1 ? ` × ${times}` : ''}`;
}

/** What a step is called, before the name of its site. */
const STEPS: Partial<Record<OutlineKind, string>> = { phase: 'until ', loop: 'loop ', task: 'tasks ' };

/** What runs while no region is open. */
const SERIAL: Partial<Record<OutlineKind, string>> = {
  start: 'serial, before the first region',
  serial: 'serial',
  end: 'serial, after the last region',
};

/** Regions with their steps until each barrier, and the loops and tasks in these. */
function stepTree({ sites, whole }: Model): FlameTree {
  const tree = new Grower();
  const open: { depth: number; node: number }[] = [];
  for (const row of whole.outline.row) {
    while (open.length > 0 && open.at(-1)!.depth >= row.depth) open.pop();
    const above = open.at(-1)?.node ?? NONE;
    // What is repeated stands for all rounds, and its steps follow.
    const node = row.kind === 'repeat' ? above : stepBelow(tree, sites, above, row);
    open.push({ depth: row.depth, node });
    if (row.kind === 'repeat') continue;
    tree.add(node, row.count, row.work_ns);
    if (above !== NONE) tree.add(above, 0, ns(-row.work_ns));
  }
  for (const [node, own] of tree.own.entries()) tree.own[node] = Math.max(own, 0);
  return tree.tree();
}

function stepBelow(tree: Grower, sites: Model['sites'], above: number, { kind, site }: OutlineRow): number {
  if (site === undefined) return tree.below(above, NONE, SERIAL[kind] ?? `${STEPS[kind] ?? ''}unknown place`);
  return tree.below(above, site, `${STEPS[kind] ?? ''}${nameOf(sites, site)}`);
}

/** Returns which nodes have every word of the query in their names; undefined: it has no words. */
export function searchFlame({ names }: FlameTree, query: string): Uint8Array | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return Uint8Array.from(names, (name) => Number(words.every((word) => name.toLowerCase().includes(word))));
}

/** Returns the time of the nodes that were found. What is below another found node counts once. */
export function foundTime({ parent, total_ns }: FlameTree, found: Uint8Array): Ns {
  const covered = new Uint8Array(found.length);
  let sum = 0;
  for (let node = 0; node < found.length; node++) {
    const above = parent[node]!;
    const isBelow = above !== NONE && covered[above]! > 0;
    covered[node] = Number(isBelow || found[node]! > 0);
    if (found[node]! > 0 && !isBelow) sum += total_ns[node]!;
  }
  return ns(sum);
}
