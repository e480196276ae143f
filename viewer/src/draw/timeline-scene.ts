// SPDX-License-Identifier: Apache-2.0
// Decides what of the time line is drawn: one lane per worker, fragments as rectangles, neighbours
// that share a pixel drawn as one.
import type { Viewport } from '../base/viewport';
import { firstAfter, type Lane } from '../model/lanes';
import { Flag, type Model } from '../model/model';
import { Batch, type Look, PLAIN } from './batch';
import type { Label, Marks } from './graph-scene';
import type { Paint } from './paint';

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
}

const LABEL_WIDTH = 44;
/** What is not this much further right than what is drawn already would not be seen. */
const HAIR = 0.5;

interface Span {
  x: number;
  width: number;
  y: number;
  height: number;
}

export class TimelineScene {
  readonly batches = { ground: new Batch(), fragments: new Batch(), marks: new Batch() };

  /** Fragments with room for text, of the last frame. */
  readonly labels: Label[] = [];

  constructor(
    readonly model: Model,
    readonly lanes: readonly Lane[],
  ) {}

  build(frame: TimelineFrame): void {
    for (const batch of Object.values(this.batches)) batch.clear();
    this.labels.length = 0;
    for (const [i, lane] of this.lanes.entries()) {
      const y = frame.lanes.top + i * (frame.lanes.height + frame.lanes.gap);
      if (y > frame.height || y + frame.lanes.height < 0) continue;
      this.batches.ground.add(0, y, frame.width, frame.lanes.height, frame.paint.theme.lane);
      this.#idle(frame, lane, y);
      this.#fragments(frame, lane, y);
    }
  }

  #idle(frame: TimelineFrame, lane: Lane, y: number): void {
    const { start, end } = this.model.idle;
    const rows = lane.idles;
    const height = Math.max(2, frame.lanes.height * 0.3);
    const top = y + (frame.lanes.height - height) / 2;
    const timeAtRight = frame.view.x + frame.width / frame.view.scaleX;
    let drawnTo = Number.NEGATIVE_INFINITY;
    for (let i = firstAfter(rows, end, frame.view.x); i < rows.length; i++) {
      const row = rows[i]!;
      if (start[row]! > timeAtRight) break;
      const right = pixelAt(frame, end[row]!);
      if (right < drawnTo + HAIR) continue;
      const x = pixelAt(frame, start[row]!);
      drawnTo = right;
      this.batches.ground.add(x, top, Math.max(right - x, HAIR), height, frame.paint.theme.idle);
    }
  }

  #fragments(frame: TimelineFrame, lane: Lane, y: number): void {
    const { start, end, grain, critical } = this.model.fragment;
    const { selected, hovered } = frame.marks;
    const { height } = frame.lanes;
    const rows = lane.fragments;
    const timeAtRight = frame.view.x + frame.width / frame.view.scaleX;
    // Up to where anything is drawn, and anything critical: that matters more than what else is in
    // its pixel.
    let drawnTo = Number.NEGATIVE_INFINITY;
    let criticalTo = Number.NEGATIVE_INFINITY;
    for (let i = firstAfter(rows, end, frame.view.x); i < rows.length; i++) {
      const row = rows[i]!;
      if (start[row]! > timeAtRight) break;
      const g = grain[row]!;
      const right = pixelAt(frame, end[row]!);
      const isCritical = critical[row] === 1 && frame.paint.dimmed[g] === 0;
      const isMarked = g === selected || g === hovered;
      if (right < (isCritical ? criticalTo : drawnTo) + HAIR && !isMarked) continue;
      const x = pixelAt(frame, start[row]!);
      const span = { x, width: right - x, y, height };
      if (isMarked) this.#mark(frame, span, g === selected);
      drawnTo = Math.max(drawnTo, right);
      if (isCritical) criticalTo = right;
      this.#fragment(frame, g, isCritical, span);
      if (span.width > LABEL_WIDTH) this.labels.push({ grain: g, fragment: row, head: false, ...span });
    }
  }

  #fragment({ paint }: TimelineFrame, g: number, isCritical: boolean, { x, width, y, height }: Span): void {
    const { theme } = paint;
    const hatched = (this.model.grain.flags[g]! & Flag.Unfinished) !== 0;
    const wide = width >= 5;
    // A hair's breadth between neighbours, where there is room for it.
    const drawn = wide ? width - 0.5 : Math.max(width, 0.7);
    const look: Look = wide ? { stroke: 0, strokeWidth: 0, radius: 2, hatched } : PLAIN;
    this.batches.fragments.add(x, y, drawn, height, paint.fill[g]!, look);
    if (isCritical) this.batches.fragments.add(x, y + height - 3, drawn, 3, theme.critical);
  }

  #mark({ paint }: TimelineFrame, { x, width, y, height }: Span, strong: boolean): void {
    const look: Look = { stroke: paint.theme.selection, strokeWidth: strong ? 2 : 1.25, radius: 3, hatched: false };
    const drawn = Math.max(width, 1.5);
    this.batches.marks.add(x - 1.5, y - 1.5, drawn + 3, height + 3, 0, look);
  }
}

/** The pixel of an instant, clipped a little outside the view. */
function pixelAt({ view, width }: TimelineFrame, time: number): number {
  return Math.min(Math.max((time - view.x) * view.scaleX, -10), width + 10);
}

/** The fragment at a time in a lane, or the nearest one within `slack` nanoseconds. */
export function fragmentAt(model: Model, lane: Lane, time: number, slack: number): number | undefined {
  const { start, end } = model.fragment;
  const i = firstAfter(lane.fragments, end, time);
  const candidates = [lane.fragments[i], lane.fragments[i - 1]].filter((row) => row !== undefined);
  const distance = (row: number) => Math.max(start[row]! - time, time - end[row]!, 0);
  candidates.sort((a, b) => distance(a) - distance(b));
  const nearest = candidates[0];
  return nearest !== undefined && distance(nearest) <= slack ? nearest : undefined;
}
