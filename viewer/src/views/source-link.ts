// SPDX-License-Identifier: Apache-2.0
// A link from a site to its line in the source view.
import { button } from '../base/dom';
import type { SiteId } from '../model/ids';
import type { Store } from '../state/store';

/** Returns a link, or undefined if the site's line is not known. */
export function sourceLink(store: Store, site: SiteId): HTMLElement | undefined {
  const { file, line } = store.model.sites[site]!;
  if (!file || line === 0) return undefined;
  const link = button('source', `${file}:${line} in the source view`, () => {
    store.highlight(site);
    store.view.set('source');
  });
  link.className = 'link quiet';
  return link;
}
