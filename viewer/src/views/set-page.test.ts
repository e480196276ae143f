// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { all, one, usePage } from '../../test/page';
import { setOf } from '../../test/run-set';
import { element } from '../base/dom';
import { decodeText, isSet } from '../model/page-data';
import { ratio, showSet } from './set-page';

usePage();

function pageOf(json = setOf()): HTMLElement {
  const set = decodeText(JSON.stringify(json));
  if (!set.ok || !isSet(set.value)) throw new Error(set.ok ? 'no set' : set.error);
  const root = element('div');
  document.body.append(root);
  showSet(root, set.value);
  return root;
}

const texts = (root: ParentNode, selector: string) => all(root, selector).map((node) => node.textContent);

it('says whether the program scales, and has a row for each number of threads', () => {
  const root = pageOf();
  expect(one(root, '.verdict').textContent).toContain('scales partly to 4 threads');
  expect(texts(root, '.scaling thead th').slice(-4, -2)).toEqual(['= work', '× locks']);
  expect(texts(root, '.scaling tbody th')).toEqual(['1 thread', '2 threads', '4 threads']);
  expect(texts(root, '.scaling tbody tr:first-child td').slice(1, 6)).toEqual(['1.00', '1.00', '0.50', '0.040', '3']);
  expect(texts(root, '.factors dt')).toEqual(['work', 'locks']);
  expect(one(root, '.hint').textContent).toBe('Within 0.5 % of 1: serial, balance.');
  expect(texts(root, '.notes li')).toEqual(['4 threads shared 2 processors.']);
  expect(document.title).toBe('a.teff – Teff');
});

it('leads from each row, and from each budget, to the median run', () => {
  const root = pageOf();
  const hrefs = (selector: string) => all(root, selector).map((link) => link.getAttribute('href'));
  const expected = [1, 2, 4].map((threads) => `?run=threads-${threads}-2`);
  expect(hrefs('.scaling a')).toEqual(expected);
  expect(hrefs('.where a')).toEqual(expected);
});

it('shows the number of workers where it is not the one that was asked for', () => {
  expect(texts(pageOf(), '.scaling thead th')).not.toContain('workers');
  const json = setOf();
  json.scaling.points[2]!.workers = 3;
  expect(texts(pageOf(json), '.scaling thead th')).toContain('workers');
});

it('shows ratios with the digits of the report', () => {
  const shown = [1, 0.1, 0.0996, 0.048, 0.0012, 23.8, Number.NaN].map(ratio);
  expect(shown).toEqual(['1.00', '0.10', '0.10', '0.048', '0.0012', '23.80', '–']);
});
