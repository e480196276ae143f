// SPDX-License-Identifier: Apache-2.0
// How a row of the outline is shown: its name, which selects the site of its grains, and a bar of
// the workers' time in the colours of the budget.
import { element } from '../base/dom';
import { formatPercent, formatTime, shorten } from '../base/format';
import { ns } from '../base/time';
import { classLabel, classMeaning } from '../model/answers';
import type { OutlineKind, OutlineRow } from '../model/outline';
import type { Store } from '../state/store';
import { siteName } from './site-name';

export const isSerial = (kind: OutlineKind): boolean => kind === 'serial' || kind === 'start' || kind === 'end';

/** A part of a bar that is a smaller share of its row cannot be seen. */
const LEAST = 0.005;

/** From this share of a part on, the recorder is what it is made of. */
const RECORDERS = 0.5;

/** Longer names are shortened: they would take the room of the figures. */
const LONGEST = 46;

const WORDS = { region: '', loop: 'loop ', task: 'tasks ', phase: 'until ' } as const;

type Named = Pick<OutlineRow, 'kind' | 'site'>;

/** Returns the name of a row that has a site. */
export function placeName(
  store: Store,
  row: Named & { kind: keyof typeof WORDS },
  longest = LONGEST,
): (HTMLElement | string)[] {
  const site = store.model.sites[row.site ?? -1];
  const words = WORDS[row.kind];
  if (!site) return [`${words}unknown place`];
  const link = element(
    'button',
    { type: 'button', class: 'link', title: site.file || site.function },
    ...siteName(site, longest),
  );
  link.addEventListener('click', () => {
    const same = grainsOf(store, row);
    store.highlight(store.site.value === same ? undefined : same);
  });
  const about =
    site.file && site.function
      ? [' ', element('small', { title: site.function }, shorten(site.function, longest))]
      : [];
  const end = row.kind === 'phase' && site.kind === 'region' ? ' (its end)' : '';
  return [words, link, ...about, end];
}

/** Returns the site whose grains do the work of a row: that of a region has none itself. */
export function grainsOf(store: Store, { site: number }: Named): OutlineRow['site'] {
  const { sites } = store.model;
  const site = sites[number ?? -1];
  if (!site || store.bySite.of(number!).length > 0) return number;
  const isSame = (other: typeof site) =>
    other.line === site.line && other.file === site.file && (site.line > 0 || other.function === site.function);
  const own = sites.findIndex((other) => other.kind === 'implicit' && isSame(other));
  return own < 0 ? number : (own as typeof number);
}

/** Names the part before the first region: if it is the recorder's, it is no part of the program. */
export function startName(store: Store, { classes, wall_ns }: Pick<OutlineRow, 'classes' | 'wall_ns'>): string {
  const recorder = classes[store.model.whole.outline.classes.indexOf('recorder')] ?? 0;
  const what = recorder >= RECORDERS * wall_ns ? 'the recorder’s preparation' : 'serial';
  return `${what}, before the first region`;
}

/** Returns a bar that is as long as a share of the run; none where the times are not known. */
export function timeBar(store: Store, { classes, kind }: Pick<OutlineRow, 'classes' | 'kind'>, share: number) {
  const all = classes.reduce((sum, time) => sum + time, 0);
  if (all === 0) return [];
  const bar = element('div', { class: 'budget' });
  bar.style.width = `${Math.max(share * 100, 0.4)}%`;
  for (const [at, time] of classes.entries()) {
    if (time < all * LEAST) continue;
    const name = store.model.whole.outline.classes[at]!;
    const of = isSerial(kind) ? '' : `, ${formatPercent(time / all)}`;
    const title = `${classLabel(name)}: ${formatTime(ns(time))}${of}; ${classMeaning(name)}`;
    const part = element('i', { class: name, title });
    part.style.flexGrow = String(time / all);
    bar.append(part);
  }
  return [bar];
}
