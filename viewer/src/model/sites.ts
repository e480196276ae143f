// SPDX-License-Identifier: Apache-2.0
// Sites of the source and the grains that come from them.
import { baseName } from '../base/format';
import { type GrainRows, grainRow, grainRows, NONE, type SiteId, siteId } from './ids';
import type { Model } from './model';
import type { Site } from './site';

/** "sort.c:12", or the function where the program carries no debug information. */
export function siteLabel(site: Pick<Site, 'file' | 'line' | 'function'>): string {
  if (site.file) return `${baseName(site.file)}:${site.line}`;
  return site.function || 'unknown place';
}

const OF_GRAINS: readonly string[] = ['task', 'implicit', 'initial', 'chunk'];

/** Whether grains come from a site; others are places of synchronisation, loops and regions. */
export const hasGrains = ({ kind }: Pick<Site, 'kind'>): boolean => OF_GRAINS.includes(kind);

/** Numbers of the sites in which every word of the query occurs, most work first. */
export function searchSites(sites: readonly Site[], query: string): SiteId[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches: SiteId[] = [];
  for (const [number, site] of sites.entries()) {
    const text = `${site.file}:${site.line} ${site.function} ${site.kind}`.toLowerCase();
    if (words.every((word) => text.includes(word))) matches.push(siteId(number));
  }
  return matches.sort((a, b) => sites[b]!.work_ns - sites[a]!.work_ns || a - b);
}

export class GrainsBySite {
  #start = new Uint32Array(1);
  #grains = grainRows(new Uint32Array(0));

  constructor(model: Model) {
    this.update(model);
  }

  /** After the model has grown. */
  update(model: Model): void {
    const { site } = model.grain;
    this.#start = new Uint32Array(model.sites.length + 1);
    for (const s of site) if (s !== NONE) this.#start[s + 1]!++;
    for (let s = 0; s < model.sites.length; s++) this.#start[s + 1]! += this.#start[s]!;
    this.#grains = grainRows(new Uint32Array(this.#start[model.sites.length]!));
    const fill = this.#start.slice();
    for (let g = grainRow(0); g < site.length; g++) if (site[g] !== NONE) this.#grains[fill[site[g]!]!++] = g;
  }

  /** Rows of the site's grains, in order of creation. */
  of(site: SiteId): GrainRows {
    return this.#grains.subarray(this.#start[site], this.#start[site + 1]);
  }
}
