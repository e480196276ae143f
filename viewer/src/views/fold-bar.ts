// SPDX-License-Identifier: Apache-2.0
// Opens and closes the selected group, says what is folded, and why something could not be opened.
import { button, element } from '../base/dom';
import { formatCount, formatTime } from '../base/format';
import { type GrainRow, grainRow } from '../model/ids';
import type { Store } from '../state/store';

export class FoldBar {
  readonly root = element('div', { class: 'fold-bar', role: 'status' });

  constructor(readonly store: Store) {
    for (const signal of [store.selected, store.folds.changed, store.folds.problem])
      (signal as { listen(listener: () => void): void }).listen(() => this.#render());
    this.#render();
  }

  #render(): void {
    const { folds, selected } = this.store;
    const { value } = selected;
    const parts: (Node | string)[] = [];
    if (folds.problem.value) parts.push(element('span', { class: 'wrong' }, folds.problem.value));
    if (value !== undefined && folds.isGroup(value)) parts.push(...this.#group(value));
    else if (parts.length === 0) parts.push(...this.#whole());
    this.root.replaceChildren(...parts);
    this.root.hidden = parts.length === 0;
  }

  #group(group: GrainRow): (Node | string)[] {
    const { folds, model } = this.store;
    const { count, work } = model.grain;
    const what = `${formatCount(count[group]!)} grains, ${formatTime(work[group]!)} work `;
    if (folds.isOpen(group))
      return [what, button('Close', 'Fold the group again (Enter)', () => void folds.close(group))];
    if (folds.canOpen(group))
      return [what, button('Open', 'Show what the group holds (Enter)', () => void folds.open(group))];
    return [what, element('span', {}, 'folded in this file')];
  }

  /** Says how many grains are folded, on a page that cannot open groups. */
  #whole(): (Node | string)[] {
    const { run, grain } = this.store.model;
    if (run.opens || run.shown >= run.grains) return [];
    const groups = grain.kind.reduce((sum, _, row) => sum + (this.store.folds.isGroup(grainRow(row)) ? 1 : 0), 0);
    const alone = run.shown - groups;
    return [
      `${formatCount(alone)} of ${formatCount(run.grains)} grains stand alone; the others are folded into ` +
        `${formatCount(groups)} groups, which keep their sums only. `,
      element('span', {}, element('code', {}, 'teff view DIR'), ' opens them.'),
    ];
  }
}
