// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { chain, demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { decodeModel } from './decode';
import { NONE } from './ids';
import { Flag, type Model } from './model';
import { buildTree, summarise } from './tree';

function decode(json: unknown): Model {
  const decoded = decodeModel(json);
  if (!decoded.ok) throw new Error(decoded.error);
  return decoded.value;
}

it('walks every grain once, subtrees in one piece', () => {
  const model = decode(viewModel(demo(300)));
  const tree = buildTree(model);
  expect(new Set(tree.order).size).toBe(model.grain.kind.length);
  for (let g = 0; g < tree.order.length; g++) {
    const owner = tree.owner[g]!;
    if (owner === NONE) continue;
    expect(owner).toBe(model.grain.parent[g]);
    expect(tree.position[g]!).toBeGreaterThan(tree.position[owner]!);
    expect(tree.subtreeEnd[g]!).toBeLessThanOrEqual(tree.subtreeEnd[owner]!);
  }
});

it('takes grains that no item refers to as roots', () => {
  const model = decode(viewModel(demo(50)));
  model.item.kind.fill(2); // nothing but joins
  const tree = buildTree(model);
  expect(tree.roots.length).toBe(model.grain.kind.length);
});

it('does not recurse: 100,000 levels', () => {
  const tree = buildTree(decode(viewModel(chain(100_000))));
  expect(tree.subtreeEnd[0]).toBe(100_001);
});

it('sums up every subtree: critical path, and low benefit where it prevails', () => {
  const model = decode(viewModel(demo(100)));
  const tree = buildTree(model);
  model.grain.flags.fill(0);
  const leaf = tree.order.find((g) => tree.childCount[g] === 0)!;
  model.grain.flags[leaf] = Flag.Critical | Flag.LowBenefit;
  model.grain.benefit[leaf] = 0.25;
  const { critical, severity } = summarise(model, tree);
  expect(severity[leaf]).toBe(0.5);
  expect(severity[tree.roots[0]!]).toBe(0);
  const marked = [...critical.keys()].filter((g) => critical[g] === 1);
  const path: number[] = [];
  for (let g = leaf; g !== NONE; g = tree.owner[g]!) path.push(g);
  expect(marked).toEqual(path.reverse());
});
