// SPDX-License-Identifier: Apache-2.0
// Decides which parts of the grain graph are drawn in a frame: those inside the view, in as much
// detail as can be seen. A subtree smaller than a few pixels becomes one block. If a frame would
// have too many rectangles, this limit is raised until the frame has few enough. Where grains are
// too narrow for outlines, the critical path is thinned out, and grains have the colours of their
// sites.
import type { Viewport } from '../base/viewport';
import type { GrainRow } from '../model/ids';
import { Flag, GrainKind, type Model } from '../model/model';
import { severityOfBenefit } from '../model/severity';
import { Batch, type Look, PLAIN } from './batch';
import { mix, withAlpha } from './color';
import type { GraphLayout } from './layout/layout';
import { HEAD, SPINE } from './layout/measures';
import { isBody, isEdge, ShapeKind } from './layout/shapes';
import type { Paint } from './paint';
import { PixelSet } from './pixel-set';
import { severityColor } from './theme';

export const MAX_RECTS = 50_000;
export const SMALLEST_BOX = 3;
/** Where the detail is coarser than this, the budget is exceeded rather than more left out. */
const COARSEST = 20;
const SHAPES_PER_RUN = 64;
/** Below this number of pixels per unit, edges are too dense to be followed and are drawn faintly. */
const FAINT_EDGES = 0.04;
/** The alpha of faint edges. Fainter edges would let grains look like empty boxes. */
const FAINT = 0.45;
/**
 * Where the critical path is in grains that are too narrow for an outline, each square of as many
 * pixels has one line of it: more would hide the colours of the grains.
 */
const APART = 8;
/** A narrower grain has a line in place of an outline. */
const NARROW = 5;
const LABEL_WIDTH = 44;
const LABEL_HEIGHT = 13;
/**
 * Where a spine is narrower than this number of pixels, grains in the same pixels cannot be told
 * apart.
 */
const THIN = 0.5;
/** How far the ground of an opened group reaches beyond its box. */
const GROUND = 4;
/** An outline longer than this number of pixels is drawn as four lines. */
const LARGE = 120;
const GROUND_ALPHA = 0.1;

export interface Marks {
  selected: GrainRow | undefined;
  hovered: GrainRow | undefined;
}

export interface Frame {
  view: Viewport;
  width: number;
  height: number;
  paint: Paint;
  marks: Marks;
}

export interface Label {
  grain: GrainRow;
  fragment: number | undefined;
  /** True for the label that names an opened group. */
  head: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

export class GraphScene {
  /**
   * The batches in the order of drawing: the ground of opened groups, edges, critical edges, nodes,
   * and marks on top.
   */
  readonly batches = {
    ground: new Batch(),
    edges: new Batch(),
    critical: new Batch(),
    nodes: new Batch(),
    marks: new Batch(),
  };
  /** The size in pixels below which subtrees become blocks. */
  detail = SMALLEST_BOX;
  /**
   * The colour behind everything in the last frame. It includes the ground of groups that fill the
   * view.
   */
  background = 0;
  /** The most rectangles in a frame. */
  budget = MAX_RECTS;
  /**
   * Whether grains were too narrow in the last frame to be told apart: then they have the colours of
   * sites, and not all of the critical path is drawn.
   */
  dense = false;
  /** The labels of the last frame: fragments with room for text, and heads of opened groups. */
  readonly labels: Label[] = [];
  #runs: Float64Array;
  /** The boxes whose shapes are drawn, one set for each look. */
  readonly #boxes = Array.from({ length: 4 }, () => new PixelSet());
  readonly #drawn = {
    edges: new PixelSet(),
    critical: new PixelSet(),
    nodes: new PixelSet(),
    blocks: new PixelSet(),
    cells: new PixelSet(),
    criticalCells: new PixelSet(),
    criticalLines: new PixelSet(),
  };

  constructor(
    readonly model: Model,
    public layout: GraphLayout,
  ) {
    this.#runs = boundsOfRuns(layout);
  }

  show(layout: GraphLayout): void {
    this.layout = layout;
    this.#runs = boundsOfRuns(layout);
  }

  get count(): number {
    const { ground, edges, critical, nodes, marks } = this.batches;
    return ground.count + edges.count + critical.count + nodes.count + marks.count;
  }

