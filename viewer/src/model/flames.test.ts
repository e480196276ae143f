// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test/page';
import { randomNumbers } from '../../test/program';
import { withSteps } from '../../test/steps';
import { stacksOf } from '../../test/whole';
import { type Ns, ns } from '../base/time';
import { type FlameTree, flameOf, flamesOf, foundTime, searchFlame } from './flames';
import { NONE } from './ids';
import type { Model } from './model';
import { inRange } from './range';

const sampled = () =>
  modelOf((json) => {
    json.whole.stacks = stacksOf([
      [2, ['sort', 'merge'], 10],
      [2, ['sort', 'merge'], 20],
      [2, ['sort'], 30],
      [NONE, ['wait'], 40],
      [2, ['sort', 'sort'], 50],
    ]);
  });

const call = (line: number, name: string, times = 1) => ({ file: '/src/main.c', line, function: name, times });

const called = () =>
  modelOf((json) => {
    const path = { count: 2, work_ns: 100, wait_ns: 0, cut: false };
    for (const site of json.sites) Object.assign(site, { call_paths: [] });
    Object.assign(json.sites[2]!, {
      count: 5,
      work_ns: 700,
      call_paths: [
        { ...path, calls: [call(3, 'main'), call(9, 'solve', 4)] },
        { ...path, calls: [call(3, 'main'), call(8, 'solve')], work_ns: 400, cut: true },
      ],
    });
  });

const ranIn = (model: Model, start: Ns, end: Ns, counts?: () => boolean) =>
  flameOf(model, 'creation', { start, end, found: inRange(model, { start, end }, counts) });

/** Each node with all that is above it, and its own and whole time. */
function lines({ parent, names, own_ns, total_ns }: FlameTree): Record<string, [number, number]> {
  const line = (node: number): string => (parent[node] === NONE ? '' : `${line(parent[node]!)} > `) + names[node];
  return Object.fromEntries(names.map((_, node) => [line(node), [own_ns[node]!, total_ns[node]!]]));
}

