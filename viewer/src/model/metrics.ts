// SPDX-License-Identifier: Apache-2.0
// What grains can be coloured by: a category, or a figure as a place on a scale from 0 to 1. Times
// differ by orders of magnitude, so their scales are logarithmic. The scales of waits for memory
// are linear, since they are compared between recordings.
import { type CounterColour, counterOf, countOf } from './counters';
import { type GrainRow, grainRow, NONE } from './ids';
import type { Model } from './model';
import { type ColourBy as StallColour, stallLevel } from './stall';

export const CATEGORIES = ['site', 'worker', 'core'] as const;
export const isCategory = (by: ColourBy): boolean => (CATEGORIES as readonly string[]).includes(by);
export const METRICS = ['work', 'wait', 'creation', 'benefit'] as const;
export type Metric = (typeof METRICS)[number] | CounterColour;
export type ColourBy = StallColour | (typeof CATEGORIES)[number] | Metric;

/** Powers of ten from the beginning of a scale of times to its end. */
const DECADES = 4;
/** The scale of benefits ends at a benefit of 1 doubled so often, and at 1 halved so often. */
const DOUBLINGS = 4;

export const isMetric = (by: ColourBy): by is Metric =>
  (METRICS as readonly string[]).includes(by) || counterOf(by) !== undefined;

/** Returns the figure of a grain; for a group, the mean of its grains. */
export function metricOf(model: Model, row: GrainRow, by: Metric): number {
  const { grain } = model;
  if (by === 'benefit') return grain.benefit[row]!;
  const counter = counterOf(by);
  if (counter !== undefined) return countOf(model, row, counter);
  return grain[by as 'work' | 'wait' | 'creation'][row]! / Math.max(1, grain.count[row]!);
}

/** Returns the largest figure of any grain. */
export function largest(model: Model, by: Metric): number {
  let most = 0;
  for (let row = grainRow(0); row < model.grain.kind.length; row++) {
    const value = metricOf(model, row, by);
    if (value > most) most = value;
  }
  return most;
}

/**
 * Returns the place of a grain on a scale from 0 to 1, which ends with `most`. A low benefit has a
 * high place. Returns undefined where the grain has no such figure.
 */
export function levelOf(model: Model, row: GrainRow, by: ColourBy, most: number): number | undefined {
  if (!isMetric(by)) return isCategory(by) ? undefined : stallLevel(model, row, by as StallColour, most);
  const value = metricOf(model, row, by);
  if (Number.isNaN(value)) return undefined;
  const clamp = (level: number) => Math.min(1, Math.max(0, level));
  if (by === 'benefit') return clamp(0.5 - Math.log2(Math.max(value, 1e-9)) / (2 * DOUBLINGS));
  return value > 0 && most > 0 ? clamp(1 + Math.log10(value / most) / DECADES) : 0;
}

/**
 * Returns the site or the worker of a grain, whichever is asked for; undefined: the grain has none.
 * Cores belong to fragments: see cores.ts.
 */
export function categoryOf({ grain }: Model, row: GrainRow, by: ColourBy): number | undefined {
  if (by === 'worker') return grain.worker[row];
  const site = grain.site[row]!;
  return by === 'site' && site !== NONE ? site : undefined;
}
