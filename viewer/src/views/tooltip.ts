// SPDX-License-Identifier: Apache-2.0
// A short note beside the pointer: which grain it is, and how long it took.
import { element } from '../base/dom';
import { formatTime } from '../base/format';
import type { GrainRow } from '../model/ids';
import { siteLabel } from '../model/sites';
import type { Store } from '../state/store';
import { kindName } from './words';

export class Tooltip {
  readonly root = element('div', { class: 'tooltip', role: 'status', hidden: true });

  constructor(readonly store: Store) {}

  /** Shows the note of a grain as `say` does; hides the note where there is no grain. */
  show(grain: GrainRow | undefined, over: HTMLElement, x: number, y?: number): void {
    if (grain === undefined) {
      this.hide();
      return;
    }
    const { model } = this.store;
    const site = model.sites[model.grain.site[grain]!];
    const name = site ? siteLabel(site) : kindName(model.grain.kind[grain]!);
    this.say(`${site?.function ?? ''} · ${formatTime(model.grain.work[grain]!)} work`, over, x, y, name);
  }

  /**
   * Shows a text, after a name if one is given: at a point of an element, or above the element if
   * the text would cover what the element is about.
   */
  say(text: string, over: HTMLElement, x: number, y?: number, name = ''): void {
    this.root.hidden = false;
    this.root.replaceChildren(...(name ? [element('strong', {}, name), ' '] : []), text);
    const { left, top } = over.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.root;
    this.root.style.left = `${Math.max(4, Math.min(left + x + 14, window.innerWidth - width - 8))}px`;
    const below = y === undefined ? top - height - 4 : Math.min(top + y + 16, window.innerHeight - 36);
    this.root.style.top = `${Math.max(4, below)}px`;
  }

  hide(): void {
    this.root.hidden = true;
  }
}
