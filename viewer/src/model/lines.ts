// SPDX-License-Identifier: Apache-2.0
// What each line of the source cost: the sums of the constructs on this line.
import { type Ns, ns } from '../base/time';
import { type SiteId, siteId } from './ids';
import type { Model } from './model';
import { workUntil } from './outline';
import type { InRange } from './range';

export interface LineCosts {
  line: number;
  /** The grains that constructs on the line created, their work, and their creation cost. */
  count: number;
  work_ns: Ns;
  creation_ns: Ns;
  /** The time that workers lost to waits at the line, and to locks that were taken at the line. */
  wait_ns: Ns;
  locks_ns: Ns;
  /** The work until a barrier on the line, which is that of other lines. Not known of a time range. */
  until_ns: Ns;
  /** The sites on the line, in the order of the list of sites: those with most work first. */
  sites: SiteId[];
}

export interface FileCosts {
  file: string;
  text: string;
  note: string;
  work_ns: Ns;
  lines: Map<number, LineCosts>;
}

const NOTHING = ns(0);
const WAITS = 'sync';
const GRAINS = ['task', 'implicit', 'initial', 'chunk'];

/**
 * Returns the files that have a line with costs, those with most work first. `found`: what ran in a
 * time range, if not in the whole run. Of waits and locks it is not known when they were.
 */
export function filesOf(model: Model, found?: InRange): FileCosts[] {
  const files = new Map<string, FileCosts>();
  const at = (file: string): FileCosts => {
    const known = files.get(file);
    if (known) return known;
    const source = model.whole.sources.find((one) => one.file === file);
    const made: FileCosts = {
      file,
      text: source?.text ?? '',
      note: source?.note ?? (model.whole.sources.length > 0 ? 'Not shown.' : 'The page was made without the source.'),
      work_ns: NOTHING,
      lines: new Map(),
    };
    files.set(file, made);
    return made;
  };
  const until = workUntil(model.whole.outline.row);
  for (const [number, site] of model.sites.entries()) {
    if (!site.file || site.line === 0) continue;
    const file = at(site.file);
    const costs = lineOf(file, site.line);
    const more = model.whole.sites[number]!;
    costs.sites.push(siteId(number));
    if (site.kind === WAITS) costs.wait_ns = ns(costs.wait_ns + more.wait_ns);
    costs.until_ns = ns(costs.until_ns + (until.get(siteId(number)) ?? 0));
    if (!GRAINS.includes(site.kind)) continue;
    const work_ns = found ? found.ran[number]! : site.work_ns;
    costs.count += found ? found.count[number]! : site.count;
    costs.work_ns = ns(costs.work_ns + work_ns);
    costs.creation_ns = ns(costs.creation_ns + (found ? found.creation[number]! : more.creation_ns));
    file.work_ns = ns(file.work_ns + work_ns);
  }
  for (const lock of model.whole.locks) {
    if (!lock.file || !(lock.line > 0)) continue;
    const costs = lineOf(at(lock.file), lock.line);
    costs.locks_ns = ns(costs.locks_ns + lock.waited_ns);
  }
  return [...files.values()].sort((a, b) => b.work_ns - a.work_ns);
}

function lineOf(file: FileCosts, line: number): LineCosts {
  const known = file.lines.get(line);
  if (known) return known;
  const none = { work_ns: NOTHING, creation_ns: NOTHING, wait_ns: NOTHING, locks_ns: NOTHING, until_ns: NOTHING };
  const made: LineCosts = { line, count: 0, ...none, sites: [] };
  file.lines.set(line, made);
  return made;
}
