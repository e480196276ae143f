// SPDX-License-Identifier: Apache-2.0
// Figures as people read them: three significant digits and a unit that fits.
import type { Ns } from './time';

const TIME_UNITS: ReadonlyArray<[number, string]> = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'us'], // as the report has it: not every terminal has the Greek letter
  [1, 'ns'],
];

/** Returns a duration or an instant, such as "12.3 us". */
export function formatTime(ns: Ns): string {
  if (!Number.isFinite(ns)) return '–';
  const size = Math.abs(ns);
  if (size === 0) return '0';
  // 999.6 ns would round to 1000 ns: such a figure belongs to the next unit.
  const [factor, unit] = TIME_UNITS.find(([f]) => size >= f * 0.9995) ?? [1, 'ns'];
  return `${significant(ns / factor)} ${unit}`;
}

/**
 * Returns an instant on an axis whose marks are `step` apart, with enough digits to tell it from
 * the next mark.
 */
export function formatTick(ns: Ns, step: Ns): string {
  if (ns === 0) return '0';
  const [factor, unit] = TIME_UNITS.find(([f]) => Math.abs(ns) >= f * 0.9995) ?? [1, 'ns'];
  const digits = Math.min(9, Math.max(0, -Math.floor(Math.log10(step / factor) + 1e-9)));
  return `${(ns / factor).toFixed(digits)} ${unit}`;
}

/** A count with thin spaces between groups of three digits. */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** A count with its noun, such as "1 processor" or "2 processors". */
export const formatNumber = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A plain ratio such as a parallelism of 3.85. */
export function formatRatio(value: number): string {
  return Number.isFinite(value) ? significant(value) : '–';
}

export function formatPercent(fraction: number): string {
  if (fraction > 0 && fraction < 0.000_1) return '< 0.01 %';
  return Number.isFinite(fraction) ? `${significant(fraction * 100)} %` : '–';
}

function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return value.toExponential(2);
  if (size >= 99.95) return formatCount(value);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.01 || size === 0) return value.toFixed(2);
  return value.toExponential(1);
}

/** A text of at most `most` characters: what is too much is left out in the middle. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
