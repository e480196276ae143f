// SPDX-License-Identifier: Apache-2.0
// Marks figures that cannot follow a selected time range.
import { element } from '../base/dom';
import type { Store } from '../state/store';

/** Returns words that are seen while a time range is selected. */
export const wholeRun = (text = 'whole run'): HTMLElement => element('small', { class: 'whole-run' }, text);

/** Shows these words below `root` while a time range is selected. */
export function bindWholeRun(root: HTMLElement, { range }: Store): void {
  const show = () => root.classList.toggle('in-range', range.value !== undefined);
  range.listen(show);
  show();
}
