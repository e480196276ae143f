// SPDX-License-Identifier: Apache-2.0
// What the time line says of what is under the pointer.
import { formatCount, formatPercent, formatTime } from '../base/format';
import { ns } from '../base/time';
import { classLabel, classMeaning } from '../model/answers';
import { type GrainRow, NOBODY } from '../model/ids';
import type { Model } from '../model/model';
import { siteLabel } from '../model/sites';
import { stretchClass, stretchLength } from '../model/spent';
import { isBin, type Stretch } from '../model/tiles';
import { causeName } from './words';

/** Names the site of a grain. */
export function nameOf(model: Model, grain: GrainRow | undefined): string {
  const site = grain === undefined ? undefined : model.sites[model.grain.site[grain]!];
  return site ? siteLabel(site) : '';
}

/** Says how long a fragment took, and how long its grain worked. */
export function fragmentText({ fragment, grain, sites }: Model, row: number): string {
  const g = fragment.grain[row]!;
  const site = sites[grain.site[g]!];
  const took = `${formatTime(ns(fragment.end[row]! - fragment.start[row]!))} here`;
  return [site?.file ? site.function : '', took, `${formatTime(grain.work[g]!)} of work in all`]
    .filter(Boolean)
    .join(' · ');
}

/** Says what a worker did in a stretch without a grain. */
export function stretchText({ whole }: Model, row: number): string {
  const { classes, stretch } = whole.lanes;
  const name = classes[stretchClass(whole.lanes, row)]!;
  return `${classLabel(name)} for ${formatTime(stretchLength(stretch, row))}: ${classMeaning(name)}`;
}

/** Says how long a worker was idle, and who woke it. */
export function idleText({ idle }: Model, row: number): string {
  const text = `Idle for ${formatTime(ns(idle.end[row]! - idle.start[row]!))}`;
  if (idle.woken_by[row] === NOBODY) return text;
  const why = causeName(idle.cause[row]!);
  const after = formatTime(ns(idle.end[row]! - idle.woken[row]!));
  return `${text} · woken by worker ${idle.woken_by[row]}, awake ${after} later${why && `: ${why}`}`;
}

/** Says what a rectangle of a tile is: a fragment, or several. */
export function tileText({ sites }: Model, { tile, row }: { tile: Stretch['tile']; row: number }): string {
  const length = ns(tile.end[row]! - tile.start[row]!);
  const site = sites[tile.site[row]!];
  const place = site ? siteLabel(site) : 'unknown place';
  return isBin(tile, row)
    ? `${formatCount(tile.count[row]!)} fragments in ${formatTime(length)}, ${formatPercent(tile.busy[row]! / length)} ` +
        `of the time; the longest at ${place}`
    : `${place} · ${formatTime(length)} · grain #${tile.number[row]}`;
}
