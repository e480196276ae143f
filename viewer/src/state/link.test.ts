// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { ns } from '../base/time';
import { grainNumber, siteId } from '../model/ids';
import { formatLink, type Link, parseLink } from './link';

const NOTHING: Link = {
  grain: undefined,
  site: undefined,
  range: undefined,
  problem: undefined,
  view: undefined,
  colourBy: 'kind',
  flame: undefined,
  stall: undefined,
  span: undefined,
};

it.each<[Link, string]>([
  [{ ...NOTHING, grain: grainNumber(12), site: siteId(3) }, '#grain=12&site=3'],
  [{ ...NOTHING, grain: grainNumber(0), colourBy: 'stall-share' }, '#grain=0&colour=stall-share'],
  [{ ...NOTHING, colourBy: 'stall-time', stall: ns(900), span: ns(5000) }, '#colour=stall-time&stall=900&span=5000'],
  [
    { ...NOTHING, site: siteId(3), range: { start: ns(0), end: ns(2500) }, view: 'flame' },
    '#site=3&range=0-2500&view=flame',
  ],
  [{ ...NOTHING, view: 'flame', flame: 'calls' }, '#view=flame&flame=calls'],
  [{ ...NOTHING, problem: 'wait', colourBy: 'worker' }, '#problem=wait&colour=worker'],
  [NOTHING, ''],
])('%o has the address "%s", and back', (link, hash) => {
  expect(formatLink(link)).toBe(hash);
  expect(parseLink(hash)).toEqual(link);
});

it('ignores what is not a row number', () => {
  expect(parseLink('#grain=-1&site=2e9')).toEqual(NOTHING);
  expect(parseLink('#range=5-5&view=all&problem=none&flame=all')).toEqual(NOTHING);
  expect(parseLink('#grain=<b>&colour=red&stall=0&span=-1')).toEqual(NOTHING);
});
