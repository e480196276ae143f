// SPDX-License-Identifier: Apache-2.0
// Chooses the view that the page shows in its middle. A narrow page shows one part at a time, and
// the parts that stand beside the views on a wide page have tabs, too.
import { element } from '../base/dom';
import type { Store, ViewName } from '../state/store';

interface Tab {
  name: ViewName;
  label: string;
  title: string;
  /** True for a part that a wide page always shows, so that it has a tab on a narrow page only. */
  narrowOnly?: true;
}

export const TABS: readonly Tab[] = [
  { name: 'overview', label: 'Overview', title: 'What to change, and where the time went', narrowOnly: true },
  { name: 'outline', label: 'Program', title: 'What the program is made of: regions, loops, and what is repeated' },
  { name: 'graph', label: 'Graph', title: 'The grain graph' },
  { name: 'timeline', label: 'Time line', title: 'What each worker did', narrowOnly: true },
  { name: 'flame', label: 'Flame', title: 'CPU time or work, by calls or by path of creation' },
  { name: 'sites', label: 'Sites', title: 'All sites, with how the work of their grains is spread' },
  { name: 'loops', label: 'Loops', title: 'Loops, chunk by chunk' },
  { name: 'dependences', label: 'Dependences', title: 'Which task waited for which' },
  { name: 'source', label: 'Source', title: 'The text of the source, with what its lines cost' },
  { name: 'grain', label: 'Grain', title: 'The selected grain, and the list of sites', narrowOnly: true },
];

/** Below this width all parts of the page are tabs. The style sheets have the same figure. */
const NARROW = '(max-width: 760px)';

/** The panes of the middle of the page, by the view that each shows. */
export type Panes = ReadonlyMap<ViewName, HTMLElement>;

export class Tabs {
  readonly root = element('nav', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' });
  readonly #buttons = new Map<ViewName, HTMLButtonElement>();
  readonly #narrow = window.matchMedia(NARROW);
  /** The view that a wide page shows first. */
  readonly #first: ViewName;

  /** `page` gets the view's name as `data-view`; `changed` is told which view is shown now. */
  constructor(
    readonly store: Store,
    readonly page: HTMLElement,
    readonly panes: Panes,
    readonly changed: (view: ViewName) => void,
  ) {
    this.#first = firstView(store);
    for (const [at, { name, label, title, narrowOnly }] of TABS.entries()) {
      const tab = element('button', { type: 'button', role: 'tab', title, class: narrowOnly && 'narrow' }, label);
      tab.addEventListener('click', () => store.view.set(name));
      tab.addEventListener('keydown', (event) => this.#key(event, at));
      this.#buttons.set(name, tab);
      this.root.append(tab);
    }
    this.#narrow.addEventListener('change', () => this.#show());
    store.view.listen(() => this.#show());
    this.#show();
  }

  /** The view that is shown. On a wide page it is one of the middle. */
  get shown(): ViewName {
    const wanted = this.store.view.value;
    if (this.#narrow.matches) return wanted ?? 'overview';
    return wanted && this.panes.has(wanted) ? wanted : this.#first;
  }

  #show(): void {
    const { shown } = this;
    this.page.dataset.view = shown;
    for (const [name, tab] of this.#buttons) {
      tab.hidden = name !== shown && isEmpty(this.store, name);
      tab.setAttribute('aria-selected', String(name === shown));
      tab.tabIndex = name === shown ? 0 : -1;
      if (name === shown) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    for (const [name, pane] of this.panes) pane.hidden = name !== shown;
    this.changed(shown);
  }

  #key(event: KeyboardEvent, at: number): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.altKey) return;
    event.preventDefault();
    for (let next = at + step; next >= 0 && next < TABS.length; next += step) {
      const tab = this.#buttons.get(TABS[next]!.name)!;
      if (tab.offsetParent === null) continue;
      tab.focus();
      tab.click();
      return;
    }
  }
}

/** Whether a view has nothing to show of a recording. */
function isEmpty({ model }: Store, view: ViewName): boolean {
  if (view === 'loops') return model.whole.loops.length === 0;
  return view === 'dependences' && model.whole.dependences.count === 0;
}

/** The graph says most of tasks; of loops, the outline. */
function firstView({ model }: Store): ViewName {
  const hasTasks = model.sites.some(({ kind, count }) => kind === 'task' && count > 0);
  const hasRegions = model.whole.outline.row.some(({ kind }) => kind === 'region');
  return hasRegions && !hasTasks ? 'outline' : 'graph';
}

/** The names of the panes of the middle, in the order of their digits on the keyboard. */
export const MIDDLE = TABS.filter(({ narrowOnly }) => !narrowOnly).map(({ name }) => name);
