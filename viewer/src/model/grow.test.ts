// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { folded } from '../../test/folded';
import { randomNumbers, siblings } from '../../test/program';
import { decodeModel, decodePart } from './decode';
import { grow } from './grow';
import { grainNumber, grainRow, NONE } from './ids';
import { GrainKind, type Model } from './model';
import { findNumber, NumberRows } from './numbers';
import { buildTree } from './tree';

const program = siblings(95, randomNumbers(4));

function opened(order: (groups: number[]) => number[]) {
  const { whole, json, part, groups } = folded(program, 10);
  const decoded = decodeModel(JSON.parse(JSON.stringify(json)));
  if (!decoded.ok) throw new Error(decoded.error);
  const model = decoded.value;
  for (const group of order([...groups.keys()])) {
    const { first, count } = groups[group]!;
    const answer = decodePart(part(first, count), model.sites.length, 0);
    if (!answer.ok) throw new Error(answer.error);
    grow(model, grainRow(group + 1), answer.value);
  }
  return { whole, model };
}

/** What a grain did, by its number: its kind, work, fragments and the number of its nearest ancestor that is no group. */
function deeds(model: Model): Map<number, string> {
  const { grain, item, itemStart, fragment } = model;
  const numberOf = (row: number): number => {
    if (row === NONE) return -1;
    return grain.kind[row] === GrainKind.Group ? numberOf(grain.parent[row]!) : grain.number[row]!;
  };
  const all = new Map<number, string>();
  for (let row = 0; row < grain.kind.length; row++) {
    if (grain.kind[row] === GrainKind.Group || row === 0) continue;
    const times = [];
    for (let i = itemStart[row]!; i < itemStart[row + 1]!; i++)
      if (item.kind[i] === 0) times.push(fragment.start[item.ref[i]!], fragment.end[item.ref[i]!]);
    all.set(grain.number[row]!, [grain.kind[row], grain.work[row], numberOf(grain.parent[row]!), ...times].join(' '));
  }
  return all;
}

it.each<[string, (groups: number[]) => number[]]>([
  ['from the first to the last', (groups) => groups],
  ['from the last to the first', (groups) => groups.reverse()],
  ['every other one first', (groups) => [...groups.filter((g) => g % 2), ...groups.filter((g) => g % 2 === 0)]],
])('has every grain of the recording once all groups are open, %s', (_name, order) => {
  const { whole, model } = opened(order);
  expect([...deeds(model)].sort(([a], [b]) => a - b)).toEqual([...deeds(whole)]);
  const tree = buildTree(model);
  expect(tree.roots).toEqual([0]);
  for (let row = 1; row < model.grain.kind.length; row++) expect(tree.owner[row]).toBe(model.grain.parent[row]);
});

it('leaves the rows that were there as they are', () => {
  const { model: none } = opened(() => []);
  const { model } = opened((groups) => groups);
  const rows = none.grain.kind.length;
  for (const name of ['number', 'count', 'work', 'parent'] as const)
    expect([...model.grain[name].subarray(0, rows)]).toEqual([...none.grain[name]]);
});

it('knows where the grain of a number is', () => {
  const { model: closed } = opened(() => []);
  expect(findNumber(closed, grainNumber(0))).toEqual({ row: 0, alone: true });
  expect(findNumber(closed, grainNumber(37))).toEqual({ row: 4, alone: false });
  expect(findNumber(closed, grainNumber(1000))).toBeUndefined();
  const { model } = opened((groups) => groups);
  const rows = new NumberRows(model);
  for (const number of [0, 1, 37, 95]) {
    const found = findNumber(model, grainNumber(number))!;
    expect(found.alone).toBe(true);
    expect(model.grain.number[found.row]).toBe(number);
    expect(rows.of(grainNumber(number))).toBe(found.row);
  }
});
