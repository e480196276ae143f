// SPDX-License-Identifier: Apache-2.0
// The address of a selection, as the part of the page's address after the "#":
// "#grain=12&site=3&range=1000-2500&view=flame". Times are in nanoseconds.
import { type Ns, ns } from '../base/time';
import { counterOf } from '../model/counters';
import { FLAMES, type FlameName } from '../model/flames';
import { type GrainNumber, grainNumber, type SiteId, siteId } from '../model/ids';
import { CATEGORIES, type ColourBy, METRICS } from '../model/metrics';
import { PROBLEMS, type Problem } from '../model/problems';
import type { TimeRange } from '../model/range';
import { type Store, VIEWS, type ViewName } from './store';

export interface Link {
  grain: GrainNumber | undefined;
  site: SiteId | undefined;
  range: TimeRange | undefined;
  problem: Problem | undefined;
  view: ViewName | undefined;
  colourBy: ColourBy;
  flame: FlameName | undefined;
  /**
   * For the comparison with another recording: where the scale of waits for memory ends, and the
   * least time that the time line shows.
   */
  stall: Ns | undefined;
  span: Ns | undefined;
}

const COLOURS: readonly ColourBy[] = ['stall-share', 'stall-time', ...CATEGORIES, ...METRICS];
const RANGE = /^(\d{1,15})-(\d{1,15})$/;
const ROW = /^\d{1,9}$/;
const NANOSECONDS = /^[1-9]\d{0,14}$/;

export function formatLink({ grain, site, range, problem, view, colourBy, flame, stall, span }: Link): string {
  const parts: string[] = [];
  if (grain !== undefined) parts.push(`grain=${grain}`);
  if (site !== undefined) parts.push(`site=${site}`);
  if (range) parts.push(`range=${Math.floor(range.start)}-${Math.ceil(range.end)}`);
  if (problem) parts.push(`problem=${problem}`);
  if (view) parts.push(`view=${view}`);
  if (colourBy !== 'kind') parts.push(`colour=${colourBy}`);
  if (flame) parts.push(`flame=${flame}`);
  if (stall !== undefined) parts.push(`stall=${stall}`);
  if (span !== undefined) parts.push(`span=${span}`);
  return parts.length > 0 ? `#${parts.join('&')}` : '';
}

export function parseLink(hash: string): Link {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const number = <T>(name: string, pattern: RegExp, kind: (value: number) => T) => {
    const text = fields.get(name);
    return text !== null && pattern.test(text) ? kind(Number(text)) : undefined;
  };
  return {
    grain: number('grain', ROW, grainNumber),
    site: number('site', ROW, siteId),
    range: parseRange(fields.get('range')),
    problem: PROBLEMS.find((name) => name === fields.get('problem')),
    view: VIEWS.find((name) => name === fields.get('view')),
    colourBy: colourOf(fields.get('colour') ?? ''),
    flame: FLAMES.find((name) => name === fields.get('flame')),
    stall: number('stall', NANOSECONDS, ns),
    span: number('span', NANOSECONDS, ns),
  };
}

function colourOf(name: string): ColourBy {
  return counterOf(name) === undefined ? (COLOURS.find((known) => known === name) ?? 'kind') : (name as ColourBy);
}

function parseRange(text: string | null): TimeRange | undefined {
  const [, start, end] = RANGE.exec(text ?? '') ?? [];
  return start && end && Number(start) < Number(end) ? { start: ns(Number(start)), end: ns(Number(end)) } : undefined;
}

/**
 * Writes each change of the selection into the address, and reads the selection from each new
 * address.
 */
export function bindLink(store: Store, window: Window): void {
  let stall: Ns | undefined;
  let span: Ns | undefined;
  const write = () => {
    const link = formatLink({
      grain: store.selected.value === undefined ? undefined : store.model.grain.number[store.selected.value],
      site: store.site.value,
      range: store.range.value,
      problem: store.problem.value,
      view: store.view.value,
      colourBy: store.colourBy.value,
      flame: store.flame.value,
      stall,
      span,
    });
    if (link !== window.location.hash)
      window.history.replaceState(null, '', link || window.location.pathname + window.location.search);
  };
  const read = () => {
    const link = parseLink(window.location.hash);
    store.highlight(link.site);
    store.focus(link.range);
    store.problem.set(link.problem);
    store.view.set(link.view);
    ({ stall, span } = link);
    store.colour(link.colourBy);
    store.showFlame(link.flame);
    store.compare(stall, span);
    if (link.grain === undefined) store.select(undefined);
    else void store.reach(link.grain);
  };
  read();
  window.addEventListener('hashchange', read);
  const { selected, site, range, problem, view, colourBy, flame } = store;
  for (const signal of [selected, site, range, problem, view, colourBy, flame]) signal.listen(write);
}
