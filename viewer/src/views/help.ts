// SPDX-License-Identifier: Apache-2.0
// A dialogue that explains the keys and the mouse.
import { button, element } from '../base/dom';

export type Entries = readonly [string, string][];

const KEYS: Entries = [
  ['1 … 7', 'program, graph, flame, sites, loops, dependences, source'],
  ['W S, + −', 'zoom in and out, in graph, time line and dependences'],
  ['A D, arrows', 'move'],
  ['0', 'show all'],
  ['Alt + arrows', 'go to parent, child, siblings'],
  ['N P', 'next and previous of the grains that stand out'],
  ['/', 'search sites by file, function or line'],
  ['Esc', 'clear the selected grain, then the site, the problem and the time range'],
  ['?', 'this list'],
];
const MOUSE: Entries = [
  ['Wheel', 'zooms around the pointer; with Shift it moves'],
  ['Drag', 'moves; in the strip of parallelism it selects a time range for all views'],
  ['Click', 'selects a grain, a site, or a path'],
  ['Double-click', 'zooms to the selected grain and its children'],
];

export class Help {
  readonly root = element('dialog', { class: 'help', 'aria-label': 'Keys and mouse' });

  constructor(keys = KEYS, mouse = MOUSE) {
    this.root.append(
      element('h2', {}, 'Keys'),
      list(keys),
      element('h2', {}, 'Mouse'),
      list(mouse),
      element('p', { class: 'hint' }, 'The address of the page names what is selected: it can be kept and sent.'),
      button('Close', 'Close (Esc)', () => this.root.close()),
    );
  }

  toggle(): void {
    if (this.root.open) this.root.close();
    else this.root.showModal();
  }
}

function list(entries: Entries): HTMLElement {
  const node = element('dl');
  for (const [keys, meaning] of entries)
    node.append(element('dt', {}, element('kbd', {}, keys)), element('dd', {}, meaning));
  return node;
}
