// SPDX-License-Identifier: Apache-2.0
// A time before and after, in words as `teff diff` prints them.
import { element } from '../base/dom';
import { formatCount, formatTime } from '../base/format';
import type { Change } from '../model/pair';

/**
 * Returns the change in per cent, or as a factor where it is large; empty where one side has no
 * time.
 */
export function changeText({ before_ns, after_ns, ratio }: Change): string {
  if (!(before_ns > 0 && after_ns > 0)) return '';
  return ratio >= 0.1 && ratio < 3 ? signed(ratio) : times(ratio);
}

/** Returns the verdict in words; empty where there is none. */
export function verdictText({ verdict, p }: Change): string {
  if (verdict === 'change') return `more than noise (p ${p.toFixed(3)})`;
  if (verdict === 'noise') return `noise (p ${p.toFixed(2)})`;
  return verdict === 'too-few-runs' ? 'too few runs to tell' : '';
}

/** Returns the interval of 95 % confidence; empty with too few runs. */
export function intervalText({ before_ns, after_ns, ratio_low, ratio_high }: Change): string {
  if (!(before_ns > 0 && after_ns > 0) || Number.isNaN(ratio_low) || Number.isNaN(ratio_high)) return '';
  const text = ratio_high < 3 ? signed : times;
  return `95 %: ${text(ratio_low)} to ${text(ratio_high)}`;
}

export const signed = (ratio: number): string => `${ratio < 1 ? '−' : '+'}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;

const times = (ratio: number): string => `× ${ratio >= 100 ? formatCount(ratio) : ratio.toFixed(2)}`;

/**
 * Returns three cells of a table: before, after, and the change. `says`: the last cell has the
 * verdict, too.
 */
export function changeCells(change: Change, says: boolean): HTMLElement[] {
  const verdict = verdictText(change);
  const title = [verdict, intervalText(change)].filter(Boolean).join('; ');
  const words = { change: 'more than noise', noise: 'noise' }[change.verdict] ?? '';
  return [
    element('td', {}, change.before_ns > 0 ? formatTime(change.before_ns) : ''),
    element('td', {}, change.after_ns > 0 ? formatTime(change.after_ns) : ''),
    element(
      'td',
      { class: `verdict ${change.verdict}`, title },
      changeText(change),
      says ? element('small', {}, words) : '',
    ),
  ];
}
