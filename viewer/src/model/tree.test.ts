// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { chain, demo, initial } from '../../test/program';
import { viewModel } from '../../test/sample';
import { decodeModel } from './decode';
import { type Model, NONE } from './model';
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

it('tells of every subtree whether the critical path goes through it', () => {
  const model = decode(viewModel(initial([{ work: 100 }])));
  expect(summarise(model, buildTree(model)).critical[0]).toBe(1);
});
