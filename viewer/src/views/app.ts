// SPDX-License-Identifier: Apache-2.0
// Puts the views of a model together, and updates them when the store changes.
import { element } from '../base/dom';
import { ns } from '../base/time';
import { inputOf } from '../draw/layout/input';
import { Layouts } from '../draw/layout/layouts';
import { TimeScale } from '../draw/layout/measures';
import { type Paint, paintGrains } from '../draw/paint';
import { DARK, LIGHT, numberColor, siteColor, type Theme } from '../draw/theme';
import { siteId, workerId } from '../model/ids';
import type { ColourBy } from '../model/metrics';
import type { Model } from '../model/model';
import { type Subtrees, summarise } from '../model/tree';
import { bindLink } from '../state/link';
import type { Store, ViewName } from '../state/store';
import { align } from './align';
import { answersView } from './answers-view';
import { DependencesView } from './dependences-view';
import { FlameView } from './flame-view';
import { GraphView } from './graph-view';
import { header } from './header';
import { Help } from './help';
import { bindKeys } from './keys';
import { Legend } from './legend';
import { LoopsView } from './loops-view';
import { OutlineView } from './outline-view';
import { Panel } from './panel';
import { SiteTable } from './site-table';
import { SitesView } from './sites-view';
import { SourceView } from './source-view';
import { splitter } from './splitter';
import { StripView } from './strip-view';
import { Tabs } from './tabs';
import { TimelineView } from './timeline-view';
import { Tooltip } from './tooltip';
import { bindWholeRun } from './whole-run';

export interface App {
  store: Store;
  graph: GraphView;
  timeline: TimelineView;
  flame: FlameView;
  dependences: DependencesView;
  layouts: Layouts;
  /** Resolves when the graph is laid out. */
  ready: Promise<void>;
}

/** Keeps the colours of a store's grains up to date. */
export class Painter {
  paint: Paint;
  #subtrees: Subtrees;

  constructor(
    readonly store: Store,
    readonly theme: () => Theme,
  ) {
    this.#subtrees = summarise(store.model, store.tree);
    this.paint = this.#painted();
  }

  /** Computes the colours again after a change of the selection or the theme. */
  repaint(): void {
    this.paint = this.#painted();
  }

  /** Computes the subtrees and the colours again after the tables of grains have grown. */
  regroup(): void {
    this.#subtrees = summarise(this.store.model, this.store.tree);
    this.repaint();
  }

  #painted(): Paint {
    const { store, theme } = this;
    const by = store.colourBy.value;
    return paintGrains(store.model, store.tree, this.#subtrees, theme(), store.highlighted(), {
      by,
      most: store.mostOf(by),
      severity: store.severity(),
      categories: categories(theme(), by),
    });
  }
}

/** The signals of a store on which the colours of its grains depend. */
export const paintedBy = ({ site, range, problem, colourBy, scale }: Store) => [site, range, problem, colourBy, scale];

export function showApp(root: HTMLElement, store: Store): App {
  const { model, tree, folds } = store;
  const scale = TimeScale.of(model.fragment);
  const layouts = new Layouts();
  const arrange = () => layouts.update(inputOf(model, tree, scale.unitsPerNs, (row) => folds.isOpen(row)));
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const theme = (): Theme => (dark.matches ? DARK : LIGHT);
  const painter = new Painter(store, theme);

  const tooltip = new Tooltip(store);
  const graph = new GraphView(store, layouts, () => painter.paint, tooltip);
  const timeline = new TimelineView(store, () => painter.paint, tooltip);
  const strip = new StripView(store, theme);
  const flame = new FlameView(store, theme, tooltip);
  const outline = new OutlineView(store);
  const loops = new LoopsView(store, theme, tooltip);
  const dependences = new DependencesView(store, theme, tooltip);
  const source = new SourceView(store);
  const table = new SiteTable(store);
  const sites = new SitesView(store);
  const legend = new Legend(store, hasCuts(model, scale));
  legend.show(theme());

  const redraw = () => {
    graph.redraw();
    timeline.redraw();
  };
  const recolour = () => {
    painter.repaint();
    legend.show(theme());
    redraw();
  };
  folds.arranged = () => {
    painter.regroup();
    return arrange();
  };
  store.selected.listen(redraw);
  store.hovered.listen(redraw);
  for (const signal of paintedBy(store)) signal.listen(recolour);
  dark.addEventListener('change', () => {
    recolour();
    for (const view of [strip, flame, loops, dependences]) view.redraw();
  });

  align(strip.root, timeline.root);

  const help = new Help();
  const panes = new Map<ViewName, HTMLElement>([
    ['outline', outline.root],
    ['graph', graph.root],
    ['flame', flame.root],
    ['sites', table.root],
    ['loops', loops.root],
    ['dependences', dependences.root],
    ['source', source.root],
  ]);
  const tabs = new Tabs(store, root, panes, (view) => {
    if (view === 'source') source.open();
    if (view === 'dependences') dependences.open();
  });
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
    search: () => (tabs.shown === 'sites' ? table : tabs.shown === 'flame' ? flame : sites).focus(),
    drawing: () => timeline.root.querySelector<HTMLElement>('.surface')!,
  });
  bindWholeRun(root, store);
  bindLink(store, window);
  document.title = `${model.run.name} – Teff`;
  return { store, graph, timeline, flame, dependences, layouts, ready: arrange() };
}

const hasCuts = ({ fragment }: Model, scale: TimeScale): boolean =>
  fragment.start.some((start, row) => scale.isCut(ns(fragment.end[row]! - start)));

function categories(theme: Theme, by: ColourBy): ((category: number) => number) | undefined {
  if (by === 'site') return (site) => siteColor(theme, siteId(site));
  return by === 'worker' || by === 'core' ? (number) => numberColor(theme, workerId(number)) : undefined;
}
