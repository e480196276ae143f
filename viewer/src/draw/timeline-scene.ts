// SPDX-License-Identifier: Apache-2.0
// Decides which parts of the time line are drawn. Each worker has a lane, and below these each
// device has one, with its transfers and regions. Where it has room, each
// fragment is a rectangle, and so is each stretch in which the worker ran no grain, in the colour
// of its class of the budget. Where it has not, each column of pixels shows the shares of the
// classes. If grains have other colours, neighbours that share a pixel are drawn as one. A folded
// recording is drawn from tiles: several fragments are one column, as high as their share of the
// time.

import { type Ns, type NsColumn, ns } from '../base/time';
import type { Viewport } from '../base/viewport';
import { piecesByLane } from '../model/device-lanes';
import { type Devices, PieceKind } from '../model/devices';
import type { GrainNumber, GrainRow, SiteId } from '../model/ids';
import { firstAfter, type Lane } from '../model/lanes';
import { Flag, GrainKind, ItemKind, type Model } from '../model/model';
import { lengths } from '../model/range';
import { severityOf, severityOfBenefit } from '../model/severity';
import { sharesOf, stretchClass } from '../model/spent';
import { isBin, type Stretch, type TimeTiles } from '../model/tiles';
import { Batch, type Look, PLAIN } from './batch';
import { over, withAlpha } from './color';
import type { Label, Marks } from './graph-scene';
import { kindColor, type Paint } from './paint';
import { classColor, deviceColor, restColor, severityColor } from './theme';

export interface LaneGeometry {
  /** Top of the first lane in pixels, with scrolling taken into account. */
  top: number;
  height: number;
  gap: number;
}

export interface TimelineFrame {
  view: Viewport;
  width: number;
  height: number;
  lanes: LaneGeometry;
  paint: Paint;
  marks: Marks;
  /** The site whose grains stand out. */
  site?: SiteId | undefined;
  /** Whether the grains that have a problem stand out. */
  problem?: boolean;
  /** Whether fragments have the colour of work, and not colours of their own. */
  byClass?: boolean;
  /** The rows of the idle times whose wake-ups are always drawn, and drawn strongly. */
  wakes?: ReadonlySet<number>;
}

/** An arrow from the worker that woke another to the one that was woken, in pixels. */
export interface WakeArrow {
  from: { x: number; y: number };
  to: { x: number; y: number };
  strong: boolean;
}

const LABEL_WIDTH = 44;
/**
 * A rectangle that ends less than this many pixels to the right of the last one would not be seen.
 */
const HAIR = 0.5;
/**
 * Weak arrows are drawn only if each has at least this number of pixels of the width: more arrows
 * would cover the drawing.
 */
const PER_ARROW = 12;
/** With less than this number of pixels for a rectangle on average, a lane shows shares. */
const PER_RECTANGLE = 4;
/** An interval of shares that is wider than this number of pixels would hide what is known. */
const WIDEST_INTERVAL = 16;
/** If there are more lanes, the columns of shares are wider, so that drawing them takes no longer. */
const MANY_LANES = 16;
/** A class with this share of a column fills it. */
const NEARLY_ALL = 0.97;
/** A fragment of this many pixels whose grain worked for less than this share of its time shows that. */
const LEAST_SPLIT = 20;
const MOSTLY = 0.5;
/** Marked fragments with fewer pixels between them have one outline. */
const APART = 8;
/** On narrower fragments a mark of low benefit would hide the fragment. */
const LEAST_MARKED = 2;
/** The critical path is paler where it is a smaller part of a pixel; there are as many shades. */
const SHADES = 4;
const PALEST = 0.4;

/** The label of a fragment of a tile. */
export interface TileLabel extends Span {
  time: Ns;
  site: SiteId;
  dimmed: boolean;
}

interface Span {
  x: number;
  width: number;
  y: number;
  height: number;
}

export class TimelineScene {
  readonly batches = { ground: new Batch(), fragments: new Batch(), marks: new Batch() };

