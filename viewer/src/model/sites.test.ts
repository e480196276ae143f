// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { decodeModel } from './decode';
import { siteId } from './ids';
import { GrainsBySite, searchSites, siteLabel } from './sites';

const decoded = decodeModel(viewModel(demo(200)));
if (!decoded.ok) throw new Error(decoded.error);
const model = decoded.value;

it('lists all sites for an empty query, most work first', () => {
  const all = searchSites(model.sites, ' ');
  expect(all.length).toBe(model.sites.length);
  for (let i = 1; i < all.length; i++)
    expect(model.sites[all[i]!]!.work_ns).toBeLessThanOrEqual(model.sites[all[i - 1]!]!.work_ns);
});

it.each([
  ['sort.c:14', [3]],
  ['SORT 12', [2]],
  ['count', [5]],
  ['nothing like it', []],
])('finds "%s"', (query, sites) => expect(searchSites(model.sites, query)).toEqual(sites));

it('names a site without debug information after its function', () => {
  expect(siteLabel(model.sites[2]!)).toBe('sort.c:12');
  expect(siteLabel(model.sites[5]!)).toBe('count_words');
});

it('knows the grains of each site', () => {
  const bySite = new GrainsBySite(model);
  const counts = model.sites.map((_, site) => bySite.of(siteId(site)).length);
  expect(counts).toEqual(model.sites.map((site) => site.count));
  for (const g of bySite.of(siteId(4))) expect(model.grain.site[g]).toBe(4);
});
