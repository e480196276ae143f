// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { formatLink, parseLink } from './link';

it.each([
  [{ grain: 12, site: 3 }, '#grain=12&site=3'],
  [{ grain: 0, site: undefined }, '#grain=0'],
  [{ grain: undefined, site: undefined }, ''],
])('%o has the address "%s", and back', (link, hash) => {
  expect(formatLink(link)).toBe(hash);
  expect(parseLink(hash)).toEqual(link);
});

it('ignores what is not a row number', () => {
  expect(parseLink('#grain=-1&site=2e9')).toEqual({ grain: undefined, site: undefined });
  expect(parseLink('#grain=<b>')).toEqual({ grain: undefined, site: undefined });
});