  /** Fills the batches for a frame. */
  build(frame: Frame): void {
    // Finer again when there is room, with a margin, so that it does not go to and fro from frame
    // to frame.
    if (this.count < this.budget / 2) this.detail = Math.max(SMALLEST_BOX, this.detail / 1.2);
    while (!this.#tryBuild(frame, this.detail < COARSEST)) this.detail *= 1.3;
    this.#mark(frame, frame.marks.hovered, 1.5, false);
    this.#mark(frame, frame.marks.selected, 2.5, true);
  }

  /** Returns false if `strict` and the budget is exceeded. */
  #tryBuild(frame: Frame, strict: boolean): boolean {
    for (const batch of Object.values(this.batches)) batch.clear();
    for (const drawn of [...Object.values(this.#drawn), ...this.#boxes]) drawn.clear();
    this.labels.length = 0;
    this.background = frame.paint.theme.background;
    const { boxes, closed, tree } = this.layout;
    const { order, subtreeEnd } = tree;
    const { view, width, height } = frame;
    const right = view.x + width / view.scaleX;
    const bottom = view.y + height / view.scaleY;
    const smallest = this.detail / view.scaleX;
    const thin = SPINE * view.scaleX < THIN;
    this.dense = SPINE * view.scaleX < NARROW;
    let p = 0;
    while (p < order.length) {
      const g = order[p]!;
      const at = g * 4;
      const x0 = boxes[at]!;
      const y0 = boxes[at + 1]!;
      const x1 = boxes[at + 2]!;
      const y1 = boxes[at + 3]!;
      if (x0 > right || y0 > bottom || x1 < view.x || y1 < view.y) p = subtreeEnd[g]!;
      else if (x1 - x0 < smallest && y1 - y0 < smallest) {
        this.#block(frame, g, x0, y0, x1, y1);
        p = subtreeEnd[g]!;
      } else {
        if (this.model.grain.kind[g] === GrainKind.Group && !closed[g]) this.#ground(frame, g, x0, y0, x1, y1);
        if (!thin || !this.#repeats(frame, g, x0, y0, x1, y1)) this.#shapes(frame, p, g, right, bottom);
        p = closed[g] ? subtreeEnd[g]! : p + 1;
      }
      if (strict && this.count > this.budget) return false;
    }
    return true;
  }

  /**
   * Draws at most one block in each cell of a grid. The cells grow with the detail. The grid is
   * fixed to the graph, so that blocks do not flicker while the view moves.
   */
  #block({ view, paint }: Frame, g: GrainRow, x0: number, y0: number, x1: number, y1: number): void {
    const cell = this.detail / SMALLEST_BOX;
    if (this.#isTaken(this.#drawn.blocks, view, x0, y0)) return;
    const width = Math.max((x1 - x0) * view.scaleX, cell);
    const height = Math.max((y1 - y0) * view.scaleY, cell);
    const [x, y] = [(x0 - view.x) * view.scaleX, (y0 - view.y) * view.scaleY];
    this.batches.nodes.add(x, y, width, height, paint.block[g]!);
    if (paint.critical[g]) this.#criticalLine(paint, g, x, y, height);
  }

  /** Draws the critical path in a grain or a block that has no room for an outline. */
  #criticalLine({ theme, dimmed, dim }: Paint, g: GrainRow, x: number, y: number, height: number): void {
    const apart = (APART * this.detail) / SMALLEST_BOX;
    const [column, row] = [Math.floor(x / apart), Math.floor(y / apart)];
    if (this.#drawn.criticalLines.hasOrAdd(column, row, 0, 0)) return;
    const long = Math.max(1, Math.min(height, APART));
    this.batches.nodes.add(Math.floor(x), y, 1, long, dimmed[g] ? dim(theme.critical) : theme.critical);
  }

  /**
   * Returns true if a grain of the same look was drawn in the same pixels, as in a deep nest; the
   * shapes of this grain would only repeat it.
   */
  #repeats(
    { view, paint, width, height }: Frame,
    g: GrainRow,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
  ): boolean {
    const look = (this.model.grain.flags[g]! & Flag.Critical ? 1 : 0) + (paint.dimmed[g] ? 2 : 0);
    const left = Math.max((x0 - view.x) * view.scaleX, -100);
    const top = Math.max((y0 - view.y) * view.scaleY, -100);
    const right = Math.min((x1 - view.x) * view.scaleX, width + 100);
    const bottom = Math.min((y1 - view.y) * view.scaleY, height + 100);
    return this.#boxes[look]!.hasOrAdd(left, top, right - left, bottom - top);
  }

  /** Draws the ground of an opened group, and adds the label that names it. */
  #ground(frame: Frame, g: GrainRow, x0: number, y0: number, x1: number, y1: number): void {
    const { view, paint } = frame;
    const margin = GROUND * view.scaleX;
    const left = Math.max((x0 - view.x) * view.scaleX - margin, -100);
    const top = Math.max((y0 - view.y) * view.scaleY - margin / 2, -100);
    const right = Math.min((x1 - view.x) * view.scaleX + margin, frame.width + 100);
    const bottom = Math.min((y1 - view.y) * view.scaleY + margin / 2, frame.height + 100);
    const { group } = paint.theme;
    if (left < -margin && top < -margin && right > frame.width + margin && bottom > frame.height + margin) {
      this.background = mix(this.background, group, GROUND_ALPHA);
      return;
    }
    const look: Look = { stroke: withAlpha(group, 0.6), strokeWidth: 1, radius: Math.min(6, margin), hatched: false };
    this.batches.ground.add(left, top, right - left, bottom - top, withAlpha(group, GROUND_ALPHA), look);
    const y = (y0 - view.y) * view.scaleY;
    const height = HEAD * view.scaleY;
    if (height > LABEL_HEIGHT && right - left > LABEL_WIDTH && y + height > 0)
      this.labels.push({ grain: g, fragment: undefined, head: true, x: left, y, width: right - left, height });
  }

  #isTaken(cells: PixelSet, view: Viewport, x: number, y: number): boolean {
    const cell = this.detail / SMALLEST_BOX;
    const column = Math.floor((x * view.scaleX) / cell) - Math.floor((view.x * view.scaleX) / cell);
    const row = Math.floor((y * view.scaleY) / cell) - Math.floor((view.y * view.scaleY) / cell);
    return cells.hasOrAdd(column, row, 0, 0);
  }

  #shapes(frame: Frame, p: number, g: GrainRow, right: number, bottom: number): void {
    const { shapes, shapeStart } = this.layout;
    const { view } = frame;
    const end = shapeStart[p + 1]!;
    for (let s = shapeStart[p]!; s < end; s++) {
      if (s % SHAPES_PER_RUN === 0 && s + SHAPES_PER_RUN <= end) {
        const r = (s / SHAPES_PER_RUN) * 4;
        const runs = this.#runs;
        if (runs[r]! > right || runs[r + 1]! > bottom || runs[r + 2]! < view.x || runs[r + 3]! < view.y) {
          s += SHAPES_PER_RUN - 1;
          continue;
        }
      }
      const at = s * 4;
      const x0 = shapes.bounds[at]!;
      const y0 = shapes.bounds[at + 1]!;
      const x1 = shapes.bounds[at + 2]!;
      const y1 = shapes.bounds[at + 3]!;
      if (x0 > right || y0 > bottom || x1 < view.x || y1 < view.y) continue;
      // Clipped here, since single precision does not hold pixels far outside the view.
      const left = Math.max((x0 - view.x) * view.scaleX, -100);
      const top = Math.max((y0 - view.y) * view.scaleY, -100);
      const width = Math.min((x1 - view.x) * view.scaleX, frame.width + 100) - left;
      const height = Math.min((y1 - view.y) * view.scaleY, frame.height + 100) - top;
      if (isEdge(shapes.kind[s]!)) this.#edge(frame, s, g, left, top, width, height);
      else this.#node(frame, s, g, left, top, width, height);
    }
  }

