// SPDX-License-Identifier: Apache-2.0
// The keys that work everywhere on the page.
import type { Direction, Store } from '../state/store';
import type { Help } from './help';
import { MIDDLE } from './tabs';

const WALKS: Record<string, Direction> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

export interface KeyTargets {
  help: Help;
  /** Takes the focus for the search of sites. */
  search(): void;
  /** Takes the keys that move and zoom when no drawing has the focus. */
  drawing(): HTMLElement;
}

/** Keys that move drawings. */
export const MOVES = new Set(['w', 'a', 's', 'd']);

export function bindKeys(store: Store, targets: KeyTargets): void {
  const actions: Record<string, () => void> = {
    n: () => store.step(1),
    p: () => store.step(-1),
    '/': () => targets.search(),
    '?': () => targets.help.toggle(),
  };
  for (const [at, view] of MIDDLE.entries()) actions[String(at + 1)] = () => store.view.set(view);
  window.addEventListener('keydown', (event) => {
    const walk = WALKS[event.key];
    if (event.altKey && walk) {
      event.preventDefault();
      store.walk(walk);
      return;
    }
    const writes = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === 'Escape') {
      if (targets.help.root.open) return;
      if (writes) (event.target as HTMLElement).blur();
      else clear(store);
      return;
    }
    if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
    if (MOVES.has(event.key)) forward(event, targets.drawing());
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/**
 * Clears one part of the selection: the grain, else the site, else the problem, else the time
 * range.
 */
function clear(store: Store): void {
  if (store.selected.value !== undefined) store.select(undefined);
  else if (store.site.value !== undefined) store.highlight(undefined);
  else if (store.problem.value !== undefined) store.problem.set(undefined);
  else store.focus(undefined);
}

export function forward(event: KeyboardEvent, drawing: HTMLElement): void {
  const { target } = event;
  if (target instanceof Element && target.closest('.surface, .sheet[role=application]')) return;
  drawing.dispatchEvent(new KeyboardEvent('keydown', { key: event.key }));
}
