// SPDX-License-Identifier: Apache-2.0
// Puts the views of a model together and lets them follow the store.
import { element } from '../base/dom';
import { inputOf } from '../draw/layout/input';
import { Layouts } from '../draw/layout/layouts';
import { TimeScale } from '../draw/layout/measures';
import { type Paint, paintGrains } from '../draw/paint';
import { DARK, LIGHT, type Theme } from '../draw/theme';
import type { Model } from '../model/model';
import { buildTree, summarise } from '../model/tree';
import { bindLink } from '../state/link';
import { type Direction, Store } from '../state/store';
import { answersView } from './answers-view';
import { GraphView } from './graph-view';
import { header } from './header';
import { Legend } from './legend';
import { Panel } from './panel';
import { SitesView } from './sites-view';
import { splitter } from './splitter';
import { TimelineView } from './timeline-view';
import { Tooltip } from './tooltip';

export interface App {
  store: Store;
  graph: GraphView;
  timeline: TimelineView;
  layouts: Layouts;
  /** Comes true when the graph is laid out. */
  ready: Promise<void>;
}

export function showApp(root: HTMLElement, model: Model): App {
  const store = new Store(model, buildTree(model));
  const { tree, folds } = store;
  const scale = TimeScale.of(model.fragment);
  const layouts = new Layouts();
  const arrange = () => layouts.update(inputOf(model, tree, scale.unitsPerNs, (row) => folds.isOpen(row)));
  let subtrees = summarise(model, tree);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const theme = (): Theme => (dark.matches ? DARK : LIGHT);
  const repaint = (): Paint =>
    paintGrains(model, tree, subtrees, theme(), store.highlighted(), {
      by: store.colourBy.value,
      most: store.scale.value.stall,
    });
  let paint = repaint();

  const tooltip = new Tooltip(store);
  const graph = new GraphView(store, layouts, () => paint, tooltip);
  const timeline = new TimelineView(store, () => paint, tooltip);
  const sites = new SitesView(store);
  const legend = new Legend(store, hasCuts(model, scale));
  legend.show(theme());

  const redraw = () => {
    graph.redraw();
    timeline.redraw();
  };
  const recolour = () => {
    paint = repaint();
    legend.show(theme());
    redraw();
  };
  folds.arranged = () => {
    subtrees = summarise(model, tree);
    paint = repaint();
    return arrange();
  };
  store.selected.listen(redraw);
  store.hovered.listen(redraw);
  store.site.listen(recolour);
  store.colourBy.listen(recolour);
  store.scale.listen(recolour);
  dark.addEventListener('change', recolour);

  const main = element('main', {});
  main.append(graph.root, legend.root, splitter(main), timeline.root);
  root.replaceChildren(
    header(model.run),
    answersView(store),
    element('div', { class: 'body' }, main, element('aside', {}, new Panel(store).root, sites.root)),
    tooltip.root,
  );
  bindKeys(store, sites);
  bindLink(store, window);
  document.title = `${model.run.name} – Teff`;
  return { store, graph, timeline, layouts, ready: arrange() };
}

const hasCuts = ({ fragment }: Model, scale: TimeScale): boolean =>
  fragment.start.some((start, row) => scale.isCut(fragment.end[row]! - start));

const WALKS: Record<string, Direction> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

/** Keys that work anywhere on the page. */
function bindKeys(store: Store, sites: SitesView): void {
  window.addEventListener('keydown', (event) => {
    const walk = WALKS[event.key];
    if (event.altKey && walk) {
      event.preventDefault();
      store.walk(walk);
      return;
    }
    if (event.key === 'Escape') {
      if (event.target instanceof HTMLInputElement) event.target.blur();
      else if (store.selected.value !== undefined) store.select(undefined);
      else store.highlight(undefined);
      return;
    }
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'n') store.step(1);
    else if (event.key === 'p') store.step(-1);
    else if (event.key === '/') {
      event.preventDefault();
      sites.focus();
    }
  });
}