  #edge({ paint, view }: Frame, s: number, g: GrainRow, x: number, y: number, width: number, height: number): void {
    const { kind, critical } = this.layout.shapes;
    // Short edges go first when there is too much to draw: blocks show where they are.
    const shortest = this.detail / 2;
    if (width < shortest && height < shortest) return;
    const isCritical = critical[s] === 1;
    const { theme } = paint;
    const far = view.scaleX < FAINT_EDGES;
    const thickness = isCritical && !this.dense ? 2 : 1;
    const faint = kind[s] === ShapeKind.LooseEdge || far;
    const plain = faint ? withAlpha(theme.looseEdge, far ? FAINT : 1) : theme.edge;
    const rgba = isCritical ? theme.critical : plain;
    const layer = isCritical ? 'critical' : 'edges';
    // Whole pixels, so that lines are sharp.
    const left = width < 1 ? Math.floor(x - thickness / 2 + 0.5) : x;
    const top = height < 1 ? Math.floor(y - thickness / 2 + 0.5) : y;
    const w = Math.max(width, thickness);
    const h = Math.max(height, thickness);
    if (this.dense && isCritical) {
      const [column, row] = [Math.floor(left / APART), Math.floor(top / APART)];
      if (this.#drawn.critical.hasOrAdd(column, row, Number(w > APART), Number(h > APART))) return;
    } else if (far) {
      // Side by side with the next they would be a plane, and its filling takes time.
      const [column, row] = [width < 1 ? left >> 1 : left, height < 1 ? top >> 1 : top];
      if (this.#drawn[layer].hasOrAdd(column, row, w, h)) return;
    }
    this.batches[layer].add(left, top, w, h, paint.dimmed[g] ? paint.dim(rgba) : rgba);
  }

  #node(frame: Frame, s: number, g: GrainRow, x: number, y: number, width: number, height: number): void {
    const { paint } = frame;
    const { theme } = paint;
    const kind = this.layout.shapes.kind[s]! as ShapeKind;
    const { nodes } = this.batches;
    if (kind === ShapeKind.Fork || kind === ShapeKind.Join) {
      if (width < 2) return;
      const rgba = kind === ShapeKind.Fork ? theme.fork : theme.join;
      const round: Look = { stroke: 0, strokeWidth: 0, radius: width / 2, hatched: false };
      nodes.add(x, y, width, height, paint.dimmed[g] ? paint.dim(rgba) : rgba, round);
      return;
    }
    if (width > LABEL_WIDTH && height > LABEL_HEIGHT) {
      const fragment = kind === ShapeKind.Body || kind === ShapeKind.Group ? undefined : this.layout.shapes.ref[s]!;
      this.labels.push({ grain: g, fragment, head: false, x, y, width, height });
    }
    const w = Math.max(width, 1);
    const h = Math.max(height, 1);
    if (width < 1 && this.#drawn.nodes.hasOrAdd(x, y, w, h)) return;
    const isCritical = this.layout.shapes.critical[s] === 1;
    if (this.detail > SMALLEST_BOX && w < this.detail && h < this.detail) {
      // A grain with very many fragments is no subtree that could become a block.
      const { bounds } = this.layout.shapes;
      const cells = isCritical ? this.#drawn.criticalCells : this.#drawn.cells;
      if (this.#isTaken(cells, frame.view, bounds[s * 4]!, bounds[s * 4 + 1]!)) return;
    }
    if (kind === ShapeKind.Group) this.#stack(g, x, y, w, h, paint);
    const fill = w < NARROW ? paint.small : paint.fill;
    nodes.add(x, y, w, h, fill[g]!, this.#lookOf(g, isCritical, w, paint));
    if (isCritical && w < NARROW) this.#criticalLine(paint, g, x, y, h);
    if (kind === ShapeKind.Group) this.#worst(g, x, y, w, h, paint);
    if (kind === ShapeKind.CutFragment && w > 6) this.#cut(x, y, w, h, theme.background);
  }

  #lookOf(g: GrainRow, isCritical: boolean, width: number, { theme, dimmed, dim }: Paint): Look {
    const hatched = (this.model.grain.flags[g]! & Flag.Unfinished) !== 0;
    if (width < NARROW) return hatched ? { ...PLAIN, hatched } : PLAIN;
    const outline = isCritical ? theme.critical : theme.edge;
    const strokeWidth = isCritical ? Math.min(3, Math.max(1.5, width / 14)) : hatched ? 1 : 0;
    return { stroke: dimmed[g] ? dim(outline) : outline, strokeWidth, radius: Math.min(3, width / 10), hatched };
  }

  /** Draws sheets behind a group, which show that it stands for several grains. */
  #stack(g: GrainRow, x: number, y: number, width: number, height: number, { fill, theme }: Paint): void {
    if (width < 6) return;
    const step = Math.min(3, width / 8);
    const look: Look = { stroke: theme.background, strokeWidth: Math.min(1, step / 2), radius: step, hatched: false };
    for (const sheet of [2, 1])
      this.batches.nodes.add(x + sheet * step, y + sheet * step, width, height, withAlpha(fill[g]!, 0.55), look);
  }

  /**
   * Draws a stripe in the colour of the worst grain of a group, which the group's own colour may
   * hide.
   */
  #worst(g: GrainRow, x: number, y: number, width: number, height: number, { theme, dimmed, dim }: Paint): void {
    const severity = severityOfBenefit(this.model.grain.worst[g]!);
    if (severity === 0 || width < 4) return;
    const rgba = severityColor(theme, severity);
    this.batches.nodes.add(x, y, Math.max(2, width / 7), height, dimmed[g] ? dim(rgba) : rgba);
  }

