// SPDX-License-Identifier: Apache-2.0

import { beforeEach, expect, it } from 'vitest';
import { type Folded, folded } from '../../test/folded';
import { randomNumbers, siblings } from '../../test/program';
import { fail } from '../base/result';
import { decodeModel, decodePart } from '../model/decode';
import { grainNumber, grainRow } from '../model/ids';
import type { Model } from '../model/model';
import { Folds } from './folds';

let model: Model;
let source: Folded;
let asked: string[];
let folds: Folds;

beforeEach(() => {
  source = folded(siblings(95, randomNumbers(4)), 10);
  const decoded = decodeModel(JSON.parse(JSON.stringify(source.json)));
  if (!decoded.ok) throw new Error(decoded.error);
  model = decoded.value;
  asked = [];
  const ask = async (first: number, count: number, grain?: number) => {
    asked.push(`${first}+${count}${grain === undefined ? '' : ` for ${grain}`}`);
    return decodePart(source.part(first, count), model.sites.length, 0);
  };
  folds = new Folds(model, ask, () => {});
});

it('asks for what a group holds once, and closes it again', async () => {
  await folds.open(grainRow(2));
  expect(folds.isOpen(grainRow(2))).toBe(true);
  const rows = model.grain.kind.length;
  await folds.close(grainRow(2));
  expect(folds.isHidden(grainRow(rows - 1))).toBe(true);
  await folds.open(grainRow(2));
  expect(folds.isHidden(grainRow(rows - 1))).toBe(false);
  expect([asked, model.grain.kind.length]).toEqual([['11+10'], rows]);
});

it('opens no grain', async () => {
  await folds.open(grainRow(0));
  expect([folds.canOpen(grainRow(0)), folds.isOpen(grainRow(0)), asked]).toEqual([false, false, []]);
});

it('reaches every grain, through closed groups too', async () => {
  for (const number of [95, 37, 0, 1]) {
    const { row } = (await folds.reach(grainNumber(number)))!;
    expect(model.grain.number[row]).toBe(number);
    expect(folds.isHidden(row)).toBe(false);
  }
  expect(asked).toEqual(['91+5 for 95', '31+10 for 37', '1+10 for 1']);
  await folds.close(grainRow(4));
  await folds.reach(grainNumber(38));
  expect(folds.isOpen(grainRow(4))).toBe(true);
  expect(asked.length).toBe(3);
  expect(await folds.reach(grainNumber(96))).toBeUndefined();
});

it('puts the same answer in once, whoever asks at the same time', async () => {
  await Promise.all([folds.open(grainRow(1)), folds.reach(grainNumber(5)), folds.open(grainRow(1))]);
  expect(model.grain.kind.length).toBe(11 + 10);
});

it('stays at the group, and says why, where there is no answer', async () => {
  const broken = new Folds(
    model,
    async () => fail('gone'),
    () => {},
  );
  expect((await broken.reach(grainNumber(37)))!.row).toBe(4);
  expect(broken.problem.value).toBe('gone');
  const alone = new Folds(model, undefined, () => {});
  expect([(await alone.reach(grainNumber(37)))!.row, alone.canOpen(grainRow(4))]).toEqual([4, false]);
});
