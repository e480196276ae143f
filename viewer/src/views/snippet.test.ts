// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, modelOf, one, usePage } from '../../test/page';
import { formatTime } from '../base/format';
import { filesOf } from '../model/lines';
import { snippet } from './snippet';

usePage();

const texts = (nodes: HTMLElement[]) => nodes.map(({ textContent }) => textContent);

it('shows the lines around a line, with the figures that some of them have', () => {
  const model = modelOf((json) => {
    json.whole.sources = [{ file: 'src/sort.c', text: '  one\n    two\n\n  four\n  five\n  six\n', note: '' }];
    json.sites[2]!.line = 3;
  });
  const file = filesOf(model).find((one) => one.file === 'src/sort.c');
  const root = snippet(file, 3)!;
  expect(texts(all(root, 'tbody th'))).toEqual(['1', '2', '3', '4', '5']);
  expect(texts(all(root, 'code'))).toEqual(['one', '  two', '', 'four', 'five']);
  expect(texts(all(root, 'thead th'))).toEqual(['Line', 'Work', 'Grains']);
  const { work_ns, count } = model.sites[2]!;
  expect(texts(all(one(root, '.chosen'), 'td'))).toEqual([formatTime(work_ns), String(count), '']);
});

it('begins and ends with the file', () => {
  const file = { file: 'a.c', text: 'one\ntwo\n', note: '', work_ns: 0, lines: new Map() } as never;
  expect(texts(all(snippet(file, 1)!, 'tbody th'))).toEqual(['1', '2']);
});

it('shows nothing where the text is not on the page', () => {
  const file = { file: 'a.c', text: 'one\n', note: '', work_ns: 0, lines: new Map() };
  expect(snippet(undefined, 1)).toBeUndefined();
  expect(snippet({ ...file, text: '' } as never, 1)).toBeUndefined();
  expect(snippet(file as never, 2)).toBeUndefined();
  expect(snippet(file as never, 0)).toBeUndefined();
});