  /** The labels of the last frame: of fragments in the model, and of fragments in tiles. */
  readonly labels: Label[] = [];
  readonly tileLabels: TileLabel[] = [];
  /** The arrows of the last frame. */
  arrows: WakeArrow[] = [];
  /** For each device, the rows of its pieces. */
  readonly devices: readonly Uint32Array[];
  readonly #sums: Float32Array;
  /** For each grain, the length of its fragments; empty where grains are folded. */
  readonly #lengths: Float64Array;

  constructor(
    readonly model: Model,
    readonly lanes: readonly Lane[],
    /** The tiles of the time line; undefined: no grains are folded. */
    readonly tiles?: TimeTiles,
    /** Returns the row of the grain of a number; undefined: the grain has no row of its own. */
    readonly rowOf: (number: GrainNumber) => GrainRow | undefined = () => undefined,
  ) {
    this.devices = piecesByLane(model.whole.devices);
    this.#sums = new Float32Array(model.whole.lanes.classes.length);
    this.#lengths = tiles ? new Float64Array() : lengths(model);
  }

  build(frame: TimelineFrame): void {
    for (const batch of Object.values(this.batches)) batch.clear();
    this.labels.length = 0;
    this.tileLabels.length = 0;
    this.arrows = [];
    for (const [i, lane] of this.lanes.entries()) {
      const y = frame.lanes.top + i * (frame.lanes.height + frame.lanes.gap);
      if (y > frame.height || y + frame.lanes.height < 0) continue;
      this.batches.ground.add(0, y, frame.width, frame.lanes.height, frame.paint.theme.lane);
      this.#wakes(frame, lane);
      if (this.showsShares(frame, lane)) {
        this.#shares(frame, lane, y);
        this.#criticalPath(frame, lane, y);
        this.#marks(frame, lane, y);
        continue;
      }
      this.#stretches(frame, lane, y);
      if (this.tiles) this.#tiles(this.tiles, frame, lane, y);
      // Of a folded recording without a server, these are all that can be told apart.
      if (!this.tiles?.ask) this.#fragments(frame, lane, y);
      this.#marks(frame, lane, y);
    }
    this.#devices(frame, this.model.whole.devices);
    this.tiles?.fetch();
    if (this.arrows.length * PER_ARROW > frame.width) this.arrows = this.arrows.filter(({ strong }) => strong);
  }

  /** The number of lanes: of workers, and of devices. */
  get rows(): number {
    return this.lanes.length + this.devices.length;
  }

