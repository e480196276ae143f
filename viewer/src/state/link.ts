// SPDX-License-Identifier: Apache-2.0
// The address of a selection, as the part of the page's address after the "#": "#grain=12&site=3".
import type { Store } from './store';

export interface Link {
  grain: number | undefined;
  site: number | undefined;
}

export function formatLink({ grain, site }: Link): string {
  const parts: string[] = [];
  if (grain !== undefined) parts.push(`grain=${grain}`);
  if (site !== undefined) parts.push(`site=${site}`);
  return parts.length > 0 ? `#${parts.join('&')}` : '';
}

export function parseLink(hash: string): Link {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const row = (name: string) => {
    const text = fields.get(name);
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  return { grain: row('grain'), site: row('site') };
}

/** Keeps the address and the selection the same, in both directions. */
export function bindLink(store: Store, window: Window): void {
  const write = () => {
    const link = formatLink({ grain: store.selected.value, site: store.site.value });
    if (link !== window.location.hash)
      window.history.replaceState(null, '', link || window.location.pathname + window.location.search);
  };
  const read = () => {
    const link = parseLink(window.location.hash);
    store.highlight(link.site);
    if (link.grain === undefined) store.select(undefined);
    else store.goTo(link.grain);
  };
  read();
  window.addEventListener('hashchange', read);
  store.selected.listen(write);
  store.site.listen(write);
}
