// SPDX-License-Identifier: Apache-2.0
// The time line: one lane per worker under an axis of time.
import { button, element } from '../base/dom';
import { formatCount, formatPercent, formatTick, formatTime } from '../base/format';
import { roundStep, ticks } from '../base/ticks';
import { type Ns, ns } from '../base/time';
import type { Viewport } from '../base/viewport';
import { cssColor } from '../draw/color';
import type { Paint } from '../draw/paint';
import { classColor, labelColor } from '../draw/theme';
import {
  fragmentAt,
  idleAt,
  type LaneGeometry,
  stretchAt,
  TimelineScene,
  type WakeArrow,
} from '../draw/timeline-scene';
import { classLabel, classMeaning } from '../model/answers';
import { type GrainRow, NOBODY, NONE } from '../model/ids';
import { buildLanes, type Lane, timeRange } from '../model/lanes';
import { NumberRows } from '../model/numbers';
import type { TimeRange } from '../model/range';
import { siteLabel } from '../model/sites';
import { sharesAt, stretchLength } from '../model/spent';
import { type AskForTile, isBin, rowAt, type Stretch, TimeTiles } from '../model/tiles';
import { wakesOf } from '../model/wakes';
import type { Store } from '../state/store';
import { MARGIN } from './align';
import { writeLabel } from './label';
import { measureFrames } from './measure';
import { PanZoom } from './pan-zoom';
import { Surface } from './surface';
import type { Tooltip } from './tooltip';
import { causeName } from './words';

const AXIS = 24;
const GAP = 4;
const FONT = '12px "Inter", "Segoe UI", system-ui, sans-serif';
const MIN_LANE = 9;
const MAX_LANE = 40;
/** The finest zoom: pixels per nanosecond. */
const MAX_SCALE = 10;
/** Length of an arrow's head. */
const HEAD = 8;

export class TimelineView {
  readonly root: HTMLElement;
  readonly #names = element('div', { class: 'lane-names', 'aria-hidden': 'true' });
  readonly #scene: TimelineScene;
  readonly #surface: Surface;
  readonly #panZoom: PanZoom;
  readonly #range: TimeRange;
  /** Called when the target of the view has changed, so that another time line may follow. */
  aimed: () => void = () => {};
  /** True while the view goes to a grain that was selected elsewhere. */
  #revealing = false;
  /** True while the view shows the whole run, or moves there. It then does so at any size. */
  #whole = true;
  /** True while a selected time range waits to be shown, because the surface has no size. */
  #waiting = false;
  /** The rows of the idle time under the pointer, and of the one that was clicked. */
  #idle: number | undefined;
  #clickedIdle: number | undefined;
  /** The wake-ups of a grain, and that grain: the selected one of the last frame. */
  #wakes: readonly number[] = [];
  #wakesOf: GrainRow | undefined;