describe('the trees of the flame view', () => {
  it('are those for which the recording has the data', () => {
    expect(flamesOf(modelOf())).toEqual(['creation']);
    expect(flamesOf(sampled())).toEqual(['samples', 'creation']);
    expect(flamesOf(called())).toEqual(['calls', 'creation']);
    expect(flamesOf(modelOf(withSteps))).toEqual(['creation', 'steps']);
  });

  it('have the work of regions until each barrier, summed over the rounds', () => {
    const model = modelOf((json) => {
      withSteps(json);
      const [region, ...steps] = json.whole.outline.row;
      const row = { ...region!, count: 6, site: 2, work_ns: 25 };
      json.whole.outline.row = [
        { ...row, depth: 0, kind: 'start', site: NONE, work_ns: 9 },
        { ...row, depth: 0, kind: 'repeat', site: NONE, work_ns: 70 },
        { ...region!, depth: 1 },
        ...steps.map((step) => ({ ...step, depth: 2 })),
        { ...row, depth: 3, kind: 'loop' },
      ];
    });
    const tree = flameOf(model, 'steps');
    expect(lines(tree)).toEqual({
      'serial, before the first region': [9, 9],
      'sort.c:14 sort': [0, 70],
      'sort.c:14 sort > until count_words': [45, 70],
      'sort.c:14 sort > until count_words > loop sort.c:12 sort': [25, 25],
    });
    expect([...tree.count]).toEqual([6, 1, 2, 6]);
    expect(tree.site[2]).toBe(5);
  });

  it('have the work of all grains by path of creation', () => {
    const model = modelOf();
    const { names, total_ns } = flameOf(model, 'creation');
    expect(names[0]).toBe('main.c:31 main');
    expect(total_ns[0]).toBe(model.run.work_ns);
  });

  it('have the samples of a site below it, by the functions on the stack', () => {
    expect(lines(flameOf(sampled(), 'samples'))).toEqual({
      'sort.c:12 sort': [0, 4000],
      'sort.c:12 sort > sort': [1000, 4000],
      'sort.c:12 sort > sort > merge': [2000, 2000],
      'sort.c:12 sort > sort > sort': [1000, 1000],
      'in no grain': [0, 1000],
      'in no grain > wait': [1000, 1000],
    });
  });

  it('have the same nodes for a time range, with the samples in it', () => {
    const range = { start: ns(20), end: ns(40) };
    const [all, some] = [undefined, { ...range, found: inRange(sampled(), range) }].map((range) =>
      flameOf(sampled(), 'samples', range),
    );
    expect(some!.names).toEqual(all!.names);
    expect([...some!.count]).toEqual([0, 1, 1, 0, 0, 0]);
    expect([...some!.total_ns]).toEqual([2000, 2000, 1000, 0, 0, 0]);
  });

  it('have the grains that ran in a time range, by path of creation', () => {
    const model = modelOf();
    const whole = flameOf(model, 'creation');
    const middle = model.run.wall_ns / 2;
    const [all, before, after] = [
      [0, model.run.wall_ns],
      [0, middle],
      [middle, model.run.wall_ns],
    ].map(([start, end]) => ranIn(model, ns(start!), ns(end!)));
    expect([all!.names, [...all!.count]]).toEqual([whole.names, [...whole.count]]);
    for (const [node, total] of all!.total_ns.entries())
      expect(before!.total_ns[node]! + after!.total_ns[node]!).toBeCloseTo(total, 3);
    const first = ranIn(model, ns(0), model.fragment.end[0]!);
    expect([...first.total_ns].filter((time) => time > 0).length).toBe(1);
    const hidden = ranIn(model, ns(0), ns(middle), () => false);
    expect(hidden.total_ns[0]).toBe(0);
  });

  it('have in any range the work that the sites have there', () => {
    const model = modelOf();
    const { fragment, grain } = model;
    // A part of the time of some fragments is not their grain's own.
    grain.work.fill(ns(0));
    for (const [row, g] of fragment.grain.entries()) {
      fragment.work[row]! /= 1 + (row % 3);
      grain.work[g] = ns(grain.work[g]! + fragment.work[row]!);
    }
    const random = randomNumbers(7);
    for (let times = 0; times < 50; times++) {
      const [a, b] = [random() * model.run.wall_ns, random() * model.run.wall_ns];
      const [start, end] = [ns(Math.min(a, b)), ns(Math.max(a, b))];
      // The truth, fragment by fragment.
      const ofSites = model.sites.map(() => 0);
      for (const [row, g] of model.fragment.grain.entries()) {
        const { start: begin, end: last, work } = model.fragment;
        const inside = Math.max(0, Math.min(end, last[row]!) - Math.max(start, begin[row]!));
        if (inside > 0) ofSites[model.grain.site[g]!]! += (work[row]! * inside) / (last[row]! - begin[row]!);
      }
      const { site, own_ns } = ranIn(model, start, end);
      const { ran } = inRange(model, { start, end });
      for (const [number, work] of ofSites.entries()) {
        const inFlame = own_ns.reduce((sum, own, node) => (site[node] === number ? sum + own : sum), 0);
        expect(inFlame).toBeCloseTo(work, 2);
        expect(ran[number]).toBeCloseTo(work, 2);
      }
    }
  });

  it('have the calls that led to a site above it, and what is known of none at the top', () => {
    expect(lines(flameOf(called(), 'calls'))).toMatchObject({
      'main.c:3 main': [0, 100],
      'main.c:3 main > main.c:9 solve × 4 > sort.c:12 sort': [100, 100],
      '… calls that are not known > main.c:3 main > main.c:8 solve > sort.c:12 sort': [400, 400],
      'sort.c:12 sort': [200, 200],
    });
  });
});

describe('a search in a tree', () => {
  const found = (model: Model, query: string) => {
    const tree = flameOf(model, 'samples');
    const nodes = searchFlame(tree, query);
    return nodes && [tree.names.filter((_, node) => nodes[node]), foundTime(tree, nodes)];
  };

  it('finds the nodes that have all words', () => {
    expect(found(sampled(), 'MER')).toEqual([['merge'], 2000]);
    expect(found(sampled(), 'sort c:12')).toEqual([['sort.c:12 sort'], 4000]);
    expect(found(sampled(), 'nothing')).toEqual([[], 0]);
    expect(found(sampled(), '  ')).toBeUndefined();
  });

  it('counts what is below another found node once', () => {
    expect(found(sampled(), 'sort')).toEqual([['sort.c:12 sort', 'sort', 'sort'], 4000]);
  });
});
