// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { column } from '../../test/column';
import { demo, initial } from '../../test/program';
import { viewModel } from '../../test/sample';
import { stacksOf } from '../../test/whole';
import { decodeModel } from './decode';
import { decodeText } from './page-data';

type Json = ReturnType<typeof viewModel>;

/** The message for a small model after a change to it. */
function messageFor(change: (model: Json) => void): string {
  const model = viewModel(demo(40));
  change(model);
  const decoded = decodeModel(JSON.parse(JSON.stringify(model)));
  return decoded.ok ? 'no error' : decoded.error;
}

const emptyTable = (table: Record<string, { type: string; data: string }>) => {
  for (const entry of Object.values(table)) entry.data = '';
};

describe('a good model', () => {
  it('keeps the values of its columns', () => {
    const decoded = decodeModel(JSON.parse(JSON.stringify(viewModel(initial([{ work: 1500 }])))));
    if (!decoded.ok) throw new Error(decoded.error);
    expect([...decoded.value.grain.work]).toEqual([1500]);
    expect([...decoded.value.itemStart]).toEqual([0, 1]);
    expect(decoded.value.run.workers).toBe(4);
    expect(decoded.value.grain.benefit[0]).toBeNaN();
  });

  it('may have no grains at all', () => {
    const message = messageFor((model) => {
      for (const table of [model.grain, model.fragment, model.item, model.idle]) emptyTable(table);
      model.item_start = column('u32', [0]);
    });
    expect(message).toBe('no error');
  });

  it('may have figures that are not finite', () => {
    expect(messageFor((model) => Object.assign(model.run, { parallelism: null }))).toBe('no error');
  });
});

describe('a broken model', () => {
  it.each([
    ['text that is not JSON', '{"version": 2', /not JSON.*cut short/],
    ['a list', '[]', /expected a JSON object/],
    ['another version', '{"version": 1}', /version 1; this page reads version 13/],
    ['an empty object', '{"version": 13}', /^run: expected an object/],
  ])('that is %s', (_name, text, message) => {
    const decoded = decodeText(text);
    expect(decoded.ok ? 'no error' : decoded.error).toMatch(message);
  });

  it.each<[string, (model: Json) => void, RegExp]>([
    [
      'a field of the wrong type',
      (m) => Object.assign(m.run, { wall_ns: '7' }),
      /run\.wall_ns: expected a number, found string/,
    ],
    ['notes that are no list', (m) => Object.assign(m.run, { notes: 'x' }), /run\.notes/],
    ['a site without a line', (m) => Object.assign(m.sites[1]!, { line: undefined }), /sites\[1\]\.line/],
    ['a missing table', (m) => Object.assign(m, { fragment: undefined }), /^fragment: the table is missing/],
    ['a missing column', (m) => Object.assign(m.grain, { wait: undefined }), /^grain\.wait: the column is missing/],
    [
      'a column of another type',
      (m) => Object.assign(m.grain, { flags: column('u16', []) }),
      /grain\.flags: expected a column of u8, found u16/,
    ],
    [
      'data that is not base64',
      (m) => Object.assign(m.grain.work, { data: '*' }),
      /grain\.work: the data is not base64/,
    ],
    [
      'half a value',
      (m) => Object.assign(m.grain.site, { data: 'AAAA' }),
      /grain\.site: 3 bytes are not a whole number/,
    ],
    [
      'columns of different lengths',
      (m) => Object.assign(m.grain, { site: column('u32', [0]) }),
      /grain\.site: 1 rows, but grain\.kind has/,
    ],
    ['no sums over all grains', (m) => Object.assign(m, { whole: undefined }), /whole: expected an object/],
    [
      'a path of creation above itself',
      (m) =>
        Object.assign(
          m.whole.flame.parent,
          column(
            'u32',
            m.whole.sites.map((_, at) => at),
          ),
        ),
      /whole\.flame/,
    ],
    [
      'samples in no function of the list',
      (m) => Object.assign(m.whole.stacks.sample, stacksOf([[1, ['f'], 5]]).sample),
      /whole\.stacks\.sample\.node: row 0 refers to 1, but there are 0/,
    ],
    [
      'a function without a name',
      (m) => Object.assign(m.whole.stacks, stacksOf([[1, ['f'], 5]]), { names: [] }),
      /whole\.stacks\.name: row 0 refers to 0, but there are 0/,
    ],
    [
      'a call path that is no list of calls',
      (m) => Object.assign(m.sites[1]!, { call_paths: [{ count: 1, work_ns: 1, wait_ns: 0, cut: false }] }),
      /sites\[1\]\.call_paths\[0\]\.calls: expected a list/,
    ],
    [
      'functions without samples inside a site',
      (m) => Object.assign(m.sites[1]!, { inside: { samples: 1, kernel_unplaced: 0, more: 0, functions: [{}] } }),
      /sites\[1\]\.inside\.functions\[0\]\.function/,
    ],
    [
      'an unknown kind of outline row',
      (m) =>
        m.whole.outline.row.push({
          depth: 0,
          kind: 'x',
          site: 0,
          count: 1,
          wall_ns: 0,
          work_ns: 0,
          classes: [],
          own_ns: 0,
        }),
      /whole\.outline\.row\[0\]\.kind: x is not known/,
    ],
    [
      'more times than classes',
      (m) =>
        m.whole.outline.row.push({
          ...{ depth: 0, kind: 'loop', site: 0, count: 1, wall_ns: 0, work_ns: 0, own_ns: 0 },
          classes: [1, 2, 3, 4],
        }),
      /whole\.outline\.row\[0\]\.classes: 4 times, but there are 3 classes/,
    ],
    [
      'an outline row of no site',
      (m) =>
        m.whole.outline.row.push({
          depth: 0,
          kind: 'loop',
          site: 9,
          count: 1,
          wall_ns: 0,
          work_ns: 0,
          classes: [],
          own_ns: 0,
        }),
      /whole\.outline\.row\[0\]\.site: refers to 9, but there are 6/,
    ],
    ['a reference to no site', (m) => m.sites.splice(1), /site: row \d+ refers to \d, but there are 1/],
    ['too few offsets', (m) => Object.assign(m, { item_start: column('u32', [0]) }), /item_start: 1 rows, expected/],
    ['a reference to no fragment', (m) => emptyTable(m.fragment), /item: row 0 refers to fragment 0, but there are 0/],
    [
      'an unknown kind of item',
      (m) => Object.assign(m.item, ofSameLength(m.item.kind.data)),
      /item: row 0 has the unknown kind 9/,
    ],
  ])('with %s', (_name, change, message) => expect(messageFor(change)).toMatch(message));

  it('in which a grain is its own child', () => {
    const model = viewModel(initial([]));
    model.item = { kind: column('u8', [1]), ref: column('u32', [0]), critical: column('u8', [0]) };
    model.item_start = column('u32', [0, 1]);
    const decoded = decodeModel(model);
    expect(decoded.ok ? 'no error' : decoded.error).toMatch(/refers to grain 0, which comes before it/);
  });
});

function ofSameLength(data: string) {
  const { length } = Buffer.from(data, 'base64');
  return { kind: column('u8', new Array(length).fill(9)) };
}
