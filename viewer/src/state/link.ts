// SPDX-License-Identifier: Apache-2.0
// The address of a selection, as the part of the page's address after the "#": "#grain=12&site=3".
import type { ColourBy } from '../model/stall';
import type { Store } from './store';

export interface Link {
  grain: number | undefined;
  site: number | undefined;
  colourBy: ColourBy;
  /** To compare recordings: where the scale of waits for memory ends, and how much time is shown at least, in ns. */
  stall: number | undefined;
  span: number | undefined;
}

const COLOURS = ['stall-share', 'stall-time'] as const;
const ROW = /^\d{1,9}$/;
const NANOSECONDS = /^[1-9]\d{0,14}$/;

export function formatLink({ grain, site, colourBy, stall, span }: Link): string {
  const parts: string[] = [];
  if (grain !== undefined) parts.push(`grain=${grain}`);
  if (site !== undefined) parts.push(`site=${site}`);
  if (colourBy !== 'kind') parts.push(`colour=${colourBy}`);
  if (stall !== undefined) parts.push(`stall=${stall}`);
  if (span !== undefined) parts.push(`span=${span}`);
  return parts.length > 0 ? `#${parts.join('&')}` : '';
}

export function parseLink(hash: string): Link {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name: string, pattern: RegExp) => {
    const text = fields.get(name);
    return text !== null && pattern.test(text) ? Number(text) : undefined;
  };
  return {
    grain: number('grain', ROW),
    site: number('site', ROW),
    colourBy: COLOURS.find((name) => name === fields.get('colour')) ?? 'kind',
    stall: number('stall', NANOSECONDS),
    span: number('span', NANOSECONDS),
  };
}

/** Keeps the address and the selection the same, in both directions. */
export function bindLink(store: Store, window: Window): void {
  let stall: number | undefined;
  let span: number | undefined;
  const write = () => {
    const link = formatLink({
      grain: store.selected.value === undefined ? undefined : store.model.grain.number[store.selected.value],
      site: store.site.value,
      colourBy: store.colourBy.value,
      stall,
      span,
    });
    if (link !== window.location.hash)
      window.history.replaceState(null, '', link || window.location.pathname + window.location.search);
  };
  const read = () => {
    const link = parseLink(window.location.hash);
    store.highlight(link.site);
    ({ stall, span } = link);
    store.colour(link.colourBy);
    store.compare(stall, span);
    if (link.grain === undefined) store.select(undefined);
    else void store.reach(link.grain);
  };
  read();
  window.addEventListener('hashchange', read);
  store.selected.listen(write);
  store.site.listen(write);
  store.colourBy.listen(write);
}