  #devices(frame: TimelineFrame, { piece }: Devices): void {
    const { lanes, paint, width } = frame;
    for (const [i, rows] of this.devices.entries()) {
      const y = lanes.top + (this.lanes.length + i) * (lanes.height + lanes.gap);
      if (y > frame.height || y + lanes.height < 0) continue;
      this.batches.ground.add(0, y, width, lanes.height, paint.theme.lane);
      let drawnTo = Number.NEGATIVE_INFINITY;
      for (const row of inView(frame, rows, piece.start, piece.end)) {
        const right = pixelAt(frame, piece.end[row]!);
        if (right < drawnTo + HAIR) continue;
        const x = pixelAt(frame, piece.start[row]!);
        drawnTo = right;
        const plain = deviceColor(paint.theme, piece.kind[row] === PieceKind.Region);
        const fill = frame.site === undefined ? plain : paint.dim(plain);
        this.batches.fragments.add(x, y, Math.max(right - x, HAIR), lanes.height, fill);
      }
    }
  }

  /** Adds an arrow for an idle time that another worker ended. */
  #arrow(frame: TimelineFrame, row: number): void {
    const { woken_by, woken, worker, end } = this.model.idle;
    const by = woken_by[row]!;
    if (by >= this.lanes.length || by === worker[row]) return;
    const from = (woken[row]! - frame.view.x) * frame.view.scaleX;
    const to = (end[row]! - frame.view.x) * frame.view.scaleX;
    if (to < 0 || from > frame.width) return;
    const { top, height, gap } = frame.lanes;
    const y = (lane: number) => top + lane * (height + gap) + height / 2;
    const strong = frame.wakes?.has(row) ?? false;
    this.arrows.push({ from: { x: from, y: y(by) }, to: { x: to, y: y(worker[row]!) }, strong });
  }

  #tiles(tiles: TimeTiles, frame: TimelineFrame, { worker }: Lane, y: number): void {
    const { view, width } = frame;
    const level = tiles.level(view.scaleX);
    const stretches = tiles.stretches(worker, level, ns(view.x), ns(view.x + width / view.scaleX));
    for (const [i, stretch] of stretches.entries()) this.#stretch(frame, stretch, i === 0, y);
  }

  #stretch(frame: TimelineFrame, { tile, rows, start, end }: Stretch, isFirst: boolean, y: number): void {
    const { height } = frame.lanes;
    let drawnTo = Number.NEGATIVE_INFINITY;
    for (let row = rows.from; row < rows.to; row++) {
      if (tile.end[row]! <= start || tile.start[row]! >= end) continue;
      // A fragment is in all tiles that it touches; the first one draws it.
      if (!isFirst && !isBin(tile, row) && tile.start[row]! < start) continue;
      const x = pixelAt(frame, isBin(tile, row) ? ns(Math.max(tile.start[row]!, start)) : tile.start[row]!);
      const right = pixelAt(frame, isBin(tile, row) ? ns(Math.min(tile.end[row]!, end)) : tile.end[row]!);
      if (right < 0 || x > frame.width || right < drawnTo + HAIR) continue;
      drawnTo = right;
      const span = { x, width: right - x, y, height };
      if (isBin(tile, row)) this.#bin(frame, tile, row, span);
      else this.#known(frame, tile, row, span);
    }
  }

  /** Draws several fragments as one column, as high as their share of the time. */
  #bin(
    { paint, site, byClass }: TimelineFrame,
    tile: Stretch['tile'],
    row: number,
    { x, width, y, height }: Span,
  ): void {
    const { theme } = paint;
    const share = Math.min(1, tile.busy[row]! / Math.max(tile.end[row]! - tile.start[row]!, 1e-9));
    const high = Math.max(1, height * share);
    const dimmed = site !== undefined && tile.site[row] !== site;
    const shade = (rgba: number) => (dimmed ? paint.dim(rgba) : rgba);
    const { fragments } = this.batches;
    fragments.add(x, y + height - high, width, high, shade(byClass ? classColor(theme, 'work') : theme.group));
    const severity = severityOfBenefit(tile.worst[row]!);
    if (severity > 0) fragments.add(x, y, width, Math.max(2, height / 8), shade(severityColor(theme, severity)));
    if (tile.critical[row]) fragments.add(x, y + height - 3, width, 3, shade(theme.critical));
  }

  /** Draws one fragment of a tile. Its grain may be missing from the model. */
  #known(frame: TimelineFrame, tile: Stretch['tile'], row: number, span: Span): void {
    const { paint, site } = frame;
    const grain = this.rowOf(tile.number[row]!);
    if (grain !== undefined) {
      this.#fragment(frame, grain, tile.critical[row] === 1 && paint.dimmed[grain] === 0, span);
    } else {
      const severity = severityOfBenefit(tile.worst[row]!);
      const plain = severity > 0 ? severityColor(paint.theme, severity) : this.#plain(frame, tile.kind[row]!);
      const dimmed = site !== undefined && tile.site[row] !== site;
      this.#rectangle(frame, dimmed ? paint.dim(plain) : plain, tile.critical[row] === 1 && !dimmed, false, span);
    }
    if (span.width > LABEL_WIDTH) {
      const [time, label] = [ns(tile.end[row]! - tile.start[row]!), tile.site[row]!];
      this.tileLabels.push({ ...span, time, site: label, dimmed: site !== undefined && label !== site });
    }
  }

  #plain({ paint, byClass }: TimelineFrame, kind: number): number {
    return byClass ? classColor(paint.theme, 'work') : kindColor(paint.theme, kind);
  }

  /**
   * Outlines the fragments of the grains that are marked. Fragments that are close to each other
   * have one outline: outlines beside each other would be a black lane.
   */
  #marks(frame: TimelineFrame, { worker }: Lane, y: number): void {
    const { item, itemStart, fragment, grain } = this.model;
    const { height } = frame.lanes;
    for (const [g, strong] of [
      [frame.marks.hovered, false],
      [frame.marks.selected, true],
    ] as const) {
      if (g === undefined || grain.kind[g] === GrainKind.Group) continue;
      let open: { x: number; right: number } | undefined;
      const close = () => open && this.#mark(frame, { x: open.x, width: open.right - open.x, y, height }, strong);
      for (let i = itemStart[g]!; i < itemStart[g + 1]!; i++) {
        const row = item.ref[i]!;
        if (item.kind[i] !== ItemKind.Fragment || fragment.worker[row] !== worker) continue;
        const x = pixelAt(frame, fragment.start[row]!);
        const right = pixelAt(frame, fragment.end[row]!);
        if (right < 0 || x > frame.width) continue;
        if (open && x < open.right + APART) {
          open.right = Math.max(open.right, right);
          continue;
        }
        close();
        open = { x, right };
      }
      close();
    }
  }

  #wakes(frame: TimelineFrame, { idles }: Lane): void {
    const { start, end } = this.model.idle;
    for (const row of inView(frame, idles, start, end)) this.#arrow(frame, row);
  }

  /**
   * Returns whether a lane shows shares of classes: it has no room for its rectangles, or one of them
   * would show work for a fragment that was not work for most of its time.
   */
  showsShares(frame: Pick<TimelineFrame, 'view' | 'width' | 'byClass'>, lane: Lane): boolean {
    const { fragment, whole } = this.model;
    const { lanes } = whole;
    if (!frame.byClass || !this.#knowsShares(frame, lane)) return false;
    if (this.tiles) return true;
    const count = (rows: Uint32Array, end: NsColumn) =>
      firstAfter(rows, end, ns(frame.view.x + frame.width / frame.view.scaleX)) -
      firstAfter(rows, end, ns(frame.view.x));
    const rectangles = count(lane.fragments, fragment.end) + count(lane.stretches, lanes.stretch.end);
    return rectangles * PER_RECTANGLE > frame.width || this.#isMostlyOther(frame, lane);
  }

  /** Returns whether the shares of a lane are known in intervals that are narrow enough. */
  #knowsShares({ view }: Pick<TimelineFrame, 'view'>, { worker }: Lane): boolean {
    const { lanes } = this.model.whole;
    return lanes.interval_ns * view.scaleX <= WIDEST_INTERVAL && sharesOf(lanes, worker, 0, 1, this.#sums);
  }

  /** Returns whether a wide fragment of a lane had the recorder or no processor for most of its time. */
  #isMostlyOther(frame: Pick<TimelineFrame, 'view' | 'width'>, { fragments }: Lane): boolean {
    const { fragment, grain } = this.model;
    for (const row of inView(frame, fragments, fragment.start, fragment.end)) {
      if ((fragment.end[row]! - fragment.start[row]!) * frame.view.scaleX < LEAST_SPLIT) continue;
      const g = fragment.grain[row]!;
      if (grain.work[g]! < this.#lengths[g]! * MOSTLY) return true;
    }
    return false;
  }

  /** Draws what a worker did as shares. If a site is selected, only where its grains ran they are not dimmed. */
  #shares(frame: TimelineFrame, lane: Lane, y: number): void {
    const { paint, site } = frame;
    const colours = this.model.whole.lanes.classes.map((name) => classColor(paint.theme, name));
    const { fragments } = this.batches;
    if (site === undefined) {
      this.#columns(frame, lane, y, fragments, colours);
      return;
    }
    this.#columns(frame, lane, y, fragments, colours.map(paint.dim));
    const ran = this.#cover(frame, lane, false);
    for (const { x, right } of runs(ran, (part) => Number(part > 0)))
      this.#columns(frame, lane, y, fragments, colours, x, right);
  }

  /**
   * Draws what a worker did as columns between two pixels, divided by the shares of the classes. A
   * class without a colour is not drawn.
   */
  #columns(
    frame: TimelineFrame,
    { worker }: Lane,
    y: number,
    batch: Batch,
    colours: readonly (number | undefined)[],
    left = 0,
    end = frame.width,
  ): void {
    const { view, lanes: geometry } = frame;
    const { lanes } = this.model.whole;
    const wide = lanes.interval_ns * view.scaleX;
    // Columns begin at multiples of their length, so that they do not change as the view moves.
    const step = Math.max(1, Math.ceil((this.lanes.length > MANY_LANES ? 2 : 1) / wide));
    const first = Math.floor((view.x + left / view.scaleX) / lanes.interval_ns / step) * step;
    const add = (x: number, right: number, top: number, height: number, colour: number | undefined) => {
      const [from, to] = [Math.max(x, left), Math.min(right, end)];
      if (to > from && colour !== undefined) batch.add(from, top, to - from, height, colour);
    };
    let open = { class: -1, x: 0, right: 0 };
    const close = () => {
      if (open.class >= 0) add(open.x, open.right, y, geometry.height, colours[open.class]);
      open = { class: -1, x: 0, right: 0 };
    };
    for (let at = Math.max(first, 0); at < lanes.intervals; at += step) {
      // Whole pixels: between columns that share one, the ground would show.
      const x = Math.round((at * lanes.interval_ns - view.x) * view.scaleX);
      if (x > end) break;
      if (!sharesOf(lanes, worker, at, at + step, this.#sums)) break;
      const next = Math.min(at + step, lanes.intervals);
      const right = Math.round((next * lanes.interval_ns - view.x) * view.scaleX);
      const all = this.#sums.findIndex((share) => share > NEARLY_ALL);
      if (all >= 0 && all === open.class) {
        open.right = right;
        continue;
      }
      close();
      if (all >= 0) {
        open = { class: all, x, right };
        continue;
      }
      let bottom = y + geometry.height;
      for (const [i, share] of this.#sums.entries()) {
        if (share === 0) continue;
        const high = Math.min(share * geometry.height, bottom - y);
        bottom -= high;
        add(x, right, bottom, high, colours[i]);
      }
    }
    close();
  }

  /** Marks the critical path: in each pixel the more strongly, the more of it the path is. */
  #criticalPath(frame: TimelineFrame, lane: Lane, y: number): void {
    const { critical } = frame.paint.theme;
    const shades = (part: number) => Math.ceil(Math.min(part, 1) * SHADES - 1e-3) / SHADES;
    for (const { x, right, value } of runs(this.#cover(frame, lane, true), shades)) {
      const fill = withAlpha(critical, PALEST + (1 - PALEST) * value);
      this.batches.fragments.add(x, y + frame.lanes.height - 3, right - x, 3, fill);
    }
  }

  /**
   * Returns how much of each pixel is in fragments that are not dimmed; if `critical`, in those on the
   * critical path.
   */
  #cover(frame: TimelineFrame, lane: Lane, critical: boolean): Float32Array {
    const { view, width, paint, site } = frame;
    const parts = new Float32Array(Math.ceil(width));
    const add = (start: Ns, end: Ns) => {
      const x = Math.max((start - view.x) * view.scaleX, 0);
      const right = Math.min((end - view.x) * view.scaleX, parts.length);
      for (let pixel = Math.floor(x); pixel < right; pixel++)
        parts[pixel]! += Math.min(right, pixel + 1) - Math.max(x, pixel);
    };
    const { fragment } = this.model;
    for (const row of inView(frame, lane.fragments, fragment.start, fragment.end)) {
      if (paint.dimmed[fragment.grain[row]!] || (critical && fragment.critical[row] !== 1)) continue;
      add(fragment.start[row]!, fragment.end[row]!);
    }
    if (!this.tiles) return parts;
    const level = this.tiles.level(view.scaleX);
    for (const { tile, rows, start, end } of this.tiles.stretches(
      lane.worker,
      level,
      ns(view.x),
      ns(view.x + width / view.scaleX),
    ))
      for (let row = rows.from; row < rows.to; row++) {
        if ((site !== undefined && tile.site[row] !== site) || (critical && !tile.critical[row])) continue;
        add(ns(Math.max(tile.start[row]!, start)), ns(Math.min(tile.end[row]!, end)));
      }
    return parts;
  }

  /** Draws the stretches in which the worker ran no grain, in the colours of their classes. */
  #stretches(frame: TimelineFrame, lane: Lane, y: number): void {
    const { lanes } = this.model.whole;
    const { classes, stretch } = lanes;
    const dimmed = frame.site !== undefined || frame.problem === true;
    if (this.#knowsShares(frame, lane)) {
      // What the worker did, as where grains have the colour of work: fragments are drawn over it.
      const colours = classes.map((name) => (name === 'work' ? undefined : classColor(frame.paint.theme, name)));
      const shown = colours.map((colour) => (dimmed && colour !== undefined ? frame.paint.dim(colour) : colour));
      this.#columns(frame, lane, y, this.batches.ground, shown);
      return;
    }
    let drawnTo = Number.NEGATIVE_INFINITY;
    for (const row of inView(frame, lane.stretches, stretch.start, stretch.end)) {
      const right = pixelAt(frame, stretch.end[row]!);
      if (right < drawnTo + HAIR) continue;
      const x = pixelAt(frame, stretch.start[row]!);
      drawnTo = right;
      const colour = classColor(frame.paint.theme, classes[stretchClass(lanes, row)]!);
      const fill = dimmed ? frame.paint.dim(colour) : colour;
      this.batches.ground.add(x, y, Math.max(right - x, HAIR), frame.lanes.height, fill);
    }
  }

  #fragments(frame: TimelineFrame, lane: Lane, y: number): void {
    const { start, end, grain, critical } = this.model.fragment;
    const { height } = frame.lanes;
    const rows = lane.fragments;
    const timeAtRight = frame.view.x + frame.width / frame.view.scaleX;
    // Up to where anything is drawn, and anything critical: that matters more than what else is in
    // its pixel.
    let drawnTo = Number.NEGATIVE_INFINITY;
    let criticalTo = Number.NEGATIVE_INFINITY;
    for (let i = firstAfter(rows, end, ns(frame.view.x)); i < rows.length; i++) {
      const row = rows[i]!;
      if (start[row]! > timeAtRight) break;
      const g = grain[row]!;
      const right = pixelAt(frame, end[row]!);
      const isCritical = critical[row] === 1 && frame.paint.dimmed[g] === 0;
      if (right < (isCritical ? criticalTo : drawnTo) + HAIR) continue;
      const x = pixelAt(frame, start[row]!);
      const span = { x, width: right - x, y, height };
      drawnTo = Math.max(drawnTo, right);
      if (isCritical) criticalTo = right;
      this.#fragment(frame, g, isCritical, span, row);
      if (span.width > LABEL_WIDTH) this.labels.push({ grain: g, fragment: row, head: false, ...span });
    }
  }

  #fragment(frame: TimelineFrame, g: GrainRow, isCritical: boolean, span: Span, row?: number): void {
    const hatched = (this.model.grain.flags[g]! & Flag.Unfinished) !== 0;
    const { fill, fragments } = frame.paint;
    const own = row === undefined ? undefined : fragments?.[row];
    if (!frame.byClass) {
      const colour = frame.problem && frame.paint.dimmed[g] ? restColor(frame.paint.theme) : (own ?? fill[g]!);
      this.#rectangle(frame, colour, isCritical, hatched, span);
      return;
    }
    const { theme, dimmed, dim } = frame.paint;
    const shade = (rgba: number) => (dimmed[g] ? dim(rgba) : rgba);
    this.#rectangle(frame, shade(classColor(theme, 'work')), isCritical, hatched, span);
    const severity = severityOf(this.model, g);
    if (severity > 0 && span.width >= LEAST_MARKED)
      this.batches.fragments.add(
        span.x,
        span.y,
        span.width,
        Math.max(2, span.height / 6),
        shade(severityColor(theme, severity)),
      );
  }

  #rectangle({ paint }: TimelineFrame, fill: number, isCritical: boolean, hatched: boolean, span: Span): void {
    const { x, width, y, height } = span;
    const wide = width >= 5;
    // A hair's breadth between neighbours, where there is room for it.
    const drawn = wide ? width - 0.5 : Math.max(width, 0.7);
    const look: Look = wide ? { stroke: 0, strokeWidth: 0, radius: 2, hatched } : PLAIN;
    // Opaque: neither what was drawn in the same pixel before nor the ground shows through.
    this.batches.fragments.add(x, y, drawn, height, over(fill, paint.theme.lane), look);
    if (isCritical) this.batches.fragments.add(x, y + height - 3, drawn, 3, paint.theme.critical);
  }

  #mark({ paint }: TimelineFrame, { x, width, y, height }: Span, strong: boolean): void {
    const look: Look = { stroke: paint.theme.selection, strokeWidth: strong ? 2 : 1.25, radius: 3, hatched: false };
    const drawn = Math.max(width, 1.5);
    this.batches.marks.add(x - 1.5, y - 1.5, drawn + 3, height + 3, 0, look);
  }
}

