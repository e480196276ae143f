// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { decodeModel } from './decode';
import { icicleOf, pathTo } from './icicle';
import { filesOf } from './lines';

const json = viewModel(demo(200));
json.whole.locks.push({ file: 'src/sort.c', line: 12, function: 'sort', holds: 3, waited_ns: 70, held_ns: 9 });
json.sites.push({ ...json.sites[2]!, kind: 'sync', count: 2, work_ns: 0 });
json.whole.sites.push({ ...json.whole.sites[2]!, wait_ns: 500, histogram: [] });
const decoded = decodeModel(JSON.parse(JSON.stringify(json)));
if (!decoded.ok) throw new Error(decoded.error);
const model = decoded.value;

it('sums up what stands on a line', () => {
  const file = filesOf(model).find((one) => one.file === 'src/sort.c')!;
  const { count, work_ns } = model.sites[2]!;
  expect(file.lines.get(12)).toMatchObject({ line: 12, count, work_ns, wait_ns: 500, locks_ns: 70 });
  expect(file.lines.get(12)!.sites).toEqual([2, 6]);
  expect(file.text).toContain('#pragma omp task');
});

it('lists files by work, and says why a text is not there', () => {
  const files = filesOf(model);
  expect(files.map(({ file }) => file).sort()).toEqual(['src/main.c', 'src/scale.c', 'src/sort.c']);
  for (let at = 1; at < files.length; at++) expect(files[at]!.work_ns).toBeLessThanOrEqual(files[at - 1]!.work_ns);
  expect(files.find(({ file }) => file === 'src/scale.c')!.note).toContain('does not exist');
  expect(files.find(({ file }) => file === 'src/main.c')!.note).toBe('Not shown.');
});

it('lays paths of creation out below those that created them', () => {
  const { flame } = model.whole;
  const icicle = icicleOf(flame);
  expect(icicle.roots.reduce((sum, root) => sum + icicle.width[root]!, 0)).toBeCloseTo(1);
  for (const [node, children] of icicle.children.entries()) {
    const right = icicle.x[node]! + icicle.width[node]!;
    for (const child of children) {
      expect(icicle.depth[child]).toBe(icicle.depth[node]! + 1);
      expect(icicle.x[child]).toBeGreaterThanOrEqual(icicle.x[node]!);
      expect(icicle.x[child]! + icicle.width[child]!).toBeLessThanOrEqual(right + 1e-9);
      expect(pathTo(flame, child)).toEqual([...pathTo(flame, node), child]);
    }
  }
});
