// SPDX-License-Identifier: Apache-2.0
// A dialogue that explains the keys, the mouse and the terms of the page.
import { button, element } from '../base/dom';

export type Entries = readonly [string, string][];

const KEYS: Entries = [
  ['1 … 7', 'program, graph, flame, sites, loops, dependences, source'],
  ['W S, + −', 'zoom in and out, in graph, time line and dependences'],
  ['A D, arrows', 'move'],
  ['0', 'show all'],
  ['Enter', 'in the time line: select the grain in the middle; in the graph: open or close the selected group'],
  ['Alt + arrows', 'go to parent, child, siblings'],
  ['N P', 'next and previous of the grains that stand out'],
  ['/', 'search sites by file, function or line'],
  ['Esc', 'clear the selected grain, then the site, the problem and the time range'],
  ['?', 'this list'],
];
const MOUSE: Entries = [
  ['Wheel', 'zooms around the pointer; with Shift it moves'],
  ['Drag', 'moves; in the strip at the top it selects a time range for all views; what cannot follow says “whole run”'],
  ['Click', 'selects a grain, a site, or a path'],
  ['Double-click', 'zooms to the selected grain and its children'],
];

const TERMS: Entries = [
  ['grain', 'a task, or a chunk of a loop: what is scheduled as one piece'],
  ['implicit', 'the part of a region that each of its threads runs; initial: what runs outside of regions'],
  ['work', 'time in the code of the program, without waits and without the runtime'],
  ['span', 'the work on the longest path of grains that had to follow each other, as scheduled'],
  ['parallelism', 'work over span: how many workers could be kept busy'],
  ['site', 'a place in the source from which grains come, or at which threads wait'],
  ['sync', 'a place at which threads wait for each other: a barrier, taskwait, and so on'],
  ['until', 'the step of a region that ends at this barrier; its work is part of that of the region’s line'],
  ['rounds of', 'the steps below are repeated as often, one after the other; figures are of all rounds'],
  ['low', 'low benefit: grains that did less than creating and scheduling them cost'],
];

export class Help {
  readonly root = element('dialog', { class: 'help', 'aria-label': 'Keys, mouse and terms' });

  constructor(keys = KEYS, mouse = MOUSE, terms = TERMS) {
    this.root.append(
      element('h2', {}, 'Keys'),
      list(keys),
      element('h2', {}, 'Mouse'),
      list(mouse),
      ...(terms.length > 0 ? [element('h2', {}, 'Terms'), list(terms)] : []),
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