/** Returns the pixel of an instant, clipped just outside the view. */
function pixelAt({ view, width }: TimelineFrame, time: Ns): number {
  return Math.min(Math.max((time - view.x) * view.scaleX, -10), width + 10);
}

/** Returns the runs of pixels with the same value above 0. */
function* runs(
  parts: Float32Array,
  levelOf: (part: number) => number,
): Iterable<{ x: number; right: number; value: number }> {
  let open = { x: 0, right: 0, value: 0 };
  for (let x = 0; x <= parts.length; x++) {
    const value = x < parts.length ? levelOf(parts[x]!) : 0;
    if (value === open.value) continue;
    if (open.value > 0) yield { ...open, right: x };
    open = { x, right: x, value };
  }
}

/** Returns the rows of a lane that are in view. Requires rows that do not overlap, by start. */
function* inView(
  { view, width }: Pick<TimelineFrame, 'view' | 'width'>,
  rows: Uint32Array,
  start: NsColumn,
  end: NsColumn,
): Iterable<number> {
  const right = view.x + width / view.scaleX;
  for (let i = firstAfter(rows, end, ns(view.x)); i < rows.length; i++) {
    if (start[rows[i]!]! > right) break;
    yield rows[i]!;
  }
}

/**
 * Returns the row of the fragment at an instant of a lane, or of the nearest one within `slack`.
 */
export function fragmentAt(model: Model, lane: Lane, time: Ns, slack: Ns): number | undefined {
  const { start, end } = model.fragment;
  const i = firstAfter(lane.fragments, end, time);
  const candidates = [lane.fragments[i], lane.fragments[i - 1]].filter((row) => row !== undefined);
  const distance = (row: number) => Math.max(start[row]! - time, time - end[row]!, 0);
  candidates.sort((a, b) => distance(a) - distance(b));
  const nearest = candidates[0];
  return nearest !== undefined && distance(nearest) <= slack ? nearest : undefined;
}

/** Returns the row of the idle time at an instant of a lane. */
export function idleAt(model: Model, lane: Lane, time: Ns): number | undefined {
  const { start, end } = model.idle;
  const row = lane.idles[firstAfter(lane.idles, end, time)];
  return row !== undefined && start[row]! <= time ? row : undefined;
}

/** Returns the row of the stretch without a grain at an instant of a lane. */
export function stretchAt({ whole }: Model, lane: Lane, time: Ns): number | undefined {
  const { start, end } = whole.lanes.stretch;
  const row = lane.stretches[firstAfter(lane.stretches, end, time)];
  return row !== undefined && start[row]! <= time ? row : undefined;
}
