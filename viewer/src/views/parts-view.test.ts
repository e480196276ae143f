// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, buttonOf, one, storeOf, usePage } from '../../test/page';
import { NONE } from '../model/ids';
import { answersView } from './answers-view';
import { partsView } from './parts-view';

usePage();

function storeOfParts(change: (json: Parameters<NonNullable<Parameters<typeof storeOf>[0]>>[0]) => void = () => {}) {
  return storeOf((json) => {
    const row = { depth: 0, site: NONE, count: 1, wall_ns: 1000, work_ns: 500, classes: [500, 0, 500], own_ns: 0 };
    json.run.wall_ns = 10_000;
    json.whole.outline.row = [
      { ...row, kind: 'start' },
      { ...row, kind: 'region', site: 2, wall_ns: 8000, work_ns: 6000 },
      { ...row, depth: 1, kind: 'loop', site: 3, count: 1600, wall_ns: 6000, work_ns: 4500, classes: [4500, 0, 0] },
      ...[0, 1, 3, 4].map((site) => ({ ...row, kind: 'region', site, wall_ns: 200 })),
    ];
    change(json);
  });
}

it('has the largest parts of the program with their shares, and what has most of their work', () => {
  const store = storeOfParts();
  const [section] = partsView(store);
  const rows = all(section!, 'tbody tr').map((row) => row.textContent);
  expect(rows.slice(0, 3)).toEqual([
    'sort.c:12 sort8.00 us80.0 %',
    'loop sort.c:14 sort × 1\u202f600: 75.0 % of its work6.00 us60.0 %',
    'serial, before the first region1.00 us10.0 %',
  ]);
  expect(rows.at(-1)).toBe('1 shorter200 ns2.00 %');
  expect(one(section!, '.budget').style.width).toBe('80%');
  one(section!, '.parts .link').click();
  expect(store.site.value).toBe(2);
  buttonOf(section!, 'show all').click();
  expect(store.view.value).toBe('outline');
});

it('names the preparation of the recorder, which is no part of the program', () => {
  const nameOf = (recorder: number) => {
    const store = storeOfParts((json) => {
      const { outline } = json.whole;
      outline.classes = ['work', 'serial', 'recorder'];
      outline.row[0]!.classes = [0, 1000, recorder];
    });
    return all(partsView(store)[0]!, 'tbody th.serial').map(({ textContent }) => textContent)[0];
  };
  expect(nameOf(900)).toBe('the recorder’s preparation, before the first region');
  expect(nameOf(100)).toBe('serial, before the first region');
});

it('comes first where there is no finding, and is there when only the machine is to blame', () => {
  const order = (rules: string[]) => {
    const store = storeOfParts((json) => {
      const [first] = json.answers.findings;
      json.answers.findings = rules.map((rule) => ({ ...first!, rule }));
    });
    const names = [...one(answersView(store), '.of-program').children].map(({ className }) => className);
    return names.map((name) => name.split(' ')[0]);
  };
  expect(order([])).toEqual(['in-parts', 'hint', 'in-quality']);
  expect(order(['descheduled'])).toEqual(['findings', 'in-parts', 'in-quality']);
  expect(order(['tiny-tasks'])).toEqual(['findings', 'in-parts', 'in-quality']);
});

it('is left out where nothing is known of the parts', () => {
  expect(partsView(storeOf())).toEqual([]);
});
