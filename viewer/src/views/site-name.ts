// SPDX-License-Identifier: Apache-2.0
// The name of a site where there is little room: what tells it from others stays. A site without
// debug information is a function and an offset into a file: its name keeps the function's own name
// and the offset, and loses modules, packages and the file, which titles have.
import { element } from '../base/dom';
import { shorten } from '../base/format';
import type { Site } from '../model/site';
import { siteLabel } from '../model/sites';

const WITH_OFFSET = /^(.*?)(?: \(module [^)]*\))? at \S*(\+0x[0-9a-f]+)$/;
/** The own name of a function whose packages stand before it. */
const OWN = /\.([A-Za-z_]\w{3,})$/;
/** Longer functions lose their packages. */
const LONG = 24;

/** Returns the text of a name; at most `longest` characters of what comes before an offset are kept. */
export function siteName(site: Pick<Site, 'file' | 'line' | 'function'>, longest: number): (HTMLElement | string)[] {
  const [, all, offset] = (!site.file && site.function.match(WITH_OFFSET)) || [];
  if (!all || !offset) return [shorten(siteLabel(site), longest)];
  const own = all.length > LONG ? (OWN.exec(all)?.[1] ?? all) : all;
  return [
    element('span', { class: 'routine' }, shorten(own, longest)),
    element('span', { class: 'offset' }, ` …${offset}`),
  ];
}
