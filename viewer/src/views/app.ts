// SPDX-License-Identifier: Apache-2.0
// Puts the views of a model together and lets them follow the store.
import { element } from '../base/dom';
import { layOut } from '../draw/layout/layout';
import { ShapeKind } from '../draw/layout/shapes';
import { type Paint, paintGrains } from '../draw/paint';
import { DARK, LIGHT, siteColor, type Theme, workerColor } from '../draw/theme';
import type { ColourBy } from '../model/metrics';
import type { Model } from '../model/model';
import { buildTree, summarise } from '../model/tree';
import { bindLink } from '../state/link';
import { Store, type ViewName } from '../state/store';
import { answersView } from './answers-view';
import { GraphView } from './graph-view';
import { header } from './header';
import { Help } from './help';
import { bindKeys } from './keys';
import { Legend } from './legend';
import { Panel } from './panel';
import { SitesView } from './sites-view';
import { splitter } from './splitter';
import { StripView } from './strip-view';
import { Tabs } from './tabs';
import { TimelineView } from './timeline-view';
import { Tooltip } from './tooltip';

export interface App {
  store: Store;
  graph: GraphView;
  timeline: TimelineView;
  /** Milliseconds that the layout took. */
  layoutMs: number;
}

export function showApp(root: HTMLElement, model: Model): App {
  const start = performance.now();
  const tree = buildTree(model);
  const layout = layOut(model, tree);
  const layoutMs = performance.now() - start;

  const store = new Store(model, tree);
  const subtrees = summarise(model, tree);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const theme = (): Theme => (dark.matches ? DARK : LIGHT);
  const repaint = (): Paint => {
    const by = store.colourBy.value;
    return paintGrains(model, tree, subtrees, theme(), store.highlighted(), {
      by,
      most: store.mostOf(by),
      severity: store.severity(),
      categories: categories(theme(), by),
    });
  };
  let paint = repaint();

  const tooltip = new Tooltip(store);
  const graph = new GraphView(store, layout, () => paint, tooltip);
  const timeline = new TimelineView(store, () => paint, tooltip);
  const strip = new StripView(store, theme);
  const sites = new SitesView(store);
  const legend = new Legend(store, layout.shapes.has(ShapeKind.CutFragment));
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
  store.selected.listen(redraw);
  store.hovered.listen(redraw);
  for (const signal of [store.site, store.range, store.problem, store.colourBy, store.scale]) signal.listen(recolour);
  dark.addEventListener('change', () => {
    recolour();
    strip.redraw();
  });

  const help = new Help();
  const panes = new Map<ViewName, HTMLElement>([['graph', graph.root]]);
  const tabs = new Tabs(store, root, panes, () => {});
  const main = element('main', {});
  main.append(element('div', { class: 'panes' }, ...panes.values()), legend.root, splitter(main), timeline.root);
  root.replaceChildren(
    header(model, () => help.toggle()),
    answersView(store),
    strip.root,
    tabs.root,
    element('div', { class: 'body' }, main, element('aside', {}, new Panel(store).root, sites.root)),
    tooltip.root,
    help.root,
  );
  bindKeys(store, {
    help,
    search: () => sites.focus(),
    drawing: () => timeline.root.querySelector<HTMLElement>('.surface')!,
  });
  bindLink(store, window);
  document.title = `${model.run.name} – Teff`;
  return { store, graph, timeline, layoutMs };
}

function categories(theme: Theme, by: ColourBy): ((category: number) => number) | undefined {
  if (by === 'site') return (site) => siteColor(theme, site);
  return by === 'worker' ? (worker) => workerColor(theme, worker) : undefined;
}
