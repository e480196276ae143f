// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { storeOf, usePage } from '../../test/page';
import { siteId } from '../model/ids';
import { sourceLink } from './source-link';

usePage();

it('leads to the line of a site, where that is known', () => {
  const store = storeOf();
  const link = sourceLink(store, siteId(2))!;
  expect(link.title).toBe('src/sort.c:12 in the source view');
  link.click();
  expect([store.site.value, store.view.value]).toEqual([2, 'source']);
  expect(sourceLink(store, siteId(5))).toBeUndefined();
});
