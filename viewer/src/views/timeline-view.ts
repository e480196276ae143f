// SPDX-License-Identifier: Apache-2.0
// The time line: one lane per worker, and one per device, under an axis of time.
import { button, element } from '../base/dom';
import { formatPercent, formatTick, formatTime } from '../base/format';
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
import { classLabel } from '../model/answers';
import { pieceAt, pieceText } from '../model/device-lanes';
import { type GrainRow, NONE } from '../model/ids';
import { buildLanes, type Lane, timeRange } from '../model/lanes';
import { NumberRows } from '../model/numbers';
import type { TimeRange } from '../model/range';
import { siteLabel } from '../model/sites';
import { sharesAt } from '../model/spent';
import { type AskForTile, rowAt, type Stretch, TimeTiles } from '../model/tiles';
import { wakesOf } from '../model/wakes';
import type { Store } from '../state/store';
import { MARGIN } from './align';
import { writeLabel } from './label';
import { measureFrames } from './measure';
import { PanZoom } from './pan-zoom';
import { Surface } from './surface';
import { fragmentText, idleText, nameOf, stretchText, tileText } from './timeline-words';
import type { Tooltip } from './tooltip';

const AXIS = 24;
const GAP = 4;
const FONT = '12px "Inter", "Segoe UI", system-ui, sans-serif';
const MIN_LANE = 9;
const MAX_LANE = 40;
/** The finest zoom: pixels per nanosecond. */
const MAX_SCALE = 10;
/** A grain that is zoomed to has as much room as this, in its own length. */
const CLOSE = 1.1;
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
      'Time line, one lane per worker. Arrow keys move, plus and minus zoom, 0 shows all, Enter selects the grain in the middle.',
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
    this.#surface.root.addEventListener('dblclick', (event) => this.#close(event.offsetX, event.offsetY));
    this.#surface.root.addEventListener('keydown', (event) => event.key === 'Enter' && this.#selectMiddle());
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
    for (const device of store.model.whole.devices.devices) this.#names.append(element('span', {}, `Device ${device}`));
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
    const room = (this.#surface.height - AXIS - GAP) / Math.max(this.#scene.rows, 1) - GAP;
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
    const lanes = this.#scene.rows * (MIN_LANE + GAP) + AXIS + GAP;
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
    const site = this.store.siteOfGrains;
    const wakes = this.#marked();
    const byClass = this.#isByClass();
    const problem = this.store.problem.value !== undefined;
    this.#scene.build({ view, width, height, lanes: this.#lanes(), paint, marks, site, problem, wakes, byClass });
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
    return this.#scene.lanes[this.#rowAt(y)];
  }

  /** Returns the number of the lane at a height, negative above the first one. */
  #rowAt(y: number): number {
    const { top, height, gap } = this.#lanes();
    return Math.floor((y - top) / (height + gap));
  }

  /** Says what goes on at a point of a device's lane. */
  #deviceText(x: number, y: number): string {
    const { devices } = this.store.model.whole;
    const rows = this.#scene.devices[this.#rowAt(y) - this.#scene.lanes.length];
    if (!rows) return '';
    const { view } = this.#panZoom;
    const row = pieceAt(devices, rows, ns(view.x + x / view.scaleX), ns(2 / view.scaleX));
    return row === undefined ? '' : pieceText(devices, row);
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

  /** Selects the grain that is nearest to the middle of the view, for those who have no pointer. */
  #selectMiddle(): void {
    if (this.#scene.tiles?.ask) return;
    const { model } = this.store;
    const { view } = this.#panZoom;
    const { start, end, grain } = model.fragment;
    const middle = ns(view.x + this.#surface.width / view.scaleX / 2);
    const distance = (row: number) => Math.max(start[row]! - middle, middle - end[row]!, 0);
    const near = this.#scene.lanes
      .map((lane) => fragmentAt(model, lane, middle, ns(Number.POSITIVE_INFINITY)))
      .filter((row) => row !== undefined)
      .sort((a, b) => distance(a) - distance(b));
    if (near[0] !== undefined) this.store.select(grain[near[0]]);
  }

  /** Zooms to the grain at a point and its children. */
  #close(x: number, y: number): void {
    const grain = this.#grainAt(x, y);
    const found = grain === undefined ? this.#tileAt(x, y) : undefined;
    const { tree, model } = this.store;
    let [start, end] = found
      ? [found.tile.start[found.row]!, found.tile.end[found.row]!]
      : [Number.POSITIVE_INFINITY, 0];
    if (grain !== undefined)
      for (let at = tree.position[grain]!; at < tree.subtreeEnd[grain]!; at++) {
        const row = tree.order[at]!;
        start = Math.min(start, model.grain.start[row]!);
        end = Math.max(end, model.grain.end[row]!);
      }
    if (!(end > start)) return;
    const scaleX = this.#surface.width / ((end - start) * CLOSE);
    this.#panZoom.moveTo({ ...this.#panZoom.view, x: start - ((end - start) * (CLOSE - 1)) / 2, scaleX });
  }

  #hover(x: number, y: number): void {
    const grain = this.#grainAt(x, y);
    const found = grain === undefined ? this.#tileAt(x, y) : undefined;
    const idle = grain === undefined && !found ? this.#idleAt(x, y) : undefined;
    if (idle !== this.#idle) this.redraw();
    this.#idle = idle;
    this.store.hovered.set(grain);
    this.#surface.root.style.cursor = grain === undefined && !found ? '' : 'pointer';
    const device = this.#deviceText(x, y);
    if (device) {
      this.tooltip.say(device, this.#surface.root, x);
      return;
    }
    const lane = this.#laneAt(y);
    const shares = this.#sharesText(x, y);
    const what = found ? tileText(this.store.model, found) : this.#whatText(x, y, grain);
    const woken = idle === undefined ? '' : idleText(this.store.model, idle);
    const texts = [shares, what, woken].filter(Boolean);
    if (!lane || texts.length === 0) this.tooltip.hide();
    else
      this.tooltip.say(
        `${texts.join(' · ')} · ${this.#whereText(x, lane)}`,
        this.#surface.root,
        x,
        undefined,
        nameOf(this.store.model, grain),
      );
  }

  /** Names the worker of a lane and the instant at a pixel. */
  #whereText(x: number, { worker }: Lane): string {
    const { view } = this.#panZoom;
    const name = this.store.model.run.worker_names[worker] ?? `Worker ${worker}`;
    return `${name} at ${formatTime(ns(view.x + x / view.scaleX))}`;
  }

  /** Says how a worker spent the time under the pointer, where its lane shows shares. */
  #sharesText(x: number, y: number): string {
    const lane = this.#laneAt(y);
    const { view } = this.#panZoom;
    const { width } = this.#surface;
    if (!lane || !this.#scene.showsShares({ view, width, byClass: this.#isByClass() }, lane)) return '';
    const [from, to] = [ns(view.x + x / view.scaleX), ns(view.x + (x + 1) / view.scaleX)];
    const { lanes } = this.store.model.whole;
    const shares = sharesAt(lanes, lane.worker, from, to);
    return shares.map(({ name, share }) => `${classLabel(name)} ${formatPercent(share)}`).join(' · ');
  }

  /** Says what a fragment or the stretch without one at a point is. */
  #whatText(x: number, y: number, grain: GrainRow | undefined): string {
    const { model } = this.store;
    const lane = this.#laneAt(y);
    if (!lane) return '';
    const { view } = this.#panZoom;
    const time = ns(view.x + x / view.scaleX);
    const row = grain === undefined ? stretchAt(model, lane, time) : fragmentAt(model, lane, time, ns(2 / view.scaleX));
    if (row === undefined) return '';
    return grain === undefined ? stretchText(model, row) : fragmentText(model, row);
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