  /** Draws two gaps across the middle: the fragment is longer than drawn. */
  #cut(x: number, y: number, width: number, height: number, background: number): void {
    const thickness = Math.min(3, height / 8);
    this.batches.nodes.add(x - 1, y + height / 2 - 2 * thickness, width + 2, thickness, background);
    this.batches.nodes.add(x - 1, y + height / 2 + thickness, width + 2, thickness, background);
  }

  /** Outlines a grain's fragments and, when asked, the box around it and all its children. */
  #mark(frame: Frame, g: GrainRow | undefined, strokeWidth: number, withBox: boolean): void {
    if (g === undefined) return;
    const { view, paint } = frame;
    const { marks } = this.batches;
    const outline = (x0: number, y0: number, x1: number, y1: number, least: number, look: Look) => {
      // A shape that is hardly visible gets a wider outline, so that it is found.
      const margin = Math.max(least, 4 - ((x1 - x0) * view.scaleX) / 2);
      const x = Math.max((x0 - view.x) * view.scaleX - margin, -100);
      const y = Math.max((y0 - view.y) * view.scaleY - margin, -100);
      const right = Math.min((x1 - view.x) * view.scaleX + margin, frame.width + 100);
      const bottom = Math.min((y1 - view.y) * view.scaleY + margin, frame.height + 100);
      if (!(right > x && bottom > y)) return;
      if (Math.max(right - x, bottom - y) < LARGE) marks.add(x, y, right - x, bottom - y, 0, look);
      else {
        // Filling the inside, even with nothing, would take as long as filling it with a colour.
        const thickness = look.strokeWidth;
        marks.add(x, y, right - x, thickness, look.stroke);
        marks.add(x, bottom - thickness, right - x, thickness, look.stroke);
        marks.add(x, y, thickness, bottom - y, look.stroke);
        marks.add(right - thickness, y, thickness, bottom - y, look.stroke);
      }
    };
    const { shapes, shapeStart, boxes, tree } = this.layout;
    if (g >= tree.order.length) return;
    const p = tree.position[g]!;
    const strong: Look = { stroke: paint.theme.selection, strokeWidth, radius: 3, hatched: false };
    if (withBox && tree.childCount[g]! > 0) {
      const [x0, y0, x1, y1] = boxes.subarray(g * 4, g * 4 + 4);
      outline(x0!, y0!, x1!, y1!, 5, { ...strong, strokeWidth: 1, radius: 5 });
    }
    for (let s = shapeStart[p]!; s < shapeStart[p + 1]! && marks.count < MAX_RECTS; s++) {
      if (!isBody(shapes.kind[s]!)) continue;
      const [x0, y0, x1, y1] = shapes.bounds.subarray(s * 4, s * 4 + 4);
      outline(x0!, y0!, x1!, y1!, 1, strong);
    }
  }
}

/**
 * Returns the bounds of each run of 64 shapes, so that a grain with very many shapes is culled
 * quickly.
 */
function boundsOfRuns({ shapes }: GraphLayout): Float64Array {
  const runs = new Float64Array(Math.ceil(shapes.count / SHAPES_PER_RUN) * 4);
  for (let r = 0; r < runs.length; r += 4) runs.set([Infinity, Infinity, -Infinity, -Infinity], r);
  for (let s = 0; s < shapes.count; s++) {
    const r = Math.floor(s / SHAPES_PER_RUN) * 4;
    runs[r] = Math.min(runs[r]!, shapes.bounds[s * 4]!);
    runs[r + 1] = Math.min(runs[r + 1]!, shapes.bounds[s * 4 + 1]!);
    runs[r + 2] = Math.max(runs[r + 2]!, shapes.bounds[s * 4 + 2]!);
    runs[r + 3] = Math.max(runs[r + 3]!, shapes.bounds[s * 4 + 3]!);
  }
  return runs;
}
