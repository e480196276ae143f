// SPDX-License-Identifier: Apache-2.0
// What the kernel and the processor counted in each grain.
import { formatCount, formatTime } from '../base/format';
import { ns } from '../base/time';
import type { GrainRow } from './ids';
import type { Model } from './model';

/** What grains are coloured by if it is a counter: its number. */
export type CounterColour = `counter-${number}`;

/** The events of the kernel that are times, in nanoseconds. */
const TIMES: readonly string[] = ['task-clock', 'cpu-clock'];

export const counterColour = (counter: number): CounterColour => `counter-${counter}`;

/** Returns the number of the counter that grains are coloured by; undefined: it is no counter. */
export function counterOf(by: string): number | undefined {
  const [, digits] = /^counter-(\d{1,2})$/.exec(by) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns what was counted in a grain; for a group, the mean of its grains; NaN: not counted. */
export const countOf = ({ counts, grain }: Model, row: GrainRow, counter: number): number =>
  (counts[counter]?.[row] ?? Number.NaN) / Math.max(1, grain.count[row]!);

/** Returns a count of an event in words. */
export const countText = (event: string, value: number): string =>
  TIMES.includes(event) ? formatTime(ns(value)) : formatCount(value);
