// SPDX-License-Identifier: Apache-2.0
// A short note beside the pointer: which grain, how long.
import { element } from '../base/dom';
import { formatTime } from '../base/format';
import { siteLabel } from '../model/sites';
import type { Store } from '../state/store';
import { kindName } from './words';

export class Tooltip {
  readonly root = element('div', { class: 'tooltip', role: 'status', hidden: true });

  constructor(readonly store: Store) {}

  /** Shows a grain's note at a point of an element, or nothing. */
  show(grain: number | undefined, over: HTMLElement, x: number, y: number): void {
    this.root.hidden = grain === undefined;
    if (grain === undefined) return;
    const { model } = this.store;
    const site = model.sites[model.grain.site[grain]!];
    this.root.replaceChildren(
      element('strong', {}, site ? siteLabel(site) : kindName(model.grain.kind[grain]!)),
      ` ${site?.function ?? ''} · ${formatTime(model.grain.work[grain]!)} work`,
    );
    this.#place(over, x, y);
  }

  /** Shows a text at a point of an element. */
  say(text: string, over: HTMLElement, x: number, y: number): void {
    this.root.hidden = false;
    this.root.replaceChildren(text);
    this.#place(over, x, y);
  }

  #place(over: HTMLElement, x: number, y: number): void {
    const { left, top } = over.getBoundingClientRect();
    const width = this.root.offsetWidth;
    this.root.style.left = `${Math.min(left + x + 14, window.innerWidth - width - 8)}px`;
    this.root.style.top = `${Math.min(top + y + 16, window.innerHeight - 36)}px`;
  }

  hide(): void {
    this.root.hidden = true;
  }
}