  constructor(
    readonly store: Store,
    readonly paint: () => Paint,
    readonly tooltip: Tooltip,
  ) {
    this.#range = timeRange(store.model);
    const { time } = store.model;
    const { server } = store;
    const ask = server && ((...about: Parameters<AskForTile>) => server.time(...about));
    const tiles = time && new TimeTiles(store.model, time, ask, () => this.redraw());
    const rows = new NumberRows(store.model);
    this.#scene = new TimelineScene(store.model, buildLanes(store.model), tiles, (number) => rows.of(number));
    this.#surface = new Surface(
      'Time line, one lane per worker. Arrow keys move, plus and minus zoom, 0 shows all.',
      () => this.#draw(),
      () => this.#resized(),
    );
    this.#panZoom = new PanZoom({
      surface: this.#surface.root,
      axes: 'x',
      limit: (view) => this.#limit(view),
      fit: () => this.#fit(),
      changed: () => {
        this.#surface.request();
        this.#placeNames();
      },
      aimed: () => {
        this.#whole = isSame(this.#panZoom.target, this.#fit());
        this.#tellSeen();
        this.aimed();
      },
      clicked: (x, y) => this.#click(x, y),
      hovered: (x, y) => this.#hover(x, y),
      left: () => this.#leave(),
    });
    const tools = element(
      'div',
      { class: 'tools', role: 'group', 'aria-label': 'Zoom of the time line' },
      button('+', 'Zoom in (+)', () => this.#panZoom.zoom(1.6)),
      button('−', 'Zoom out (−)', () => this.#panZoom.zoom(1 / 1.6)),
      button('Fit', 'Show the whole run (0)', () => this.#panZoom.showAll()),
    );
    const { worker_names } = store.model.run;
    for (const { worker } of this.#scene.lanes)
      this.#names.append(element('span', {}, worker_names[worker] ?? `Worker ${worker}`));
    this.root = element(
      'section',
      { class: 'timeline', 'aria-label': 'Time line' },
      this.#names,
      this.#surface.root,
      tools,
    );
    store.scale.listen(() => this.#resized());
    store.revealed.listen((request) => request && this.#reveal(request.grain));
    store.range.listen((range) => this.#showRange(range));
  }

  /** Whether grains are drawn as work, since nothing else is asked for. */
  #isByClass(): boolean {
    return this.store.colourBy.value === 'kind' && this.store.problem.value === undefined;
  }

  redraw(): void {
    this.#surface.request();
  }

  /** Shows the same stretch of time as another time line. */
  follow(other: TimelineView): void {
    const { target, moving } = other.#panZoom;
    if (isSame(this.#panZoom.target, target)) return;
    const { x, scaleX } = target;
    this.#panZoom.moveTo({ ...this.#panZoom.target, x, scaleX }, moving);
  }

  /** Returns the time from the left to the right of the view, in nanoseconds. */
  shown(): number {
    return this.#surface.width / this.#panZoom.view.scaleX;
  }

  /** Returns the colours of the grains, or of their fragments where these differ. */
  colours(): Set<number> {
    const { fill, fragments } = this.paint();
    return new Set(fragments ?? fill);
  }

  /** Returns the arrows of the wake-ups that are drawn. */
  arrows(): readonly WakeArrow[] {
    return this.#scene.arrows;
  }

  /** Returns the milliseconds per frame while zooming in and out. */
  measureFrames(frames: number): number {
    return measureFrames(this.#panZoom, this.#surface, frames);
  }

  #lanes(): LaneGeometry {
    const room = (this.#surface.height - AXIS - GAP) / Math.max(this.#scene.lanes.length, 1) - GAP;
    const height = Math.min(Math.max(room, MIN_LANE), MAX_LANE);
    return { top: AXIS - this.#panZoom.view.y, height, gap: GAP };
  }

  /**
   * Returns the end of the time line: the end of the recording, or of a longer one that it is
   * compared with.
   */
  #end(): Ns {
    return ns(Math.max(this.#range.end, this.store.scale.value.span));
  }

  #fit(): Viewport {
    const length = this.#end() - this.#range.start;
    return { x: this.#range.start, y: 0, scaleX: this.#surface.width / (length * MARGIN), scaleY: 1 };
  }

  #limit(view: Viewport): Viewport {
    const fit = this.#fit();
    const scaleX = Math.min(Math.max(view.scaleX, fit.scaleX), Math.max(MAX_SCALE, fit.scaleX));
    const shown = this.#surface.width / scaleX;
    const last = Math.max(this.#end() * MARGIN - shown, this.#range.start);
    const lanes = this.#scene.lanes.length * (MIN_LANE + GAP) + AXIS + GAP;
    const y = Math.min(Math.max(view.y, 0), Math.max(0, lanes - this.#surface.height));
    return { x: Math.min(Math.max(view.x, this.#range.start), last), y, scaleX, scaleY: 1 };
  }

  #resized(): void {
    if (this.#waiting) this.#showRange(this.store.range.value, false);
    else this.#panZoom.moveTo(this.#whole ? this.#fit() : this.#panZoom.target, false);
    this.#placeNames();
  }

  #placeNames(): void {
    const { top, height, gap } = this.#lanes();
    this.#names.style.paddingTop = `${AXIS}px`;
    this.#names.style.setProperty('--lane', `${height + gap}px`);
    this.#names.scrollTop = AXIS - top;
  }

  #draw(): void {
    const { width, height, renderer } = this.#surface;
    const { view } = this.#panZoom;
    const paint = this.paint();
    const marks = { selected: this.store.selected.value, hovered: this.store.hovered.value };
    const site = this.store.site.value;
    const wakes = this.#marked();
    const byClass = this.#isByClass();
    this.#scene.build({ view, width, height, lanes: this.#lanes(), paint, marks, site, wakes, byClass });
    const { ground, fragments, marks: outlines } = this.#scene.batches;
    renderer?.draw([ground, fragments, outlines], width, height, paint.theme.background);
    this.#axis(view, paint);
    this.#labels(paint);
    this.#tileLabels(paint);
    this.#arrows(paint);
  }

  /**
   * Returns the idle times whose wake-ups stand out: those of the selected grain, and the one under
   * the pointer or clicked.
   */
  #marked(): ReadonlySet<number> {
    const { selected } = this.store;
    if (this.#wakesOf !== selected.value) {
      this.#wakesOf = selected.value;
      const { into, from } = wakesOf(this.store.model, selected.value ?? NONE);
      this.#wakes = into === undefined ? from : [into, ...from];
    }
    return new Set([...this.#wakes, ...[this.#idle, this.#clickedIdle].filter((row) => row !== undefined)]);
  }

  /** Draws the wake-ups above everything else. */
  #arrows(paint: Paint): void {
    const { text } = this.#surface;
    for (const { from, to, strong } of this.#scene.arrows) {
      text.globalAlpha = strong ? 1 : 0.75;
      text.strokeStyle = cssColor(strong ? paint.theme.selection : paint.theme.text);
      text.fillStyle = text.strokeStyle;
      text.lineWidth = strong ? 2 : 1;
      const angle = Math.atan2(to.y - from.y, to.x - from.x);
      text.beginPath();
      text.moveTo(from.x, from.y);
      text.lineTo(to.x, to.y);
      text.stroke();
      text.beginPath();
      text.arc(from.x, from.y, strong ? 3 : 2, 0, 2 * Math.PI);
      text.fill();
      text.beginPath();
      text.moveTo(to.x, to.y);
      for (const side of [-0.45, 0.45])
        text.lineTo(to.x - HEAD * Math.cos(angle + side), to.y - HEAD * Math.sin(angle + side));
      text.fill();
    }
    text.globalAlpha = 1;
    text.lineWidth = 1;
  }

  #axis(view: Viewport, paint: Paint): void {
    const { width, height } = this.#surface;
    const text = this.#surface.beginText(FONT, cssColor(paint.theme.text));
    text.fillStyle = cssColor(paint.theme.background);
    text.fillRect(0, 0, width, AXIS - 2);
    text.fillStyle = cssColor(paint.theme.text);
    text.strokeStyle = cssColor(paint.theme.edge);
    text.globalAlpha = 0.9;
    const step = ns(roundStep(110 / view.scaleX));
    for (const time of ticks(view.x, view.x + width / view.scaleX, step)) {
      const x = Math.round((time - view.x) * view.scaleX) + 0.5;
      text.beginPath();
      text.moveTo(x, AXIS - 8);
      text.lineTo(x, AXIS - 2);
      text.stroke();
      text.save();
      text.globalAlpha = 0.18;
      text.beginPath();
      text.moveTo(x, AXIS - 2);
      text.lineTo(x, height);
      text.stroke();
      text.restore();
      text.textAlign = x < 30 ? 'left' : x > width - 30 ? 'right' : 'center';
      text.fillText(formatTick(ns(time), step), x, 8);
    }
    text.globalAlpha = 1;
  }

  #labels(paint: Paint): void {
    const { model } = this.store;
    const { grain, fragment } = model;
    for (const label of this.#scene.labels) {
      if (paint.dimmed[label.grain] || label.fragment === undefined) continue;
      const site = model.sites[grain.site[label.grain]!];
      const time = formatTime(ns(fragment.end[label.fragment]! - fragment.start[label.fragment]!));
      const lines = [site ? siteLabel(site) : time, time];
      const own = paint.fragments?.[label.fragment] ?? paint.fill[label.grain]!;
      const fill = this.#isByClass() ? classColor(paint.theme, 'work') : own;
      writeLabel(this.#surface.text, lines, label, this.#surface, labelColor(fill));
    }
  }

  #laneAt(y: number): Lane | undefined {
    const { top, height, gap } = this.#lanes();
    return y < top ? undefined : this.#scene.lanes[Math.floor((y - top) / (height + gap))];
  }

  /** Returns the rectangle of a tile at a point, where the time line is drawn from tiles. */
  #tileAt(x: number, y: number): { tile: Stretch['tile']; row: number } | undefined {
    const { tiles } = this.#scene;
    const lane = this.#laneAt(y);
    if (!tiles || !lane) return undefined;
    const { view } = this.#panZoom;
    const time = ns(view.x + x / view.scaleX);
    for (const stretch of tiles.stretches(lane.worker, tiles.level(view.scaleX), time, time)) {
      const row = rowAt(stretch, time, ns(2 / view.scaleX));
      if (row !== undefined) return { tile: stretch.tile, row };
    }
    return undefined;
  }

  #tileLabels(paint: Paint): void {
    const { sites } = this.store.model;
    const fill = this.#isByClass() ? classColor(paint.theme, 'work') : paint.theme.task;
    for (const label of this.#scene.tileLabels) {
      if (label.dimmed) continue;
      const site = sites[label.site];
      const time = formatTime(label.time);
      const lines = [site ? siteLabel(site) : time, time];
      writeLabel(this.#surface.text, lines, label, this.#surface, labelColor(fill));
    }
  }

  #grainAt(x: number, y: number): GrainRow | undefined {
    const lane = this.#laneAt(y);
    // Where tiles can be fetched, the time line is drawn from tiles.
    if (!lane || this.#scene.tiles?.ask) return undefined;
    const { view } = this.#panZoom;
    const row = fragmentAt(this.store.model, lane, ns(view.x + x / view.scaleX), ns(2 / view.scaleX));
    return row === undefined ? undefined : this.store.model.fragment.grain[row];
  }

  /** Returns the row of the idle time at a point; undefined: there is none. */
  #idleAt(x: number, y: number): number | undefined {
    const lane = this.#laneAt(y);
    const { view } = this.#panZoom;
    return lane && idleAt(this.store.model, lane, ns(view.x + x / view.scaleX));
  }

  /**
   * Selects what is at a point. For a rectangle of several fragments, goes to the grain of the
   * longest.
   */
  #click(x: number, y: number): void {
    const grain = this.#grainAt(x, y);
    const found = grain === undefined ? this.#tileAt(x, y) : undefined;
    this.#clickedIdle = grain === undefined && !found ? this.#idleAt(x, y) : undefined;
    this.redraw();
    if (found) void this.store.reach(found.tile.number[found.row]!);
    else this.store.select(grain);
  }

  #hover(x: number, y: number): void {
    const grain = this.#grainAt(x, y);
    const found = grain === undefined ? this.#tileAt(x, y) : undefined;
    const idle = grain === undefined && !found ? this.#idleAt(x, y) : undefined;
    if (idle !== this.#idle) this.redraw();
    this.#idle = idle;
    this.store.hovered.set(grain);
    this.#surface.root.style.cursor = grain === undefined && !found ? '' : 'pointer';
    const shares = this.#sharesText(x, y);
    const stretch = grain === undefined && !found ? this.#stretchText(x, y) : '';
    if (shares) this.tooltip.say(shares, this.#surface.root, x);
    else if (found) this.#sayTile(found, x);
    else if (stretch) {
      const woken = idle === undefined ? '' : `. ${this.#idleText(idle)}`;
      this.tooltip.say(stretch + woken, this.#surface.root, x);
    } else if (idle !== undefined) this.tooltip.say(this.#idleText(idle), this.#surface.root, x);
    else this.tooltip.show(grain, this.#surface.root, x);
  }

  /** Says how a worker spent the time under the pointer, where its lane shows shares. */
  #sharesText(x: number, y: number): string {
    const lane = this.#laneAt(y);
    const { view } = this.#panZoom;
    const { width } = this.#surface;
    const [byClass, site] = [this.#isByClass(), this.store.site.value];
    if (!lane || !this.#scene.showsShares({ view, width, byClass, site }, lane)) return '';
    const [from, to] = [ns(view.x + x / view.scaleX), ns(view.x + (x + 1) / view.scaleX)];
    const { lanes } = this.store.model.whole;
    const shares = sharesAt(lanes, lane.worker, from, to);
    return shares.map(({ name, share }) => `${classLabel(name)} ${formatPercent(share)}`).join(' · ');
  }

  #stretchText(x: number, y: number): string {
    const { model } = this.store;
    const lane = this.#laneAt(y);
    const { view } = this.#panZoom;
    const row = lane && stretchAt(model, lane, ns(view.x + x / view.scaleX));
    if (row === undefined) return '';
    const { classes, stretch } = model.whole.lanes;
    const name = classes[stretch.class[row]!]!;
    return `${classLabel(name)} for ${formatTime(stretchLength(stretch, row))}: ${classMeaning(name)}`;
  }

  #idleText(row: number): string {
    const { idle } = this.store.model;
    const text = `Idle for ${formatTime(ns(idle.end[row]! - idle.start[row]!))}`;
    if (idle.woken_by[row] === NOBODY) return text;
    const why = causeName(idle.cause[row]!);
    const after = formatTime(ns(idle.end[row]! - idle.woken[row]!));
    return `${text} · woken by worker ${idle.woken_by[row]}, awake ${after} later${why && `: ${why}`}`;
  }

  #sayTile({ tile, row }: { tile: Stretch['tile']; row: number }, x: number): void {
    const length = ns(tile.end[row]! - tile.start[row]!);
    const site = this.store.model.sites[tile.site[row]!];
    const place = site ? siteLabel(site) : 'unknown place';
    const text = isBin(tile, row)
      ? `${formatCount(tile.count[row]!)} fragments in ${formatTime(length)}, ${formatPercent(tile.busy[row]! / length)} ` +
        `of the time; the longest at ${place}`
      : `${place} · ${formatTime(length)} · grain #${tile.number[row]}`;
    this.tooltip.say(text, this.#surface.root, x);
  }

  #leave(): void {
    this.store.hovered.set(undefined);
    this.#idle = undefined;
    this.redraw();
    this.tooltip.hide();
  }

  /** Zooms to the selected time range, or to the whole run if none is selected. */
  #showRange(range: TimeRange | undefined, smooth = true): void {
    this.#waiting = this.#surface.width <= 1;
    if (!range) {
      this.#panZoom.moveTo(this.#fit(), smooth);
      return;
    }
    const scaleX = this.#surface.width / (range.end - range.start);
    this.#panZoom.moveTo({ ...this.#panZoom.view, x: range.start, scaleX }, smooth);
  }

  /** Scrolls to a grain that is outside the view. */
  #reveal(grain: GrainRow): void {
    const { view } = this.#panZoom;
    const { start, end } = this.store.model.grain;
    const shown = this.#surface.width / view.scaleX;
    if (end[grain]! >= view.x && start[grain]! <= view.x + shown) return;
    this.#revealing = true;
    this.#panZoom.moveTo({ ...view, x: (start[grain]! + end[grain]! - shown) / 2 });
    this.#revealing = false;
  }

  /** Tells the other views which part of the run is shown, or will be at the end of the move. */
  #tellSeen(): void {
    const { x, scaleX } = this.#panZoom.target;
    const end = ns(Math.min(x + this.#surface.width / scaleX, this.#end()));
    const start = ns(Math.max(x, this.#range.start));
    this.store.seen.set(this.#whole ? undefined : { start, end, follow: !this.#revealing });
  }
}

const isSame = (one: Viewport, other: Viewport) => one.x === other.x && one.scaleX === other.scaleX;
